import Foundation
import StrongroomTesting
import Testing

// Internal: the last moment before a file is replaced, and what is kept of it, cannot be reached through the public
// interface.
@testable import Strongroom

/// Programs that do not know the library's lock open a file while it is about to be replaced.
@Suite("Late openers", .ending)
struct LateOpenerTests {
    private let directory = TemporaryDirectory.ofSuite()
    private let numbers = Locked<[UInt8]>([1])
    private var vault: Vault { Vault(directory.path(""), numbers: numbers).with(\.migrator, nil) }

    init() async throws {
        try await Vault(directory.path(""), numbers: numbers).write { db in
            for number in 0..<500 { try db.execute("INSERT INTO line VALUES (\("before \(number)"))") }
        }
    }

    private var file: DatabaseFile { DatabaseFile(path: vault.path, name: "vault", busyTimeout: 0, log: nil) }

    /// What is confirmed after the file was replaced; the schema changes, so that the log has the first page.
    private func change(_ store: Store) async throws {
        try await store.write { db in
            try db.execute("UPDATE line SET text = 'after ' || rowid")
            try db.execute("CREATE TABLE further (x)")
            try db.execute("INSERT INTO further VALUES (1)")
        }
    }

    private func expectChanged(_ store: Store) async throws {
        let (rows, further) = try await store.read { db in
            (
                try db.value("SELECT count(*) FROM line WHERE text LIKE 'after %'", as: Int.self),
                try db.value("SELECT count(*) FROM further", as: Int.self)
            )
        }
        #expect(rows == 500 && further == 1)
    }

    private func expectNothingLost(_ store: Store) async throws {
        try await expectChanged(store)
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('last')") }
        try await expectChanged(store)
        #expect(try await store.verify().isIntact)
        try await store.close()
        try await vault.using { again in
            try await expectChanged(again)
            #expect(try await again.verify().isIntact)
        }
        #expect(try await vault.lines().last == "last")
    }

    private static let attacks = [
        "SELECT count(*) FROM line;", "PRAGMA wal_checkpoint;", "INSERT INTO line VALUES ('late');",
        "PRAGMA wal_checkpoint(TRUNCATE);",
    ]

    /// What a late opener tries while a store is open; it closes the file as the last.
    private func attack(_ late: LateShell, _ store: Store) async throws {
        try await change(store)
        for sql in Self.attacks {
            let errors = try late.run(sql)
            #expect(errors.contains("not a database") || errors.contains("locked"), "\(sql) gave \"\(errors)\"")
            try await expectChanged(store)
        }
        try late.end()
    }

