import Foundation
// Internal: the source file with everything that a copy may lose.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Restoring a backup", .ending)
struct RestoreBackupTests {
    private let fixture: CopyFixture
    private var directory: TemporaryDirectory { fixture.directory }
    private var vault: Vault { fixture.vault }
    private var backup: String { directory.path("backup.sqlite") }
    private var left: [String] { get throws { try CopyFixture.names(in: vault.directory) } }

    init() throws { fixture = try CopyFixture() }

    @Test(arguments: [nil, Key.numbered(9), .passphrase("another")])
    func everythingComesBack(key: Key?) async throws {
        let content = try await vault.content()
        try await vault.backUp(to: backup, key: key)
        let bytes = try Data(contentsOf: URL(filePath: backup))
        try await vault.write { db in _ = try db.execute("DELETE FROM line") }
        let keys = try key.map { try KeyChain($0) }
        let report = try await Stores(vault).restore("vault.sqlite", from: backup, keys: keys)
        #expect(report.rows > 10 && report.path == vault.path)
        #expect(try left == ["vault.sqlite"])
        #expect(try await vault.content() == content)
        // The backup itself is only read.
        #expect(try Data(contentsOf: URL(filePath: backup)) == bytes)
        #expect(try CopyFixture.names(in: directory.path("")) == ["backup.sqlite", "source"])
        // Where no database is yet.
        let other = Vault(directory.path("new"), keys: .numbered(5)).with(\.migrator, nil)
        try await Stores(other).restore("vault.sqlite", from: backup, keys: keys ?? KeyChain(.numbered(1)))
        #expect(try await other.content() == content)
        let attributes = try FileManager.default.attributesOfItem(atPath: other.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func whatIsWrongWithTheBackupLeavesTheDatabase() async throws {
        try await vault.backUp(to: backup, key: .numbered(9))
        let before = try Data(contentsOf: URL(filePath: vault.path))
        let stores = try Stores(vault)
        @Sendable func restore(_ path: String, _ keys: KeyChain? = nil) async throws {
            try await stores.restore("vault.sqlite", from: path, keys: keys)
        }
        try await expectFailure(.wrongKey) { try await restore(backup) }
        try await expectFailure(.fileMissing) { try await restore(directory.path("none")) }
        try await expectFailure(.notAFile) { try await restore(directory.path("source")) }
        try await expectFailure(.alreadyOpen) { try await restore(vault.path) }
        var bytes = try Data(contentsOf: URL(filePath: backup))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: directory.path("flipped")))
        try await expectFailure(.damaged, saying: "The backup \"\(directory.path("flipped"))\"") {
            try await restore(directory.path("flipped"), KeyChain(.numbered(9)))
        }
        // An engine of version 3 takes a page of zeros for sound.
        var zeroed = try Data(contentsOf: URL(filePath: backup))
        let pageSize = try CipherSettings.engineDefault().pageSize
        zeroed.replaceSubrange(zeroed.count - 2 * pageSize..<zeroed.count - pageSize, with: Data(count: pageSize))
        try zeroed.write(to: URL(filePath: directory.path("zeroed")))
        try await expectFailure(.damaged) { try await restore(directory.path("zeroed"), KeyChain(.numbered(9))) }
        try bytes.prefix(bytes.count / 2 + 100).write(to: URL(filePath: directory.path("cut")))
        let cut = await #expect(throws: StrongroomError.self) {
            try await restore(directory.path("cut"), KeyChain(.numbered(9)))
        }
        #expect(cut.map { [.truncated, .damaged].contains($0.code) } == true)
        try Data("log".utf8).write(to: URL(filePath: backup + "-wal"))
        try await expectFailure(.locked) { try await restore(backup, KeyChain(.numbered(9))) }
        #expect(try Data(contentsOf: URL(filePath: vault.path)) == before)
        #expect(try left == ["vault.sqlite"])
    }

    @Test func aBackupOfANewerProgramIsRefused() async throws {
        let first = Migration("1") { db in try db.execute("CREATE TABLE first (x)") }
        let second = Migration("2") { db in try db.execute("CREATE TABLE second (x)") }
        let newer = Vault(directory.path("newer"), keys: .numbered(1)).with(
            \.migrator,
            Migrator {
                first
                second
            })
        try await newer.backUp(to: backup)
        let older = Vault(directory.path("older"), keys: .numbered(1)).with(\.migrator, Migrator { first })
        try await older.using { _ in }
        let before = try Data(contentsOf: URL(filePath: older.path))
        try await expectFailure(.newerSchema) {
            _ = try await Stores(older).restore("vault.sqlite", from: backup, keys: nil)
        }
        #expect(try Data(contentsOf: URL(filePath: older.path)) == before)
    }

    @Test(arguments: [nil, Key.numbered(9)])
    func aBackupWithADefectIsRefused(key: Key?) async throws {
        try await SourceFile.rewriteSchema(
            vault, "sql = replace(sql, 'COLLATE NOCASE', 'COLLATE NOCASE DESC')", of: "line_text")
        let report = try await vault.using { store in
            try await store.backup(to: backup, key: key, checkingStructure: true)
        }
        #expect(report.defect != nil)
        let before = try Data(contentsOf: URL(filePath: vault.path))
        let keys = try key.map { try KeyChain($0) }
        try await expectFailure(.damaged, saying: "salvage") {
            try await Stores(vault).restore("vault.sqlite", from: backup, keys: keys)
        }
        #expect(try Data(contentsOf: URL(filePath: vault.path)) == before)
        #expect(try left == ["vault.sqlite"])
    }

    /// What has become of a database.
    enum Ruin: CaseIterable {
        case empty, short, cutOff, anothers, damagedAtItsBeginning

        func content(_ bytes: Data) -> Data {
            switch self {
            case .empty: return Data()
            case .short: return bytes.prefix(100)
            case .cutOff: return bytes.prefix(bytes.count / 2 + 100)
            case .anothers: return Data(repeating: 7, count: bytes.count)
            case .damagedAtItsBeginning:
                var changed = bytes
                changed[100] ^= 1
                return changed
            }
        }
    }

    @Test(arguments: Ruin.allCases)
    func aDatabaseThatCannotBeOpenedIsToBeMovedAway(ruin: Ruin) async throws {
        let content = try await vault.content()
        try await vault.backUp(to: backup)
        let bytes = ruin.content(try Data(contentsOf: URL(filePath: vault.path)))
        try bytes.write(to: URL(filePath: vault.path))
        let error = try await #require(throws: StrongroomError.self) {
            try await Stores(vault).restore("vault.sqlite", from: backup)
        }
        #expect(error.message.contains("move \"\(vault.path)\"") && error.message.contains("restore again"), "\(error)")
        #expect(try Data(contentsOf: URL(filePath: vault.path)) == bytes)
        let names = try left
        #expect(names.allSatisfy { !$0.contains("restor") }, "\(names)")
        for name in names {
            try FileManager.default.moveItem(
                atPath: "\(vault.directory)/\(name)", toPath: directory.path("away-\(name)"))
        }
        try await Stores(vault).restore("vault.sqlite", from: backup)
        #expect(try await vault.content() == content)
    }

    @Test func aBackupWithTheNameOfALeftoverStaysThere() async throws {
        for ending in ["restoring", "restored"] {
            let path = "\(vault.directory)/.vault.sqlite.\(ending)"
            try await vault.backUp(to: path)
            try await expectFailure(.invalidName) { try await Stores(vault).restore("vault.sqlite", from: path) }
            #expect(FileManager.default.fileExists(atPath: path))
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test(arguments: [true, false])
    func aLeftoverThatIsAnotherNameOfAFileIsNotOverwritten(isSymbolic: Bool) async throws {
        try await vault.backUp(to: backup)
        let mine = directory.path("mine.sqlite")
        let bytes = Data("SQLite format 3\0 and all that is mine".utf8)
        try bytes.write(to: URL(filePath: mine))
        let leftover = "\(vault.directory)/.vault.sqlite.restored"
        if isSymbolic {
            try FileManager.default.createSymbolicLink(atPath: leftover, withDestinationPath: mine)
        } else {
            try FileManager.default.linkItem(atPath: mine, toPath: leftover)
        }
        if isSymbolic {
            // Somebody has put it there.
            try await expectFailure(.notAFile) { try await Stores(vault).restore("vault.sqlite", from: backup) }
            try FileManager.default.removeItem(atPath: leftover)
        } else {
            try await Stores(vault).restore("vault.sqlite", from: backup)
        }
        #expect(try Data(contentsOf: URL(filePath: mine)) == bytes)
        #expect(try left == ["vault.sqlite"])
    }

    #if os(Linux)
    @Test func aBackupThatAnotherProcessHasOpenIsNotTaken() async throws {
        try await vault.backUp(to: backup)
        let holder = try FileHolder(backup)
        defer { holder.end() }
        try await expectFailure(.locked, saying: "process") {
            try await Stores(vault).restore("vault.sqlite", from: backup)
        }
        #expect(try left == ["vault.sqlite"])
    }
    #endif

    @Test func aDatabaseThatIsOpenIsNotReplaced() async throws {
        try await vault.using { store in
            _ = try await store.backup(to: backup)
            try await expectFailure(.alreadyOpen) { try await Stores(vault).restore("vault.sqlite", from: backup) }
        }
        let other = try await vault.open()
        await #expect(processExitsWith: .success) { [root = vault.directory as String, backup = backup as String] in
            let vault = Vault(root, keys: .numbered(1)).with(\.migrator, nil)
            do {
                try await Stores(vault).restore("vault.sqlite", from: backup)
                exit(1)
            } catch let error as StrongroomError where error.code == .locked {
                exit(0)
            }
        }
        #expect(try await other.lineCount() == 6)
        try await other.close()
        #expect(try left == ["vault.sqlite"])
    }

    @Test func plaintextIsWrittenAndReadOnlyWhenAsked() async throws {
        let plain = Vault(directory.path("plain")) { _ in .plaintext }.with(\.migrator, nil)
        try FileManager.default.createDirectory(atPath: plain.directory, withIntermediateDirectories: true)
        _ = try SourceFile(plain, key: nil)
        let content = try await plain.content()
        try await plain.backUp(to: backup)
        try await expectFailure(.plaintextFile) { try await Stores(vault).restore("vault.sqlite", from: backup) }
        try await Stores(vault).restore("vault.sqlite", from: backup, allowingPlaintext: true)
        // It is encrypted: the configuration has a key.
        let bytes = try Data(contentsOf: URL(filePath: vault.path))
        #expect(bytes.range(of: Data(SourceFile.marker.utf8)) == nil)
        #expect(try await vault.content() == content)
        try await expectFailure(.plaintextFile) { try await Stores(plain).restore("vault.sqlite", from: backup) }
        try await Stores(plain).restore("vault.sqlite", from: backup, allowingPlaintext: true)
        #expect(try await plain.content() == content)
        #expect(try left == ["vault.sqlite"])
        try await vault.backUp(to: directory.path("encrypted.sqlite"))
        try await expectFailure(.encryptedFile, saying: "encrypted.sqlite\" is no plaintext database") {
            try await Stores(plain).restore(
                "vault.sqlite", from: directory.path("encrypted.sqlite"), allowingPlaintext: true)
        }
    }

    @Test func whatIsCancelledLeavesTheDatabase() async throws {
        try await vault.backUp(to: backup, key: .numbered(9))
        let before = try Data(contentsOf: URL(filePath: vault.path))
        for phase in [WorkProgress.Phase.checking, .writing, .verifying] {
            await expectCancelled(at: phase) { report in
                try await Stores(vault).restore("vault.sqlite", from: backup, keys: KeyChain(.numbered(9))) {
                    report($0)
                }
            }
            #expect(try Data(contentsOf: URL(filePath: vault.path)) == before)
            #expect(try left == ["vault.sqlite"])
        }
    }
}

/// Another process that has a file open.
struct FileHolder {
    private let process = Process()

    init(_ path: String) throws {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        process.executableURL = URL(filePath: "/bin/sleep")
        process.arguments = ["600"]
        process.standardInput = file
        try process.run()
    }

    func end() {
        // A thread's blocked signals are its children's, too; this one cannot be blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitForEnd()
    }
}
