import Foundation
import StrongroomTesting
import Testing

@Suite(
    "The manifests of the documentation are taken by the package manager",
    .enabled(if: ExampleProgram.isOnPath("swift"), "there is no swift on the PATH"))
struct ManifestTests {
    private static let manifests = Result { try Documentation.examples().filter(\.isManifest) }

    private struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// What the package manager makes of a manifest.
    private func dump(_ manifest: String) async throws -> [String: Any] {
        let directory = try TemporaryDirectory()
        try Data(manifest.utf8).write(to: directory.url.appending(path: "Package.swift"))
        let swift = ExampleProgram(path: "/usr/bin/env")
        let path = directory.url.path(percentEncoded: false)
        let outcome = try await swift.run([
            "swift", "package", "--package-path", path, "--cache-path", directory.path("cache"), "dump-package",
        ])
        guard outcome.status == 0 else { throw Refusal(description: outcome.errors) }
        return try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    }

    /// A manifest, with a dependency of the documentation in place of the one that it has.
    private func manifest(with dependency: String?) throws -> String {
        let whole = try #require(try Self.manifests.get().first { $0.text.contains("dependencies: [.package(path:") })
        guard let dependency else { return whole.text }
        let changed = whole.text.replacing(
            /dependencies: \[\.package\(path: .*\)\],/, with: "dependencies: [\(dependency)],")
        try #require(changed != whole.text)
        return changed
    }

    @Test func eachNamesTheLibraryAsTheManifestOfThisPackageDoes() async throws {
        let manifests = try Self.manifests.get().map(\.text)
        #expect(manifests.count >= 3)
        for manifest in manifests {
            let isWhole = manifest.contains("import PackageDescription")
            let text = isWhole ? manifest : try self.manifest(with: manifest)
            let package = try await dump(text)
            #expect((package["dependencies"] as? [Any])?.count == text.matches(of: /\.package\(/).count)
            #expect((package["targets"] as? [Any])?.count == 1)
            #expect(text.contains(#".product(name: "Strongroom", package: "strongroom")"#))
        }
        let own = try Documentation.text(of: Documentation.root.appending(path: "Package.swift"))
        let package = try await dump(own)
        #expect(package["name"] as? String == "strongroom")
        #expect((package["products"] as? [[String: Any]])?.contains { $0["name"] as? String == "Strongroom" } == true)
        #expect(own.hasPrefix("// swift-tools-version: 6.2"))
    }

    /// The service of the guide has more packages, with the versions that its tests are run with.
    @Test func thePackagesOfTheServiceAreThoseOfItsTests() throws {
        let own = try Documentation.text(of: Documentation.root.appending(path: "Tests/Services/Package.swift"))
        let service = try #require(try Self.manifests.get().first { $0.article == "AnHTTPService.md" })
        let packages = service.text.matches(of: /\.package\(url: "[^"]+", from: "[^"]+"/).map(\.output)
        #expect(packages.count == 4)
        for package in packages { #expect(own.contains(package)) }
    }

    @Test func aWrongOneIsRefused() async throws {
        let text = try manifest(with: ".package(url: 7)")
        let refusal = await #expect(throws: Refusal.self) { try await dump(text) }
        #expect(refusal?.description.contains("no exact matches in call to static method 'package'") == true)
    }
}
