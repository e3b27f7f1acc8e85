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

    /// It looks for the plugin's address in the manifest, finds it, and adds none of its own.
    @Test(
        .enabled(if: ExampleProgram.isOnPath("swift"), "there is no swift on the PATH"),
        arguments: [nil, "STRONGROOM_DOCUMENTATION", "SPI_GENERATE_DOCS"])
    func thePluginComesWithTheVariableThatAsksForIt(variable: String?) async throws {
        let directory = try TemporaryDirectory()
        let swift = ExampleProgram(path: "/usr/bin/env")
        let outcome = try await swift.run(
            (variable.map { ["\($0)=1"] } ?? ["-u", "STRONGROOM_DOCUMENTATION", "-u", "SPI_GENERATE_DOCS"]) + [
                "swift", "package", "--package-path", Self.root.path(percentEncoded: false),
                "--scratch-path", directory.path("build"), "--cache-path", directory.path("cache"), "dump-package",
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("swift-docc-plugin") == (variable != nil))
    }
}