    @Test(.enabled(if: SQLCipherShell.installed != nil, SQLCipherShell.reason))
    func oneThatOpensTheFileWhileItIsCopiedLosesItAndNothingIsLost() async throws {
        let shell = try #require(SQLCipherShell.installed)
        let store = try await vault.open()
        numbers.withLock { $0.append(2) }
        let late = Locked<LateShell?>(nil)
        let report = try await store.rotate { [vault] progress in
            guard progress.phase == .writing else { return }
            late.withLock { late in
                guard late == nil else { return }
                late = try? LateShell(shell, vault.path, key: 1)
                #expect((try? late?.run("SELECT count(*) FROM line;"))?.contains("locked") == true)
            }
        }
        #expect(report.isRotated)
        try await attack(try #require(late.withLock { $0 }), store)
        try await expectNothingLost(store)
        #expect(try DirectorySnapshot(directory.path("")).names == ["vault.sqlite"])
    }

    /// Where the system does not tell who has a file open, or in the last moment, only the former file itself keeps it
    /// out.
    @Test(.enabled(if: SQLCipherShell.installed != nil, SQLCipherShell.reason), arguments: [false, true])
    func oneThatOpensTheFileInTheLastMomentIsKeptFromTheNewOne(isPlaintext: Bool) async throws {
        let shell = try #require(SQLCipherShell.installed)
        let from = isPlaintext ? nil : try DerivedKey(.numbered(1), salt: salt(), settings: .engineDefault())
        if isPlaintext { try makePlaintext() }
        let to = try DerivedKey(
            .numbered(2), salt: from == nil ? CipherSettings.randomSalt() : salt(), settings: .engineDefault())
        let late = Locked<LateShell?>(nil)
        let verifications = Locked(0)
        var monitor = WorkMonitor { progress in
            if progress.phase == .verifying, progress.done == progress.total { verifications.withLock { $0 += 1 } }
        }
        monitor.isCancelled = { [vault] in
            // The pages, then the rows; it is asked once more, when it has been looked for the last time who has the
            // file.
            let isLast =
                isPlaintext
                ? FileManager.default.fileExists(atPath: vault.beside("plaintext"))
                : verifications.withLock { $0 == 2 }
            guard isLast else { return false }
            late.withLock { late in
                if late == nil { late = try? LateShell(shell, vault.path, key: isPlaintext ? nil : 1) }
            }
            return false
        }
        let outcome = try Rotation(
            file: file, from: from, to: to, patience: .zero, monitor: monitor, whenReplaced: {}
        ).run()
        #expect(outcome.method == .copy)
        #expect(ReplacedFile.isHeld(vault.path))
        numbers.withLock { $0 = [2] }
        let store = try await vault.open()
        try await attack(try #require(late.withLock { $0 }), store)
        try await expectIsReleased()
        try await expectNothingLost(store)
    }

    /// As a restored file has it: with the former file's key.
    @Test(.enabled(if: SQLCipherShell.installed != nil, SQLCipherShell.reason))
    func oneThatHasTheRestoredFilesKeyIsKeptFromIt() async throws {
        let shell = try #require(SQLCipherShell.installed)
        let copy = directory.path(".copy")
        try FileManager.default.copyItem(atPath: vault.path, toPath: copy)
        let key = try DerivedKey(.numbered(1), salt: salt(), settings: .engineDefault())
        let source = try #require(try file.connectExclusively(key: key))
        try source.mergeLog {}
        let late = try LateShell(shell, vault.path, key: 1)
        #expect(try late.run("SELECT count(*) FROM line;").contains("locked"))
        #expect(try file.isOpenedMeanwhile(since: 1))
        try await onThread { [vault] in
            let former = try ReplacedFile(vault.path)
            try FileSystem.replace(vault.path, with: copy)
            try former.invalidate()
            source.close()
            try former.retire()
        }
        let store = try await vault.open()
        try await attack(late, store)
        try await expectNothingLost(store)
    }

    @Test func oneOfThisProcessLosesTheFileToo() async throws {
        let store = try await vault.open()
        numbers.withLock { $0.append(2) }
        let key = try DerivedKey(.numbered(1), salt: store.file.context().file.salt(), settings: .engineDefault())
        let late = Locked<Connection?>(nil)
        let report = try await store.rotate { [file] progress in
            guard progress.phase == .writing else { return }
            late.withLock { late in
                if late == nil { late = try? file.connect(.existing, key: key) }
            }
        }
        #expect(report.isRotated)
        try await change(store)
        let connection = try #require(late.withLock { $0 })
        #expect(throws: StrongroomError.self) { try connection.proveKey() }
        #expect(throws: StrongroomError.self) { try connection.run("INSERT INTO line VALUES ('late')") }
        connection.close()
        try await expectNothingLost(store)
    }

    @Test func aFileWithAnotherNameIsNotSpoiled() async throws {
        let other = directory.path("other")
        try FileManager.default.linkItem(atPath: vault.path, toPath: other)
        let before = try Data(contentsOf: URL(filePath: other))
        let former = try ReplacedFile(vault.path)
        #expect(try former.lock())
        try FileManager.default.removeItem(atPath: vault.path)
        try former.invalidate()
        try former.retire()
        #expect(try Data(contentsOf: URL(filePath: other)) == before)
        try await expectIsReleased()
    }

    /// A process that another test has just forked has the file open until it runs its program.
    private func expectIsReleased() async throws {
        try await eventually {
            ReplacedFile.prune()
            return !ReplacedFile.isHeld(vault.path)
        }
    }

    #if os(Linux)
    /// Another process can rotate the file while a connection is opened that has no lock yet.
    @Test func aConnectionThatWasOpenedToTheFormerFileIsOpenedAnew() async throws {
        let salt = try salt()
        let keys = try (1...2 as ClosedRange<UInt8>).map {
            try DerivedKey(.numbered($0), salt: salt, settings: .engineDefault())
        }
        let context = try StoreContext(DatabaseName("vault.sqlite"), vault, in: .disk).located()
        let (databaseKeys, unlocked) = try context.unlock(FileContent.of(vault.path), KeyChain(.numbered(1)))
        unlocked.connection.close()
        let opened = StoreFile(context, databaseKeys, unlocked)
        let source = try #require(try file.connectExclusively(key: keys[0]))
        try source.mergeLog {}
        let connecting = Task { try await onThread { try opened.connect(as: .reader) } }
        try await eventually { try FileHolders.descriptorsHere(vault.path) == 2 }
        numbers.withLock { $0 = [2] }
        try replace(source, key: keys[1])
        let connection = try await connecting.value
        defer { connection.close() }
        #expect(!connection.hasMoved)
        #expect(try connection.ownValue("SELECT count(*) FROM line") == .integer(500))
    }

    /// Puts the file in its place with another key, as a library would that does not invalidate the former one.
    private func replace(_ source: Connection, key: DerivedKey) throws {
        let copy = directory.path(".copy")
        let target = DatabaseFile(path: copy, name: "copy", busyTimeout: 0, log: nil)
        _ = try PlainFile(creating: copy)
        let connection = try target.connect(.existing, key: key)
        try source.inSnapshot { try connection.copyPages(from: source, pagesAtOnce: 1_000) { _, _ in } }
        connection.close()
        try FileSystem.replace(vault.path, with: copy)
        source.close()
    }
    #endif

    private func salt() throws -> [UInt8] { try FileSystem.firstBytes(of: vault.path, CipherSettings.saltLength) }

    private func makePlaintext() throws {
        try FileManager.default.removeItem(atPath: vault.path)
        _ = try PlainFile(creating: vault.path)
        let connection = try file.connect(.existing, key: nil)
        defer { connection.close() }
        try connection.run("CREATE TABLE line (text TEXT NOT NULL)")
        try connection.run("BEGIN")
        for number in 0..<500 { try connection.run("INSERT INTO line VALUES ('before \(number)')") }
        try connection.run("COMMIT")
    }
}
