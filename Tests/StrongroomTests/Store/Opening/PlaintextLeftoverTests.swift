import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// What a killed restore, export or migration backup left behind, as plaintext: it is overwritten before its name goes.
@Suite struct PlaintextLeftoverTests {
    private static let secret = Data("SQLite format 3\0 and what nobody is to find in the free space of the disk".utf8)

    /// A file that is still open here, so that what became of its bytes can be read when its name is gone.
    private struct Leftover {
        let path: String
        private let handle: FileHandle

        init(_ path: String) throws {
            self.path = path
            try PlaintextLeftoverTests.secret.write(to: URL(filePath: path))
            handle = try #require(FileHandle(forReadingAtPath: path))
        }

        func isGone() throws -> Bool {
            let left = try handle.readToEnd() ?? Data()
            return !FileManager.default.fileExists(atPath: path) && left.allSatisfy { $0 == 0 }
        }
    }

    @Test(arguments: ["new", "restoring", "restored", "snapshot.new"], [false, true])
    func anOpeningOverwritesIt(ending: String, isThere: Bool) async throws {
        let vault = Vault(keys: .numbered(1))
        if isThere { try await vault.keep("line") }
        // A leftover of making a file is looked at only where one is made.
        guard !isThere || ending != "new" else { return }
        let left = try Leftover(vault.beside(ending))
        try await vault.keep("after")
        #expect(try left.isGone())
    }

    @Test func aSalvageOverwritesIt() async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("source"), keys: .numbered(1))
        try await vault.keep("line")
        let left = try Leftover(directory.path(".out.sqlite.new"))
        _ = try await Stores(vault).salvage("vault.sqlite", to: directory.path("out.sqlite"))
        #expect(try left.isGone())
    }
}
