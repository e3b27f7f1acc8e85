import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// A store whose file is removed, renamed or replaced while it is open acknowledges no write.
@Suite("A file that is taken away", .ending)
struct MovedFileTests {
    enum Way: CaseIterable {
        case removed, renamed, replaced

        var code: StrongroomError.Code { self == .replaced ? .fileChanged : .fileMissing }

        func carryOut(_ path: String, _ directory: TemporaryDirectory) throws {
            let files = FileManager.default
            switch self {
            case .removed: try files.removeItem(atPath: path)
            case .renamed: try files.moveItem(atPath: path, toPath: directory.path("other"))
            case .replaced:
                let copy = directory.path("copy")
                try files.copyItem(atPath: path, toPath: copy)
                try #require(rename(copy, path) == 0)
            }
        }
    }

    @Test(arguments: Way.allCases, [WriteKind.shared, .immediate])
    func noWriteIsAcknowledged(way: Way, kind: WriteKind) async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("data"), keys: .numbered(1))
        let store = try await vault.open()
        try await store.write { db in try db.execute("INSERT INTO line (text) VALUES ('before')") }
        try way.carryOut(vault.path, directory)
        for _ in 0..<2 {
            let error = try await expectFailure(way.code) {
                try await store.write(as: kind) { db in try db.execute("INSERT INTO line (text) VALUES ('lost')") }
            }
            #expect(error.message.contains(vault.path) && error.message.contains("Close the store"), "\(error)")
        }
        try? await store.close()
    }

    /// While the writer's transaction runs, so that only its commit can notice it.
    @Test(arguments: Way.allCases)
    func aCommitThatHasBegunIsNotAcknowledged(way: Way) async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("data"), keys: .numbered(1))
        let store = try await vault.open()
        try await store.write { db in try db.execute("INSERT INTO line (text) VALUES ('before')") }
        try await expectFailure(way.code) {
            try await store.write { db in
                try db.execute("INSERT INTO line (text) VALUES ('lost')")
                try way.carryOut(vault.path, directory)
            }
        }
        try? await store.close()
    }

    /// A reader that is opened later must not see another file's rows beside those of the writer.
    @Test(arguments: Way.allCases)
    func aNewConnectionReadsNoOtherFile(way: Way) async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("data"), keys: .numbered(1))
        let store = try await vault.open()
        try await store.write { db in try db.execute("INSERT INTO line (text) VALUES ('before')") }
        try way.carryOut(vault.path, directory)
        let error = try await expectFailure(way.code) {
            try await store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) }
        }
        #expect(!error.message.contains("permissions"), "\(error)")
        try? await store.close()
    }

    @Test func aStoreGoesOnWhenItsFileWasReplacedByItself() async throws {
        let vault = Vault(keys: .numbered(1))
        try await vault.write { db in try db.execute("INSERT INTO line (text) VALUES ('a')") }
        var rotated = vault
        rotated.keyChain = { _ in try KeyChain(.numbered(1), .numbered(2)) }
        try await rotated.using { store in
            _ = try await store.rotate()
            try await store.write { db in try db.execute("INSERT INTO line (text) VALUES ('b')") }
            let count = try await store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) }
            #expect(count == 2)
        }
    }
}
