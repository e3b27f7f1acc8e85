import Foundation
import StrongroomTesting
import Testing

/// A directory with a control file, and the demo run in it.
struct DemoWorkshop {
    static let secret = "Guards the letters of Ada Lovelace"

    static let controlFile = """
        Package: ledger
        Status: install ok installed
        Architecture: amd64
        Version: 1.2-3
        Section: misc
        Installed-Size: 2048
        Maintainer: Ada Lovelace <ada@example.org>
        Depends: libc6 (>= 2.36), abacus | counting-frame
        Description: \(secret)
         A long text about letters.

        Package: abacus
        Status: install ok installed
        Architecture: all
        Version: 0.1
        Installed-Size: 12
        Description: Counts beads for the library of example

        Package: gone
        Status: deinstall ok config-files
        Architecture: all
        Version: 9
        Description: Was removed


        """

    let directory: TemporaryDirectory
    let tool: Tool

    init() throws {
        directory = try TemporaryDirectory()
        tool = try Tool()
        try write(Self.controlFile, to: "status")
    }

    var database: String { directory.path("data/inventory.sqlite") }
    var keyFile: String { directory.path("keys/inventory.keys") }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: directory.path(name)))
    }

    func bytes(_ path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: path))
    }

    func files(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.path(folder)).sorted()) ?? []
    }

    /// Runs the demo on the directory's own files; later arguments win over these.
    func demo(
        _ arguments: String...,
        under prefix: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> Tool.Outcome {
        let own = [
            "demo", "--input", directory.path("status"), "--directory", directory.path("data"), "--key-file", keyFile,
        ]
        return try await tool.run(own + arguments, under: prefix, environment: environment)
    }
}
