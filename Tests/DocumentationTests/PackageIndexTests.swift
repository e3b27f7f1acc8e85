import Foundation
import StrongroomTesting
import Testing

@Suite("What Swift Package Index builds the documentation from")
struct PackageIndexTests {
    private static let root = Documentation.root

    /// The targets that `.spi.yml` names.
    private func targets() throws -> [String] {
        let text = try Documentation.text(of: Self.root.appending(path: ".spi.yml"))
        // More is not read there.
        #expect(text.utf8.count <= 1_500)
        #expect(text.contains("\nversion: 1\nbuilder:\n  configs:\n    - "))
        let list = try #require(text.firstMatch(of: /documentation_targets: \[(.*)\]/)?.1)
        return list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func everyCatalogIsBuilt() throws {
        let sources = Self.root.appending(path: "Sources").path(percentEncoded: false)
        let catalogs = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".docc") }
        let targets = try targets()
        #expect(targets.first == "Strongroom")
        #expect(catalogs.map { $0.split(separator: "/")[0] }.sorted() == targets.sorted().map { Substring($0) })
    }
}
