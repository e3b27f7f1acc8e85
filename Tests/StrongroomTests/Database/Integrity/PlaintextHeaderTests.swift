import Foundation
// Internal: what is found in a file's first pages, and connections with settings that no store has.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Files with a plaintext header", .ending)
struct PlaintextHeaderTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path("")) { _ in try KeyChain(.plaintext, .numbered(1)) } }
    static let isVersion4 = (try? EngineFeatures.current().cipherMajorVersion >= 4) ?? false

    private var file: URL { URL(filePath: vault.path) }

    /// Whether the file is taken for a plaintext database.
    private func isPlaintext(_ path: String) throws -> Bool {
        do {
            guard case .plaintext = try FileContent.of(path) else { return false }
            return true
        } catch let error as StrongroomError where error.code == .plaintextHeader {
            return false
        }
    }

    // MARK: What is done with one

    @Test func itIsFoundWithKeysAndWithoutAndNeverEncryptedOnceMore() async throws {
        let made = try #require(PlaintextHeaderFile.made)
        try made.write(to: file)
        let before = try DirectorySnapshot(directory.path(""))
        for vault in [
            vault, Vault(directory.path(""), keys: .numbered(1)), Vault(directory.path("")) { _ in .plaintext },
            vault.with(\.settings, StoreSettings(isReadOnly: true)), vault.with(\.protection, .envelope),
        ] {
            do {
                try await vault.open().close()
                Issue.record("It was opened.")
            } catch let error as StrongroomError {
                #expect(error.code == .plaintextHeader)
                #expect(error.message.contains("cipher_plaintext_header_size") && error.message.contains(vault.path))
                #expect(error.diagnosis?.finding == .plaintextHeader)
            }
        }
        for diagnosis in [
            try await Stores(vault).diagnose("vault.sqlite"), try await Stores.diagnose(path: vault.path),
            try await Stores.diagnose(path: vault.path, keys: KeyChain(.numbered(1))),
        ] {
            #expect(diagnosis.finding == .plaintextHeader && diagnosis.bytes == 1_024 && diagnosis.key == nil)
            #expect(diagnosis.advice.contains("sqlcipher_export") && diagnosis.reason?.isEmpty == false)
        }
        try before.expectUntouched()
    }

    @Test func itIsNeitherRestoredNorReplacedNorSalvaged() async throws {
        let made = try #require(PlaintextHeaderFile.made)
        let backup = directory.path("backup.sqlite")
        try made.write(to: URL(filePath: backup))
        try await vault.keep("a line")
        let stores = try Stores(vault)
        try await expectFailure(.plaintextHeader) {
            try await stores.restore("vault.sqlite", from: backup, allowingPlaintext: true)
        }
        #expect(try await vault.lines() == ["a line"])
        let sound = directory.path("sound.sqlite")
        try FileManager.default.moveItem(atPath: vault.path, toPath: sound)
        try made.write(to: file)
        try await expectFailure(.plaintextHeader) { try await stores.restore("vault.sqlite", from: sound) }
        try await expectFailure(.plaintextHeader) {
            _ = try await stores.salvage("vault.sqlite", to: directory.path("rescued.sqlite"))
        }
        #expect(try Data(contentsOf: file) == made)
        #expect(!FileManager.default.fileExists(atPath: directory.path("rescued.sqlite")))
    }

    // MARK: Telling the two apart

    static let headerSizes = [16, 32, 48, 64, 80, 96, 112, 128, 256, 512, 800]

    @Test(arguments: [SourceFile.statements, ["CREATE TABLE line (text)"], ["CREATE TABLE x (a)", "DROP TABLE x"]])
    func ciphertextBehindAHeaderOfAnyLength(statements: [String]) throws {
        let settings = CipherSettings.sqlCipher3
        _ = try SourceFile(vault, key: .numbered(1), settings, statements: statements)
        let pages = try PlaintextHeaderFile.pages(of: vault.path, .numbered(1), settings)
        var generator = SeededGenerator(1)
        for header in Self.headerSizes + [settings.layout.usable - 16] {
            for _ in 0..<20 {
                let bytes = PlaintextHeaderFile.encrypted(pages, header: header, using: &generator)
                try bytes.write(to: file)
                #expect(try !isPlaintext(vault.path), "\(header) bytes of \(statements.count) statements")
            }
        }
    }

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func everyPlaintextDatabaseIsOne(encoding: String) throws {
        let forms = [
            SourceFile.statements, ["CREATE TABLE line (text)"], ["CREATE VIEW v AS SELECT 1"],
            ["CREATE TABLE line (text)", "DROP TABLE line"], ["CREATE TABLE line (text)", "DROP TABLE line", "VACUUM"],
            ["PRAGMA journal_mode = WAL", "CREATE TABLE line (text)"], ["PRAGMA user_version = -1"],
            ["PRAGMA legacy_file_format = ON", "CREATE TABLE line (text)", "PRAGMA application_id = -2"],
            ["PRAGMA auto_vacuum = FULL"] + (0..<300).map { "CREATE TABLE t\($0) (a PRIMARY KEY, b UNIQUE)" },
            ["CREATE TABLE long (\((0..<900).map { "column_number_\($0)" }.joined(separator: ", ")))"],
        ]
        for (form, statements) in forms.enumerated() {
            for pageSize in form < 2 ? [512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536] : [1_024, 4_096] {
                _ = try SourceFile(
                    vault, key: nil, encoding: encoding, statements: ["PRAGMA page_size = \(pageSize)"] + statements)
                #expect(try isPlaintext(vault.path), "form \(form), pages of \(pageSize) bytes")
                for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: vault.path + ending) }
            }
        }
    }

    /// Such as a decrypted copy, page by page, in which the engine's vectors and codes are left over.
    @Test(arguments: ["UTF-8", "UTF-16le"])
    func aPlaintextDatabaseMayKeepBytesAtTheEndOfItsPages(encoding: String) async throws {
        let settings = CipherSettings.sqlCipher3
        for statements in [
            SourceFile.statements, ["CREATE TABLE line (text)"], ["CREATE TABLE x (a)", "DROP TABLE x"],
            (0..<300).map { "CREATE TABLE t\($0) (a PRIMARY KEY, b UNIQUE)" },
        ] {
            _ = try SourceFile(vault, key: .numbered(1), settings, encoding: encoding, statements: statements)
            let pages = try PlaintextHeaderFile.pages(of: vault.path, .numbered(1), settings)
            try Data(pages.joined()).write(to: file)
            #expect(try isPlaintext(vault.path), "\(statements.count) statements")
            let plain = Vault(directory.path("")) { _ in .plaintext }.with(\.migrator, nil)
            try await plain.using { store in
                let objects = try await store.value("SELECT count(*) FROM sqlite_master", as: Int.self)
                #expect(objects == 0 || statements.count != 2)
            }
            try FileManager.default.removeItem(at: file)
        }
    }

    @Test func aDamagedPlaintextDatabaseIsNoEncryptedOne() throws {
        _ = try SourceFile(vault, key: nil)
        let whole = try Data(contentsOf: file)
        var generator = SeededGenerator(2)
        for _ in 0..<200 {
            var bytes = whole
            // Neither the beginning nor the size of the reserve, without which nothing can be told.
            let start = Int.random(in: 24..<4_096, using: &generator)
            for index in start..<min(start + 64, bytes.count) {
                bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            try bytes.write(to: file)
            #expect(try isPlaintext(vault.path), "64 bytes from \(start)")
        }
        for length in [512, 513, 1_023, 1_500] {
            try whole.prefix(length).write(to: file)
            #expect(try isPlaintext(vault.path), "cut off at \(length)")
        }
        try (whole.prefix(16) + Data(count: 2_000)).write(to: file)
        #expect(try isPlaintext(vault.path))
    }

    // MARK: Those of the engine

    private func make(header: Int, pageSize: Int = 4_096, _ statements: [String]) throws {
        try Data().write(to: file)
        let connection = try Connection(path: vault.path, mode: .existing, database: "source")
        defer { connection.close() }
        try connection.silenceLog()
        try Array("correct horse".utf8).withUnsafeBytes { try connection.setKey($0) }
        try connection.run("PRAGMA cipher_page_size = \(pageSize)")
        try connection.run("PRAGMA cipher_plaintext_header_size = \(header)")
        try connection.run("PRAGMA cipher_salt = \"x'\(String(repeating: "07", count: 16))'\"")
        for statement in statements { try connection.run(statement) }
    }

    @Test(
        .enabled(if: isVersion4, "SQLCipher 3 knows no plaintext header"), arguments: headerSizes, [1_024, 4_096])
    func whatTheEngineMakesIsRecognised(header: Int, pageSize: Int) async throws {
        try make(header: header, pageSize: pageSize, SourceFile.statements)
        #expect(try Data(contentsOf: file).prefix(16) == Data(FileSystem.plaintextHeader))
        #expect(try !isPlaintext(vault.path))
        #expect(try await Stores(vault).diagnose("vault.sqlite").finding == .plaintextHeader)
    }

    @Test(.enabled(if: isVersion4, "SQLCipher 3 knows no plaintext header"))
    func theWayThatTheErrorNamesLeadsToAFileThatOpens() async throws {
        let plan = ["CREATE TABLE line (text TEXT NOT NULL)", "INSERT INTO line VALUES ('from a shared container')"]
        let new = directory.path("new.sqlite")
        // The connection makes no files.
        try Data().write(to: URL(filePath: new))
        try make(
            header: 32, plan + ["ATTACH '\(new)' AS new KEY 'correct horse'", "SELECT sqlcipher_export('new')"])
        let moved = Vault(directory.path(""), keys: .passphrase("correct horse")).with(\.migrator, nil)
        try await expectFailure(.plaintextHeader) { try await moved.open().close() }
        try FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(atPath: new, toPath: vault.path)
        #expect(try await moved.lines() == ["from a shared container"])
    }
}
