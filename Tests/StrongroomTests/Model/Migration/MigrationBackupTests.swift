import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Backups from before a migration")
struct MigrationBackupTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault {
        Vault(directory.path(""), keys: .numbered(1)).with(\.settings.migrationBackups, .newest(2))
    }

    /// Steps that write their version as a line.
    private static func migrator(_ newest: Int) -> Migrator {
        Migrator {
            (1...newest).map { number in
                Migration("v \(number)") { db in
                    if number == 1 { try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
                    try db.execute("INSERT INTO line VALUES (\("\(number)"))")
                }
            }
        }
    }

    private func keep(_ newest: Int, _ lines: String...) async throws -> MigrationReport? {
        try await vault.with(\.migrator, Self.migrator(newest)).using { store in
            try await store.write { db in
                for line in lines { try db.execute("INSERT INTO line VALUES (\(line))") }
            }
            return store.openReport.migration
        }
    }

    /// A file at version 2 with a backup of version 1.
    private func keepTwo() async throws {
        _ = try await keep(1, "a")
        _ = try await keep(2)
    }

    private func lines() async throws -> [String] { try await vault.with(\.migrator, nil).lines() }

    @Test func theNewestAreKeptAndEachHoldsWhatTheFileHeld() async throws {
        #expect(try await keep(1, "a")?.backupPath == nil)
        #expect(try await keep(1)?.backupPath == nil)
        let stores = try Stores(vault)
        #expect(try stores.migrationBackups(of: "vault.sqlite") == [])
        for newest in 2...4 {
            let report = try await keep(newest, "after \(newest)")
            #expect(report?.backupPath.map(FileManager.default.fileExists(atPath:)) == true)
        }
        let backups = try stores.migrationBackups(of: "vault.sqlite")
        #expect(backups.map(\.number) == [3, 2])
        #expect(backups.map(\.version) == ["v 3", "v 2"])
        for backup in backups {
            #expect(backup.size > 0 && backup.date.timeIntervalSinceNow < 60)
            let bytes = try Data(contentsOf: URL(filePath: backup.path))
            #expect(Int64(bytes.count) == backup.size && !bytes.starts(with: Data("SQLite format 3".utf8)))
        }
        try await stores.restoreMigrationBackup(of: "vault.sqlite", backups[1])
        #expect(try await lines() == ["1", "a", "2", "after 2"])
        try await stores.restoreMigrationBackup(of: "vault.sqlite")
        #expect(try await lines() == ["1", "a", "2", "after 2", "3", "after 3"])
        // They stay, and the file migrates again.
        #expect(try stores.migrationBackups(of: "vault.sqlite") == backups)
        #expect(try await keep(4)?.applied == ["v 4"])
        #expect(try await lines().last == "4")
    }

    @Test func aLongVersionIsCutAtACharacter() async throws {
        let first = Migration("1" + String(repeating: "é", count: 30)) { db in try db.execute("CREATE TABLE a (x)") }
        let second = Migration("2") { db in try db.execute("CREATE TABLE b (x)") }
        for steps in [[first], [first, second]] {
            try await vault.with(\.migrator, Migrator { steps }).using { _ in }
        }
        let backups = try Stores(vault).migrationBackups(of: "vault.sqlite")
        #expect(backups.map(\.version) == ["1" + String(repeating: "é", count: 19)])
    }

    @Test func goingBackKeepsABackupToo() async throws {
        let migrator = Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
            Migration(
                "2", { db in try db.execute("INSERT INTO line VALUES ('2')") },
                down: { db in try db.execute("DELETE FROM line") })
        }
        try await vault.with(\.migrator, migrator).using { store in
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
            #expect(try await store.migrate(to: "1").backupPath != nil)
            #expect(try await store.migrate(to: "1").backupPath == nil)
        }
        #expect(try await lines() == [])
        #expect(try await Stores(vault).restoreMigrationBackup(of: "vault.sqlite").version == "2")
        #expect(try await lines() == ["2", "a"])
    }

    @Test func aBackupIsMadeAlsoWhenTheMigrationFails() async throws {
        struct Refused: Error {}
        _ = try await keep(1, "a")
        let failing = Migrator {
            Migration("v 1") { db in
                try db.execute("CREATE TABLE line (text TEXT NOT NULL)")
                try db.execute("INSERT INTO line VALUES ('1')")
            }
            Migration("v 2") { _ in throw Refused() }
        }
        try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, failing).open() }
        #expect(try Stores(vault).migrationBackups(of: "vault.sqlite").map(\.version) == ["v 1"])
    }

    @Test func withoutTheSettingNoneIsMade() async throws {
        let without = vault.with(\.settings.migrationBackups, .none)
        for newest in 1...2 {
            let report = try await without.with(\.migrator, Self.migrator(newest)).keep()
            #expect(report.migration?.backupPath == nil)
        }
        #expect(try DirectorySnapshot(vault.directory).names == ["vault.sqlite"])
        try await expectFailure(.fileMissing, saying: "no such migration backup") {
            try await Stores(without).restoreMigrationBackup(of: "vault.sqlite")
        }
    }

    // MARK: Putting back

    @Test func aStoreThatIsOpenIsNotReplaced() async throws {
        try await keepTwo()
        let stores = try Stores(vault.with(\.migrator, Self.migrator(2)))
        let store = try await stores.open("vault.sqlite")
        try await expectFailure(.alreadyOpen) { try await stores.restoreMigrationBackup(of: "vault.sqlite") }
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('b')") }
        try await stores.closeAll()
        #expect(try await lines() == ["1", "a", "2", "b"])
    }

    @Test func aBackupThatIsNotWholeIsRefusedAndTheFileStays() async throws {
        try await keepTwo()
        let backup = try #require(try Stores(vault).migrationBackups(of: "vault.sqlite").first)
        var bytes = try Data(contentsOf: URL(filePath: backup.path))
        bytes[bytes.count - 2_000] ^= 1
        try bytes.write(to: URL(filePath: backup.path))
        let before = try DirectorySnapshot(vault.directory)
        try await expectFailure(.damaged) { try await Stores(vault).restoreMigrationBackup(of: "vault.sqlite") }
        try before.expectUntouched()
    }

    @Test func aBackupOfAKeyThatIsGoneIsRefusedAndTheFileStays() async throws {
        try await keepTwo()
        let rotating = Vault(vault.directory, keys: .numbered(1), .numbered(2))
        try await rotating.with(\.migrator, nil).keep()
        let newKey = Vault(vault.directory, keys: .numbered(2)).with(\.migrator, nil)
        let before = try DirectorySnapshot(vault.directory)
        try await expectFailure(.wrongKey) { try await Stores(newKey).restoreMigrationBackup(of: "vault.sqlite") }
        try before.expectUntouched()
        #expect(try await newKey.lines() == ["1", "a", "2"])
        // With the older key in the chain it is put back, and rotated when it is opened.
        try await Stores(rotating).restoreMigrationBackup(of: "vault.sqlite")
        #expect(try await rotating.with(\.migrator, nil).lines() == ["1", "a"])
        #expect(try await newKey.lines() == ["1", "a"])
    }

    /// A process that is killed leaves rows in the log beside the file.
    private func leaveLog() async {
        await #expect(processExitsWith: .signal(SIGKILL)) { [root = vault.directory as String] in
            let store = try await Vault(root, keys: .numbered(1)).with(\.migrator, nil).open()
            try await store.write { db in
                for number in 0..<200 { try db.execute("INSERT INTO line VALUES (\("\(number)"))") }
            }
            // A store that is released is closed.
            withExtendedLifetime(store) { _ = kill(getpid(), SIGKILL) }
        }
    }

    @Test func theLogOfTheFileIsNotPlayedIntoTheBackup() async throws {
        try await keepTwo()
        await leaveLog()
        #expect(FileManager.default.fileExists(atPath: vault.path + "-wal"))
        try await Stores(vault).restoreMigrationBackup(of: "vault.sqlite")
        #expect(try await lines() == ["1", "a"])
    }

    @Test func aFileThatIsGoneIsRestored() async throws {
        try await keepTwo()
        try FileManager.default.removeItem(atPath: vault.path)
        try await Stores(vault).restoreMigrationBackup(of: "vault.sqlite")
        #expect(try await lines() == ["1", "a"])
    }

    /// A kill in the middle of making or putting back a backup leaves a part of a copy.
    @Test func whatAKilledProcessLeftIsRemovedAndIsNoBackup() async throws {
        try await keepTwo()
        for ending in ["snapshot.new", "snapshot.new-journal", "restoring"] {
            try Data("half".utf8).write(to: URL(filePath: vault.beside(ending)))
        }
        #expect(try Stores(vault).migrationBackups(of: "vault.sqlite").map(\.number) == [1])
        #expect(try await keep(3)?.backupPath?.hasSuffix("snapshot-2-v%202") == true)
        try Data("half".utf8).write(to: URL(filePath: vault.beside("restoring")))
        try await Stores(vault).restoreMigrationBackup(of: "vault.sqlite")
        #expect(try await lines() == ["1", "a", "2"])
        let names = try DirectorySnapshot(vault.directory).names
        #expect(names.sorted() == [".vault.sqlite.snapshot-1-v%201", ".vault.sqlite.snapshot-2-v%202", "vault.sqlite"])
    }

    @Test func filesWithAnEnvelopeKeepIt() async throws {
        let wrapped = vault.with(\.protection, .envelope)
        for newest in 1...2 { try await wrapped.with(\.migrator, Self.migrator(newest)).keep() }
        let keys = try Data(contentsOf: URL(filePath: vault.path + ".keys"))
        try await Stores(wrapped).restoreMigrationBackup(of: "vault.sqlite")
        #expect(try Data(contentsOf: URL(filePath: vault.path + ".keys")) == keys)
        #expect(try await wrapped.with(\.migrator, nil).lines() == ["1"])
    }

    @Test func plaintextFilesHavePlaintextBackups() async throws {
        let plain = Vault(directory.path("plain")) { _ in .plaintext }
            .with(\.settings.migrationBackups, .newest(0))
        for newest in 1...3 { try await plain.with(\.migrator, Self.migrator(newest)).keep() }
        let backups = try Stores(plain).migrationBackups(of: "vault.sqlite")
        #expect(backups.map(\.version) == ["v 2"])
        try await Stores(plain).restoreMigrationBackup(of: "vault.sqlite")
        #expect(try await plain.with(\.migrator, nil).lines() == ["1", "2"])
    }

    @Test func aDatabaseInMemoryHasNone() async throws {
        let memory = vault.with(\.settings, StoreSettings(storage: .memory, migrationBackups: .newest(2)))
        try await memory.with(\.migrator, Self.migrator(2)).using { store in
            #expect(store.openReport.migration?.applied == ["v 1", "v 2"])
            #expect(store.openReport.migration?.backupPath == nil)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: vault.directory) == [])
    }

    @Test func aFileThatAnotherProcessHasOpenIsNotReplaced() async throws {
        try await keepTwo()
        let (isOpen, mayClose) = (directory.path("is-open"), directory.path("may-close"))
        async let other: Void = {
            await #expect(processExitsWith: .success) {
                [root = vault.directory as String, isOpen = isOpen as String, mayClose = mayClose as String] in
                try await Vault(root, keys: .numbered(1)).with(\.migrator, nil).using { _ in
                    try Data().write(to: URL(filePath: isOpen))
                    try await eventually { FileManager.default.fileExists(atPath: mayClose) }
                }
            }
        }()
        try await eventually { FileManager.default.fileExists(atPath: isOpen) }
        try await expectFailure(.locked) { try await Stores(vault).restoreMigrationBackup(of: "vault.sqlite") }
        try Data().write(to: URL(filePath: mayClose))
        await other
        #expect(try await lines() == ["1", "a", "2"])
    }

    // MARK: Kills

    /// When the process is killed, in microseconds after it begins; whatever has been reached by then, the outcome is
    /// one of two.
    static let moments = [500, 2_000, 4_000, 6_000, 8_000, 10_000, 13_000, 17_000, 25_000, 40_000]

    /// Kills this process at a moment.
    private static func killSoon(_ microseconds: Int) {
        Thread.detachNewThread {
            usleep(UInt32(microseconds))
            kill(getpid(), SIGKILL)
        }
    }

    @Test(arguments: moments)
    func aRestorationThatIsKilledLeavesTheFileBeforeOrAfter(moment: Int) async throws {
        try await keepTwo()
        await leaveLog()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = vault.directory as String, moment = moment as Int] in
            let stores = try Stores(Vault(root, keys: .numbered(1)))
            Self.killSoon(moment)
            try await stores.restoreMigrationBackup(of: "vault.sqlite")
            kill(getpid(), SIGKILL)
        }
        let before = ["1", "a", "2"] + (0..<200).map { "\($0)" }
        #expect(try await [["1", "a"], before].contains(lines()))
        try await Stores(vault).restoreMigrationBackup(of: "vault.sqlite")
        #expect(try await lines() == ["1", "a"])
    }

    @Test(arguments: moments)
    func aBackupThatIsKilledIsThereWholeOrNotAtAll(moment: Int) async throws {
        _ = try await keep(1, "a")
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = vault.directory as String, moment = moment as Int] in
            let vault = Vault(root, keys: .numbered(1)).with(\.migrator, Self.migrator(2))
                .with(\.settings.migrationBackups, .newest(2))
            Self.killSoon(moment)
            _ = try await vault.open()
            kill(getpid(), SIGKILL)
        }
        let stores = try Stores(vault.with(\.migrator, nil))
        let backups = try stores.migrationBackups(of: "vault.sqlite")
        #expect(try await [["1", "a"], ["1", "a", "2"]].contains(lines()))
        for backup in backups {
            try await stores.restoreMigrationBackup(of: "vault.sqlite", backup)
            #expect(try await lines() == ["1", "a"])
        }
        #expect(try await keep(2)?.to == "v 2")
        #expect(try DirectorySnapshot(vault.directory).names.allSatisfy { !$0.contains(".new") })
    }
}
