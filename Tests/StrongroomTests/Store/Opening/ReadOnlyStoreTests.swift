import Foundation
// Internal: a connection past the store, as another program has one.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Files that are opened read-only")
struct ReadOnlyStoreTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path("data"), keys: .numbered(1)) }
    private var reading: Vault { vault.with(\.settings.isReadOnly, true) }

    init() async throws { try await vault.keep("a", "b") }

    /// A vault with other keys that only reads.
    private static func reading(_ root: String, _ keys: UInt8...) -> Vault {
        Vault(root, numbers: keys).with(\.settings.isReadOnly, true)
    }

    /// As another program leaves the file.
    private func setJournalMode(_ mode: String) throws {
        let other = try vault.connection()
        defer { other.close() }
        #expect(try other.ownValue("PRAGMA journal_mode = \(mode)") == .text(mode.lowercased()))
    }

    /// Everything in the directory, whose lock file is gone: reading is to make none.
    private func snapshot() throws -> DirectorySnapshot {
        try? FileManager.default.removeItem(atPath: vault.beside("lock"))
        return try DirectorySnapshot(vault.directory, ignoring: [])
    }

    @Test(arguments: ["WAL", "DELETE"])
    func aFileIsReadAndNothingIsChangedOrLeft(mode: String) async throws {
        try setJournalMode(mode)
        let before = try snapshot()
        try await reading.using { store in
            #expect(store.openReport.outcome == .opened && store.openReport.migration == nil)
            for _ in 0..<20 {
                #expect(try await store.lineCount() == 2)
            }
            #expect(try await store.verify().isIntact)
            #expect(try await store.backup(to: directory.path("copies/\(mode).sqlite")).rows >= 2)
            try await store.exportPlaintext(to: directory.path("copies/\(mode)-plaintext.sqlite"))
        }
        try before.expectUntouched()
        #expect(try await vault.lines() == ["a", "b"])
    }

    @Test func whateverWritesIsRefused() async throws {
        let before = try snapshot()
        let store = try await reading.open()
        let refused: [@Sendable () async throws -> Void] = [
            { _ = try await store.write { db in try db.execute("DELETE FROM line") } },
            { try await store.write(as: .immediate) { _ in } },
            { try await onThread { try store.write { _ in () } } },
            { _ = try await store.rotate() }, { _ = try await store.migrate() }, { _ = try await store.checkpoint() },
            { try await store.vacuum() }, { try await store.optimize() },
            { _ = try await store.addKey(.numbered(2)) }, { _ = try await store.recoveryKey() },
            { _ = try await store.dryRun() },
            { _ = try await store.write { db in try Contact.insert(Contact(name: "x"), in: db) } },
        ]
        for write in refused {
            let error = try await expectFailure(.readOnly, saying: "isReadOnly") { try await write() }
            #expect(error.database == "vault.sqlite")
        }
        try await store.releaseMemory()
        try await store.close()
        #expect(store.closeReport == nil)
        try await expectFailure(.closed) { try await store.write { _ in () } }
        let stores = try Stores(reading)
        try await expectFailure(.readOnly) { try await stores.restoreMigrationBackup(of: "vault.sqlite") }
        try await expectFailure(.readOnly) { try await stores.restore("vault.sqlite", from: directory.path("copy")) }
        try await expectFailure(.readOnly) { try await stores.remove("vault.sqlite") }
        #expect(try stores.migrationBackups(of: "vault.sqlite").isEmpty)
        try before.expectUntouched()
    }

    @Test func anOlderKeyAndAnOlderSchemaStay() async throws {
        let two = Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
            Migration("2") { db in try db.execute("DELETE FROM line") }
        }
        let before = try snapshot()
        let newer = Self.reading(vault.directory, 1, 2).with(\.migrator, two)
        try await newer.using { store in
            #expect(store.openReport.key?.isCurrent == false)
            #expect(store.openReport.rotation == nil && store.openReport.migration == nil)
            let plan = try await store.migrationPlan()
            #expect(plan.to == "2")
        }
        #expect(try await newer.lines() == ["a", "b"])
        try before.expectUntouched()
        let other = reading.with(\.migrator, Migrator { Migration("another") { _ in } })
        try await expectFailure(.newerSchema) { try await other.open() }
        try await expectFailure(.wrongKey) {
            try await Self.reading(vault.directory, 9).open()
        }
        try before.expectUntouched()
    }

    @Test func aFileThatIsNotThereIsNotMade() async throws {
        let elsewhere = Vault(directory.path("elsewhere"), keys: .numbered(1)).with(\.settings.isReadOnly, true)
        try await expectFailure(.fileMissing) { try await elsewhere.open() }
        #expect(!FileManager.default.fileExists(atPath: elsewhere.directory))
        try FileManager.default.createDirectory(atPath: elsewhere.directory, withIntermediateDirectories: false)
        try await expectFailure(.fileMissing) { try await elsewhere.open() }
        #expect(try DirectorySnapshot(elsewhere.directory, ignoring: []).names == [])
    }

    @Test func plaintextIsReadToo() async throws {
        let plain = Vault(directory.path("plain")) { _ in .plaintext }
        try await plain.keep("p")
        #expect(try await plain.with(\.settings.isReadOnly, true).lines() == ["p"])
        try await expectFailure(.plaintextFile) {
            try await Self.reading(directory.path("plain"), 1).open()
        }
    }

    @Test func aStoreInMemoryIsWrittenAllTheSame() async throws {
        let store = try await reading.with(\.settings.storage, .memory).open()
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('m')") }
        let written = try await store.value("SELECT group_concat(text) FROM line", as: String.self)
        #expect(written == "m")
        try await store.close()
        // The file that a configuration of the same name has is neither read nor written.
        #expect(try await reading.lines() == ["a", "b"])
    }

    // MARK: With what a killed process left

    @Test func theLogOfAKilledProcessIsReadAndStays() async throws {
        await vault.leaveLog()
        let before = try DirectorySnapshot(vault.directory)
        #expect(before.names.contains("vault.sqlite-wal"))
        for _ in 0..<2 { #expect(try await reading.lines() == ["a", "b", "in the log"]) }
        try await reading.using { store in
            #expect(try await store.verify().isIntact)
            _ = try await store.backup(to: directory.path("copies/log.sqlite"))
            try await store.exportPlaintext(to: directory.path("copies/log-plaintext.sqlite"))
        }
        try before.expectUntouched()
        #expect(try await vault.lines() == ["a", "b", "in the log"])
    }

    /// Leaves a file in the middle of a transaction, half of it written, with the journal by which it is undone.
    private func leaveAJournal() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [root = vault.directory as String] in
            let other = try Vault(root, keys: .numbered(1)).connection()
            try other.run("PRAGMA journal_mode = DELETE")
            // Pages leave the cache before the commit.
            try other.run("PRAGMA cache_size = 1")
            try other.run("BEGIN IMMEDIATE")
            try other.run("UPDATE line SET text = 'changed'")
            for _ in 0..<8 { try other.run("INSERT INTO line SELECT hex(randomblob(2000)) FROM line") }
            kill(getpid(), SIGKILL)
        }
        #expect(try FileSystem.hasJournal(vault.path))
    }

    @Test func anUnfinishedTransactionIsRolledBackOnlyWithTheRightKey() async throws {
        let whole = try Data(contentsOf: URL(filePath: vault.path))
        try await leaveAJournal()
        #expect(try Data(contentsOf: URL(filePath: vault.path)) != whole)
        let before = try DirectorySnapshot(vault.directory)
        let stranger = Self.reading(vault.directory, 9, 8)
        try await expectFailure(.wrongKey) { try await stranger.open() }
        try await expectFailure(.wrongKey) { try await Stores(stranger).survey(DatabaseName("vault.sqlite")) }
        try before.expectUntouched()
        #expect(try await reading.lines() == ["a", "b"])
    }

    // MARK: Where nothing can be written

    /// Makes the running process an ordinary user's, if it is root's, until ``becomeRoot()``.
    private static func giveUpPrivileges() throws {
        guard getuid() == 0 else { return }
        try #require(seteuid(65534) == 0)
    }

    private static func becomeRoot() throws {
        guard getuid() == 0 else { return }
        try #require(seteuid(0) == 0)
    }

    /// Lets everybody read the files, and nobody but their owner write.
    private func lockDirectory() throws {
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: vault.directory) {
            try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: "\(vault.directory)/\(name)")
        }
        for path in [directory.path(""), vault.directory] {
            try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: path)
        }
    }

    private func unlockDirectory() throws {
        for path in [directory.path(""), vault.directory] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
    }

    @Test(arguments: ["WAL", "DELETE"])
    func aFileOnADiskThatCannotBeWrittenIsRead(mode: String) async throws {
        try setJournalMode(mode)
        try lockDirectory()
        let before = try DirectorySnapshot(vault.directory, ignoring: [])
        await #expect(processExitsWith: .success) { [root = vault.directory as String] in
            try Self.giveUpPrivileges()
            let reading = Self.reading(root, 1)
            #expect(try await reading.lines() == ["a", "b"])
            let copies = try TemporaryDirectory()
            try await reading.using { store in
                #expect(try await store.verify().isIntact)
                _ = try await store.backup(to: copies.path("copy.sqlite"))
                try await store.exportPlaintext(to: copies.path("plaintext.sqlite"))
            }
            let stranger = Self.reading(root, 9)
            try await expectFailure(.wrongKey) { try await stranger.open() }
        }
        try before.expectUntouched()
        try unlockDirectory()
    }

    @Test(arguments: ["WAL", "DELETE"])
    func aFileThatCannotBeWrittenGetsNoLogInADirectoryThatCan(mode: String) async throws {
        try setJournalMode(mode)
        try lockDirectory()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: vault.directory)
        let before = try DirectorySnapshot(vault.directory, ignoring: [])
        await #expect(processExitsWith: .success) { [root = vault.directory as String, mode = mode as String] in
            try Self.giveUpPrivileges()
            let store = try await Self.reading(root, 1).open()
            #expect(try await store.lineCount() == 2)
            // Where a lock leaves nothing behind it is taken.
            let isLocked = try await store.pool.perform(.read) { $0.mode == .readOnly }
            #expect(isLocked == (mode == "DELETE"))
            try await store.close()
        }
        try before.expectUntouched()
    }

    /// What another program does to a file that nobody can lock.
    enum Change: String, CaseIterable, Codable {
        case longer, overwritten, replaced, log
    }

    @Test(arguments: Change.allCases)
    func aChangeWhereNothingCanBeLockedIsNoticed(change: Change) async throws {
        try lockDirectory()
        await #expect(processExitsWith: .success) { [root = vault.directory as String, change = change as Change] in
            try Self.giveUpPrivileges()
            let reading = Self.reading(root, 1)
            let store = try await reading.open()
            #expect(try await store.lineCount() == 2)
            try Self.becomeRoot()
            try Self.make(change, reading.path)
            try Self.giveUpPrivileges()
            for _ in 0..<2 {
                // One connection is open already, and one is opened for it.
                try await withThrowingTaskGroup { group in
                    for _ in 0..<2 {
                        group.addTask {
                            try await expectFailure(.fileChanged, saying: "open it again") {
                                try await store.lineCount()
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            try await store.close()
        }
        try unlockDirectory()
    }

    /// Nothing that is copied changes, so only the check of the file itself can notice it.
    @Test func aBackupOfAFileThatChangesWithoutLocksIsNotKept() async throws {
        try lockDirectory()
        await #expect(processExitsWith: .success) { [root = vault.directory as String] in
            try Self.giveUpPrivileges()
            let place = try TemporaryDirectory()
            let reading = Self.reading(root, 1)
            let store = try await reading.open()
            let isFirst = Once()
            try await expectFailure(.fileChanged) {
                _ = try await store.backup(to: place.path("copy.sqlite")) { _ in
                    guard isFirst() else { return }
                    do {
                        try Self.becomeRoot()
                        try Self.make(.log, reading.path)
                        try Self.giveUpPrivileges()
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            #expect(!FileManager.default.fileExists(atPath: place.path("copy.sqlite")))
            try await store.close()
        }
        try unlockDirectory()
    }

    /// Root may; whoever else runs the tests owns the file, and gives itself the rights.
    private static func make(_ change: Change, _ path: String) throws {
        let directory = String(path.dropLast("/vault.sqlite".count))
        func permit(_ file: Int, _ directoryMode: Int) throws {
            guard getuid() != 0 else { return }
            try FileManager.default.setAttributes([.posixPermissions: directoryMode], ofItemAtPath: directory)
            try FileManager.default.setAttributes([.posixPermissions: file], ofItemAtPath: path)
        }
        try permit(0o644, 0o755)
        defer { try? permit(0o444, 0o555) }
        switch change {
        case .longer, .overwritten:
            let handle = try #require(FileHandle(forUpdatingAtPath: path))
            if change == .longer { try handle.seekToEnd() } else { try handle.seek(toOffset: 16) }
            try handle.write(contentsOf: Data(repeating: 7, count: 1_024))
            try handle.close()
        case .replaced:
            try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
            try #require(rename(path + ".copy", path) == 0)
        case .log:
            try Data(repeating: 7, count: 1_024).write(to: URL(filePath: path + "-wal"))
        }
    }

    @Test(arguments: [false, true])
    func aLogThatCannotBeReadWhereItLiesIsNamed(hasIndex: Bool) async throws {
        await vault.leaveLog()
        if !hasIndex { try FileManager.default.removeItem(atPath: vault.path + "-shm") }
        try lockDirectory()
        let before = try DirectorySnapshot(vault.directory, ignoring: [])
        await #expect(processExitsWith: .success) { [root = vault.directory as String, hasIndex = hasIndex as Bool] in
            try Self.giveUpPrivileges()
            let reading = Self.reading(root, 1)
            // From SQLite 3.22 on an index that cannot be written is enough to read.
            if try hasIndex && EngineFeatures.current().sqliteVersionNumber >= 3_022_000 {
                #expect(try await reading.lines() == ["a", "b", "in the log"])
                let store = try await reading.open()
                let error = try await expectFailure(.permissionDenied) { try await store.verify() }
                #expect(error.message.contains("to a directory that may be written"), "\(error)")
                try await store.close()
            } else {
                try await expectFailure(.permissionDenied, saying: "Copy both") { try await reading.open() }
            }
        }
        try before.expectUntouched()
        try unlockDirectory()
    }

    // MARK: Beside others

    @Test(arguments: [false, true])
    func whatAnotherProcessWritesIsReadAndItsLogStays(isKilled: Bool) async throws {
        let store = try await reading.open()
        #expect(try await store.lineCount() == 2)
        await #expect(processExitsWith: isKilled ? .signal(SIGKILL) : .success) {
            [root = vault.directory as String, isKilled = isKilled as Bool] in
            let other = try await Vault(root, keys: .numbered(1)).open()
            try await other.write { db in try db.execute("INSERT INTO line VALUES ('c')") }
            if isKilled { kill(getpid(), SIGKILL) }
            try await other.close()
        }
        #expect(try await store.lineCount() == 3)
        // Their size and time: to read them would drop the store's locks.
        let logged = try FileStatus.at(vault.path + "-wal")?.size ?? 0
        let before = try FileStatus.at(vault.path)
        try await store.close()
        #expect(try FileStatus.at(vault.path) == before)
        #expect(try (FileStatus.at(vault.path + "-wal")?.size ?? 0) == logged)
        #expect((logged > 0) == isKilled)
        #expect(try await vault.lines() == ["a", "b", "c"])
    }

    /// - Parameter hasLog: Whether a log lies there, beside which the store cannot take a lock.
    @Test(arguments: [false, true])
    func aFileThatAnotherProcessRotatesIsReadWithItsNewKey(hasLog: Bool) async throws {
        if hasLog { await vault.leaveLog() }
        let store = try await Self.reading(vault.directory, 1, 2).open()
        #expect(try await store.lineCount() == (hasLog ? 3 : 2))
        await #expect(processExitsWith: .success) { [root = vault.directory as String] in
            let keys = Vault(root) { _ in try KeyChain(.numbered(1), .numbered(2)) }
            let other = try await keys.open()
            #expect(other.openReport.key?.position == 1, "\(other.openReport)")
            try await other.close()
        }
        let report = try await store.verify()
        #expect(report.isIntact, "\(report)")
        #expect(try await store.lineCount() == (hasLog ? 3 : 2))
        try await store.close()
    }

    @Test func aFileThatIsReplacedIsNoticed() async throws {
        try setJournalMode("DELETE")
        let copy = try Data(contentsOf: URL(filePath: vault.path))
        let store = try await reading.open()
        #expect(try await store.lineCount() == 2)
        try copy.write(to: URL(filePath: directory.path("copy.sqlite")))
        try #require(rename(directory.path("copy.sqlite"), vault.path) == 0)
        try await expectFailure(.fileChanged, saying: "has replaced") { try await store.lineCount() }
        try await store.close()
        #expect(try await reading.lines() == ["a", "b"])
    }

    @Test func pagesAreCheckedAsTheyWereBeforeAnotherWrites() async throws {
        let other = try vault.connection()
        try other.run("INSERT INTO line VALUES ('in the log')")
        let store = try await reading.open()
        let isFirst = Once()
        let report = try await store.verify { _ in
            guard isFirst() else { return }
            // As another program at this moment.
            do {
                try other.run("INSERT INTO line VALUES ('meanwhile')")
                try other.run("PRAGMA wal_checkpoint(PASSIVE)")
            } catch {
                Issue.record(error)
            }
        }
        #expect(report.isIntact && !isFirst(), "\(report)")
        #expect(try await store.verify().isIntact)
        try await store.close()
        other.close()
        #expect(try await vault.lines() == ["a", "b", "in the log", "meanwhile"])
    }
}
