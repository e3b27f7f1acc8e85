import Foundation
import StrongroomTesting
import Testing

// Internal: a connection without records; where a commit is killed.
@testable import Strongroom

@Suite("Commits of which it is not known what they have written", .ending)
struct ForeignTablesGapTests {
    @Test func aCommitOfAnotherProgramIsToldToAll() async throws {
        let watched = try await WatchedTables()
        try watched.writeWithoutRecords("INSERT INTO a VALUES (1)")
        #expect(try await watched.told() == WatchedTables.all)
        await watched.write(["INSERT INTO a VALUES (1)"])
        #expect(try await watched.told() == ["a"])
        // Between two that are recorded.
        await watched.write(["INSERT INTO a VALUES (1)"])
        try watched.writeWithoutRecords("INSERT INTO b VALUES (1)")
        await watched.write(["INSERT INTO a VALUES (1)"])
        #expect(try await watched.told() == WatchedTables.all)
        try await watched.store.close()
    }

    @Test(.enabled(if: SQLCipherShell.installed != nil, SQLCipherShell.reason))
    func soIsOneOfTheShell() async throws {
        let watched = try await WatchedTables()
        let shell = try LateShell(try #require(SQLCipherShell.installed), watched.vault.path, key: 1)
        await watched.write(["INSERT INTO a VALUES (1)"])
        #expect(try await watched.told() == ["a"])
        #expect(try shell.run("INSERT INTO a VALUES (1);") == "")
        #expect(try await watched.told() == WatchedTables.all)
        try shell.end()
        try await watched.store.close()
    }

    @Test func soIsARestartOfTheLogByAnotherProgram() async throws {
        let watched = try await WatchedTables()
        await watched.write(["INSERT INTO a VALUES (1)"])
        #expect(try await watched.told() == ["a"])
        try watched.writeWithoutRecords("PRAGMA wal_checkpoint(TRUNCATE)")
        await watched.write(["INSERT INTO a VALUES (1)"])
        #expect(try await watched.told() == WatchedTables.all)
        try await watched.store.close()
    }

    /// Kills the process while it publishes a commit.
    private final class Killer: CommitRecorder {
        private let records: CommitRecords?

        /// - Parameter records: Where the commit is recorded first; nil for nowhere.
        init(_ records: CommitRecords?) {
            self.records = records
        }

        func prepare(_ tables: Set<String>) { records?.prepare(tables) }

        func record(_ tables: Set<String>, after position: LogPosition, to newPosition: LogPosition) {
            records?.record(tables, after: position, to: newPosition)
            kill(getpid(), SIGKILL)
        }
    }

    /// The engine then reads the commit from the WAL, or the next writer overwrites it.
    @Test(arguments: [false, true])
    func aProcessThatIsKilledWhileItPublishesHidesNothing(isRecorded: Bool) async throws {
        let watched = try await WatchedTables()
        for round in 1...2 {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [root = watched.vault.directory as String, isRecorded = isRecorded as Bool] in
                let store = try await WatchedTables.vault(root).open()
                let connection = try #require(store.pool.writer.connection)
                let records = try #require(connection.attachments[CommitRecords.self])
                try await store.write { db in try db.execute("INSERT INTO a VALUES (1)") }
                connection.watchCommits(Killer(isRecorded ? records : nil))
                try await store.write { db in try db.execute("INSERT INTO b VALUES (1)") }
            }
            let told = try await watched.told()
            let count = try await watched.store.read { db in try db.value("SELECT count(*) FROM b", as: Int.self) }
            #expect(told.contains("a"))
            // Whether the commit has survived is the engine's decision.
            #expect(told.contains("b") || count == 0, "\(round)")
            await watched.write(["INSERT INTO a VALUES (1)"])
            #expect(try await watched.told() == ["a"])
        }
        try await watched.store.close()
    }

