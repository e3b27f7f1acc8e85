import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Making a new file")
struct CreationTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path(""), keys: .numbered(1)).with(\.migrator, Self.long()) }

    /// Enough pages for a kill to come in between.
    private static func long(_ pass: @escaping @Sendable (Instant) -> Void = { _ in }) -> Migrator {
        Migrator {
            Migration("1") { db in
                pass(.inTheFirstMigration)
                try db.execute("CREATE TABLE line (text TEXT NOT NULL)")
            }
            Migration("2") { db in
                for number in 0..<30 {
                    if number == 15 { pass(.inTheMiddleOfAMigration) }
                    try db.execute("CREATE TABLE \(name: "table_\(number)") (a, b, c)")
                    try db.execute("INSERT INTO \(name: "table_\(number)") VALUES (randomblob(500), 1, 2)")
                }
            }
            Migration("3") { db in
                try db.execute("INSERT INTO line VALUES ('made')")
                pass(.inTheLastMigration)
            }
        }
    }

    private var names: [String] {
        get throws { try DirectorySnapshot(directory.path(""), ignoring: []).names }
    }

    /// Checks that what a crash left is nothing or a whole database, and that the next opening ends with a whole one
    /// alone.
    private func expectNothingOrAll(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        if FileManager.default.fileExists(atPath: vault.path) {
            #expect(try await vault.lines() == ["made"], sourceLocation: sourceLocation)
        }
        let report = try await vault.keep("after")
        #expect(report.migration?.to == "3", sourceLocation: sourceLocation)
        #expect(try await vault.lines() == ["made", "after"], sourceLocation: sourceLocation)
        #expect(try names == [".vault.sqlite.lock", "vault.sqlite"], sourceLocation: sourceLocation)
    }

    // MARK: Without a crash

    @Test func itMakesTheDirectoriesTheFileAndTheLockFile() async throws {
        let deep = Vault(directory.path("a/b/c"), keys: .numbered(1))
        let store = try await deep.open()
        #expect(store.openReport.outcome == .created)
        #expect(store.path == deep.path)
        try await store.close()
        #expect(try DirectorySnapshot(deep.directory, ignoring: []).names == [".vault.sqlite.lock", "vault.sqlite"])
    }

    @Test func aFileWithoutTablesIsAFileAllTheSame() async throws {
        let bare = vault.with(\.migrator, nil)
        let first = try await bare.open()
        #expect(first.openReport.outcome == .created)
        #expect(first.openReport.migration == nil)
        try await first.close()
        let second = try await bare.open()
        #expect(second.openReport.outcome == .opened)
        #expect(try await second.value("SELECT count(*) FROM sqlite_master", as: Int.self) == 0)
        try await second.close()
    }

    @Test func theReportTellsHowLongEachStepTook() async throws {
        let report = try await vault.keep()
        #expect(report.keyDuration >= .zero)
        #expect(report.migrationDuration > .zero)
        #expect(report.duration >= report.keyDuration + report.migrationDuration)
    }

    @Test func aFailingMigrationLeavesNoFileAndTheNextOpeningWorks() async throws {
        struct Refused: Error {}
        let mayFail = Locked(true)
        let failing = Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE line (text)") }
            Migration("2") { db in
                try db.execute("INSERT INTO line VALUES ('second')")
                if mayFail.withLock({ $0 }) { throw Refused() }
            }
        }
        let vault = vault.with(\.migrator, failing)
        let error = try await expectFailure(.migrationFailed, saying: "\"2\"") { try await vault.open() }
        #expect(error.database == "vault.sqlite")
        #expect(try names == [".vault.sqlite.lock"])
        mayFail.withLock { $0 = false }
        #expect(try await vault.lines() == ["second"])
    }

    @Test func leftoversOfACrashedCreationAreRemoved() async throws {
        for ending in ["new", "new-journal", "new-wal", "new-shm"] {
            try Data("left over".utf8).write(to: URL(filePath: vault.beside(ending)))
        }
        try await expectNothingOrAll()
    }

    @Test(
        "a database of the same family whose name goes on behind that of a new one is left alone",
        arguments: ["new", "lock"])
    func aFileWithTheTemporaryNameIsNotChanged(ending: String) async throws {
        let vault = vault.with(\.migrator, Vault.lines)
        let stores = try Stores(vault)
        let namesake = try await stores.open("vault.sqlite.\(ending)")
        try await namesake.write { db in try db.execute("INSERT INTO line (text) VALUES ('kept')") }
        try await vault.keep("new")
        let kept = try await namesake.value("SELECT text FROM line", as: String.self)
        #expect(kept == "kept")
        try await stores.closeAll()
        let again = try await Stores(vault).open("vault.sqlite.\(ending)")
        #expect(try await again.value("SELECT text FROM line", as: String.self) == "kept")
        try await again.close()
    }

    @Test func aFinishedFileThatWasNotPutInPlaceIsMadeAnew() async throws {
        try await vault.keep("lost")
        try FileManager.default.moveItem(atPath: vault.path, toPath: vault.beside("new"))
        try await expectNothingOrAll()
    }

    @Test func aFileThatWasPutInPlaceButKeptItsFirstNameLosesIt() async throws {
        try await vault.keep()
        try FileManager.default.linkItem(atPath: vault.path, toPath: vault.beside("new"))
        try await expectNothingOrAll()
    }

    @Test func aForeignFileNextToAnExistingDatabaseIsNotChanged() async throws {
        try await vault.keep()
        try Data("somebody's".utf8).write(to: URL(filePath: vault.beside("new")))
        try await vault.keep("a")
        #expect(try Data(contentsOf: URL(filePath: vault.beside("new"))) == Data("somebody's".utf8))
    }

    // MARK: With a crash

    /// Where the process is killed from its own code.
    enum Instant: String, CaseIterable, Codable {
        case asKeysAreGiven, inTheFirstMigration, inTheMiddleOfAMigration, inTheLastMigration, afterOpening
    }

    private static func killed(at instant: Instant, in directory: String) -> Vault {
        @Sendable func pass(_ here: Instant) {
            if here == instant { kill(getpid(), SIGKILL) }
        }
        return Vault(directory) { _ in
            pass(.asKeysAreGiven)
            return try KeyChain(.numbered(1))
        }.with(\.migrator, Self.long(pass))
    }

    @Test(arguments: Instant.allCases)
    func aKillLeavesNothingOrAll(instant: Instant) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = vault.directory as String, instant = instant as Instant] in
            let store = try await Self.killed(at: instant, in: root).open()
            kill(getpid(), SIGKILL)
            try await store.close()
        }
        #expect(FileManager.default.fileExists(atPath: vault.path) == (instant == .afterOpening))
        try await expectNothingOrAll()
    }

    #if os(Linux)
    /// The kernel ends a process whose file would grow beyond a limit: a kill in the middle of writing, at exactly
    /// known places.
    @Test(arguments: [1, 1024, 4096, 8192, 16384, 20000, 24576, 32768] as [UInt])
    func aKillWhileAFileGrowsLeavesNothingOrAll(limit: UInt) async throws {
        await #expect(processExitsWith: .signal(SIGXFSZ)) {
            [root = vault.directory as String, limit = limit as UInt] in
            // In the thread that writes: it may have inherited that the signal is blocked, and the process that it is
            // ignored.
            let migrator = Self.long { instant in
                guard instant == .inTheFirstMigration else { return }
                signal(SIGXFSZ, SIG_DFL)
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGXFSZ)
                pthread_sigmask(SIG_UNBLOCK, &signals, nil)
                limitFileSize(limit)
            }
            try await Vault(root, keys: .numbered(1)).with(\.migrator, migrator).open().close()
        }
        #expect(!FileManager.default.fileExists(atPath: vault.path))
        try await expectNothingOrAll()
    }

    /// The same limit as an error instead of a kill.
    @Test(arguments: [1, 1024, 4096, 16384, 32768] as [UInt])
    func aFailingWriteLeavesNothingAndIsNamed(limit: UInt) async throws {
        await #expect(processExitsWith: .success) { [root = vault.directory as String, limit = limit as UInt] in
            signal(SIGXFSZ, SIG_IGN)
            limitFileSize(limit)
            let vault = Vault(root, keys: .numbered(1)).with(\.migrator, Self.long())
            let error = try await #require(throws: StrongroomError.self) { try await vault.open() }
            #expect([.inputOutput, .diskFull, .migrationFailed].contains(error.code), "\(error)")
            limitFileSize(nil)
            #expect(try DirectorySnapshot(root, ignoring: []).names == [".vault.sqlite.lock"])
        }
        try await expectNothingOrAll()
    }
    #endif

    @Test(arguments: 0..<8)
    func aKillAtAnyTimeLeavesNothingOrAll(step: Int) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = vault.directory as String, step = step as Int] in
            let killer = Thread {
                usleep(UInt32(step * step * 1_000))
                kill(getpid(), SIGKILL)
            }
            killer.start()
            let store = try await Vault(root, keys: .numbered(1)).with(\.migrator, Self.long()).open()
            while true { try await store.write { _ in } }
        }
        try await expectNothingOrAll()
    }
}

#if os(Linux)
/// Limits the size to which the running process can bring a file, in bytes; nil takes the limit away.
private func limitFileSize(_ limit: UInt?) {
    var limits = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
    limits.rlim_cur = limit.map { rlim_t($0) } ?? limits.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
}
#endif
