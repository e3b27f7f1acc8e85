#if os(Linux)
import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// On a file system of 256 KB in memory, which only root can make.
@Suite(
    "A full disk", .enabled(if: SmallDisk.isPossible, "mounting a small file system needs root and the right to mount"))
struct FullDiskTests {
    private let disk: SmallDisk
    private let vault: Vault

    init() throws {
        disk = try SmallDisk()
        vault = Vault("\(disk.path)/files", keys: .numbered(1))
    }

    @Test func aFileThatDoesNotFitIsNotMade() async throws {
        let large = Migrator {
            Migration("1") { db in
                try db.execute("CREATE TABLE line (text)")
                try db.execute("INSERT INTO line VALUES (hex(randomblob(1000000)))")
            }
        }
        let error = try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, large).open() }
        #expect(error.message.contains("diskFull"))
        #expect(error.message.contains("Free space"))
        #expect(try DirectorySnapshot(vault.directory).names == [])
        try await vault.keep("a")
    }

    @Test func aDiskThatIsFullBeforeTheOpeningIsNamed() async throws {
        try disk.fill()
        try await expectFailure(.diskFull, saying: "Free space") { try await vault.open() }
        try disk.empty()
        try await vault.keep("a")
        try disk.fill()
        let named = try await expectFailure(.diskFull) { try await vault.open() }
        #expect(named.message.contains("/disk/files\" is full") && !named.message.contains("was kept"), "\(named)")
        try disk.empty()
        #expect(try await vault.lines() == ["a"])
    }

    @Test func aMigrationThatDoesNotFitLeavesTheVersionBefore() async throws {
        try await vault.keep("a")
        let large = Migrator {
            Migration("1") { _ in }
            Migration("2") { db in try db.execute("INSERT INTO line VALUES ('second')") }
            Migration("3") { db in try db.execute("INSERT INTO line VALUES (hex(randomblob(1000000)))") }
        }
        let error = try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, large).open() }
        #expect(error.message.contains("\"3\""))
        #expect(error.message.contains("diskFull"))
        #expect(try await vault.with(\.migrator, nil).lines() == ["a", "second"])
    }

    @Test func aCommitThatDoesNotFitFailsForAllWhoShareIt() async throws {
        try await vault.keep("a")
        let store = try await vault.with(\.settings, StoreSettings(groupDuration: .seconds(1_000))).open()
        let canEnd = Moment()
        let first = try await store.holdWriter(until: canEnd) { db in
            try db.execute("INSERT INTO line VALUES (hex(randomblob(10000)))")
        }
        // The last one fails by itself: its error is nobody else's.
        let others = try await store.waiting(0..<2) { number in
            try await store.write { db in
                try db.execute("INSERT INTO line VALUES ('other')")
                if number == 1 { try db.execute("INSERT INTO line VALUES (NULL)") }
            }
        }
        try disk.fill()
        canEnd.come()
        for task in [first, others[0]] { try await expectFailure(.diskFull) { try await task.value } }
        try await expectFailure(.constraint) { try await others[1].value }
        try disk.empty()
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('b')") }
        try await store.close()
        #expect(try await vault.lines() == ["a", "b"])
    }

    /// The disk has less space than a copy needs, so none is begun.
    @Test func aRotationThatDoesNotFitIsNotBegun() async throws {
        try await vault.keep("a")
        let rotating = Vault(vault.directory, keys: .numbered(1), .numbered(2)).with(\.settings.rotation, .manual)
        let error = try await rotating.using { store in
            try await expectFailure(.diskFull) { try await store.rotate() }
        }
        #expect(error.message.contains("nothing was changed"), "\(error)")
        let report = try await rotating.with(\.settings.rotation, .onOpen).keep()
        #expect(report.rotationFailure?.code == .diskFull)
        #expect(try DirectorySnapshot(vault.directory).names == ["vault.sqlite"])
        #expect(try await vault.lines() == ["a"])
    }

    /// Its changed pages leave the cache, and are read from the WAL again, which is written in larger pieces.
    @Test func aTransactionThatReadsWhatItHasWrittenEndsWithTheFullDisk() async throws {
        try await vault.keep("a")
        let store = try await vault.with(\.settings, StoreSettings(pageCache: 0)).open()
        let row = String(repeating: "b", count: 2_000)
        try await expectFailure(.diskFull, saying: "Free space") {
            try await store.write { db in
                for count in 1... {
                    try db.execute("INSERT INTO line VALUES (\(row))")
                    let length = try db.value("SELECT sum(length(text)) FROM line", as: Int.self)
                    #expect(length == 1 + 2_000 * count)
                }
            }
        }
        #expect(try await store.value("SELECT group_concat(text) FROM line", as: String.self) == "a")
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('c')") }
        #expect(try await store.verify().isIntact)
        try await store.close()
        #expect(try await vault.lines() == ["a", "c"])
    }

    @Test func aBackupThatDoesNotFitIsNotBegun() async throws {
        let vault = Vault(keys: .numbered(1))
        try await vault.keep("a")
        let error = try await vault.using { store in
            try await expectFailure(.diskFull) { try await store.backup(to: "\(disk.path)/backup.sqlite") }
        }
        #expect(error.message.contains("nothing was changed"), "\(error)")
        #expect(try DirectorySnapshot(disk.path).names == [])
        #expect(try await vault.lines() == ["a"])
    }

    @Test func aBackupIsNotRestoredWhereItDoesNotFit() async throws {
        let directory = try TemporaryDirectory()
        let (vault, backup) = (vault, directory.path("backup.sqlite"))
        try await vault.keep("a")
        _ = try await vault.using { store in try await store.backup(to: backup) }
        try await vault.keep("b")
        try await expectFailure(.diskFull, saying: "nothing was changed") {
            try await Stores(vault).restore("vault.sqlite", from: backup)
        }
        #expect(try await vault.lines() == ["a", "b"])
    }
}
#endif