    @Test func aRotationByAnotherProcessIsToldToAll() async throws {
        let watched = try await WatchedTables()
        await #expect(processExitsWith: .success) { [root = watched.vault.directory as String] in
            let store = try await WatchedTables.vault(root).open()
            try await store.write { db in try db.execute("INSERT INTO a VALUES (1)") }
            #expect(try await store.rotate().from == 0)
            try await store.write { db in try db.execute("INSERT INTO a VALUES (1)") }
            try await store.close()
        }
        #expect(try await watched.told() == WatchedTables.all)
        await watched.write(["INSERT INTO b VALUES (1)"])
        #expect(try await watched.told() == ["b"])
        try await watched.store.close()
    }

    // MARK: The file of the records

    private func records(_ watched: WatchedTables) -> URL { URL(filePath: watched.vault.beside("changes")) }

    @Test func itExistsWhileAStoreIsObservedAndHasNoNames() async throws {
        let watched = try await WatchedTables()
        let secret = "parent"
        await watched.write(["INSERT INTO \(secret) VALUES (77)"])
        let bytes = try Data(contentsOf: records(watched))
        #expect(bytes.count > 64 && bytes.range(of: Data(secret.utf8)) == nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: records(watched).path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try await watched.store.close()
        #expect(!FileManager.default.fileExists(atPath: records(watched).path))
        await watched.write(["INSERT INTO a VALUES (1)"])
        #expect(!FileManager.default.fileExists(atPath: records(watched).path))
    }

    @Test func oneThatAKilledProcessHasLeftIsRemoved() async throws {
        let watched = try await WatchedTables()
        try await watched.store.close()
        await #expect(processExitsWith: .signal(SIGKILL)) { [root = watched.vault.directory as String] in
            let store = try await WatchedTables.vault(root).open()
            let observer = ChangeObserver(store.pool.broadcaster, tables: nil)
            #expect(FileManager.default.fileExists(atPath: WatchedTables.vault(root).beside("changes")))
            withExtendedLifetime(observer) { _ = kill(getpid(), SIGKILL) }
        }
        #expect(FileManager.default.fileExists(atPath: records(watched).path))
        try await watched.vault.using { store in
            #expect(!FileManager.default.fileExists(atPath: watched.vault.beside("changes")))
            // Left while the store is open: the next commit removes it.
            await #expect(processExitsWith: .signal(SIGKILL)) { [root = watched.vault.directory as String] in
                let store = try await WatchedTables.vault(root).open()
                let observer = ChangeObserver(store.pool.broadcaster, tables: nil)
                withExtendedLifetime(observer) { _ = kill(getpid(), SIGKILL) }
            }
            #expect(FileManager.default.fileExists(atPath: watched.vault.beside("changes")))
            try await store.write { db in try db.execute("INSERT INTO a VALUES (1)") }
            #expect(!FileManager.default.fileExists(atPath: watched.vault.beside("changes")))
        }
    }

    @Test func aRemovedOneIsMadeAgain() async throws {
        let watched = try await WatchedTables()
        try FileManager.default.removeItem(at: records(watched))
        await watched.write(["INSERT INTO a VALUES (1)"])
        #expect(try await watched.told() == WatchedTables.all)
        await watched.write(["INSERT INTO a VALUES (1)"])
        #expect(try await watched.told() == ["a"])
        try await watched.store.close()
    }

    /// A file that others have put in its place is neither followed nor written, and changes are told to all.
    @Test(arguments: ["link", "second name", "FIFO", "other content"])
    func whatLiesInItsPlaceStaysAsItIs(_ obstacle: String) async throws {
        let watched = try await WatchedTables()
        try await watched.store.close()
        let victim = URL(filePath: watched.directory.path("victim"))
        try Data("victim".utf8).write(to: victim)
        let store = try await watched.vault.open()
        let place = records(watched)
        switch obstacle {
        case "link": try FileManager.default.createSymbolicLink(at: place, withDestinationURL: victim)
        case "second name": try FileManager.default.linkItem(at: victim, to: place)
        case "FIFO": #expect(mkfifo(place.path, 0o600) == 0)
        default: try Data(repeating: 7, count: 30_000).write(to: place)
        }
        let observer = ChangeObserver(store.pool.broadcaster, tables: ["b"]) { _ in }
        try await store.write { db in try db.execute("INSERT INTO own VALUES (1)") }
        #expect(observer.unfinishedRead == nil)
        try watched.writeWithoutRecords("INSERT INTO a VALUES (1)")
        try await store.write { db in try db.execute("INSERT INTO own VALUES (1)") }
        #expect(observer.unfinishedRead != nil)
        #expect(try Data(contentsOf: victim) == Data("victim".utf8))
        if obstacle == "other content" { #expect(try Data(contentsOf: place) == Data(repeating: 7, count: 30_000)) }
        try await store.close()
    }
}
