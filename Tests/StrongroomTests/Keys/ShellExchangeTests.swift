import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Files go from this library to the engine's own shell and back, with nothing but the key.
@Suite(
    "Files that the sqlcipher shell reads and makes",
    .enabled(if: SQLCipherShell.installed != nil, SQLCipherShell.reason))
struct ShellExchangeTests {
    /// A key, and how the shell is given it.
    struct Sample: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let key: Key
        let pragma: String
    }

    private static let raw = [UInt8](0..<32)
    private static let rawHex = raw.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    private static let salt = [UInt8](repeating: 0xAB, count: 16)
    private static let saltHex = String(repeating: "ab", count: 16)

    static let samples = [
        Sample(
            testDescription: "plain words", key: .passphrase("correct horse"), pragma: "PRAGMA key = 'correct horse'"),
        Sample(testDescription: "not ASCII", key: .passphrase("пароль"), pragma: "PRAGMA key = 'пароль'"),
        Sample(testDescription: "emoji", key: .passphrase("🔑👩‍👩‍👧"), pragma: "PRAGMA key = '🔑👩‍👩‍👧'"),
        Sample(testDescription: "quotes", key: .passphrase("it's \"so\""), pragma: "PRAGMA key = 'it''s \"so\"'"),
        Sample(testDescription: "one byte", key: .passphrase(" "), pragma: "PRAGMA key = ' '"),
        Sample(testDescription: "with a NUL", key: .passphrase("a\0b"), pragma: "PRAGMA hexkey = '610062'"),
        Sample(
            testDescription: "ends with a NUL", key: .passphrase("ab\0"), pragma: "PRAGMA hexkey = '616200'"),
        Sample(
            testDescription: "longer than a hash block",
            key: .passphrase(String(repeating: "long ", count: 100)),
            pragma: "PRAGMA key = '\(String(repeating: "long ", count: 100))'"),
        Sample(testDescription: "raw", key: .raw(raw), pragma: "PRAGMA key = \"x'\(rawHex)'\""),
        Sample(
            testDescription: "raw with a salt", key: .raw(raw, salt: salt),
            pragma: "PRAGMA key = \"x'\(rawHex)\(saltHex)'\""),
    ]

    private let directory: TemporaryDirectory
    private let shell: SQLCipherShell

    init() throws {
        directory = try TemporaryDirectory()
        shell = try #require(SQLCipherShell.installed)
    }

    @Test(arguments: samples)
    func theShellReadsOurFileWithOnlyTheKey(sample: Sample) async throws {
        let vault = Vault(directory.path(""), keys: sample.key)
        try await vault.keep("ours")
        let sql = "SELECT text FROM line; PRAGMA integrity_check;"
        #expect(try shell.run(vault.path, key: sample.pragma, sql) == ["ours", "ok"])
        #expect(throws: SQLCipherShell.Failed.self) {
            try shell.run(vault.path, key: "PRAGMA key = 'another'", "SELECT text FROM line;")
        }
    }

    @Test(arguments: samples)
    func theShellsFileIsReadWithOnlyTheKey(sample: Sample) async throws {
        let vault = Vault(directory.path(""), keys: .numbered(7), sample.key).with(\.migrator, nil)
        _ = try shell.run(
            vault.path, key: sample.pragma, "CREATE TABLE line (text TEXT); INSERT INTO line VALUES ('the shell''s');")
        let report = try await vault.keep("ours")
        #expect(report.outcome == .opened)
        #expect(report.key?.isCurrent == true)
        #expect(
            try shell.run(vault.path, key: sample.pragma, "SELECT text FROM line ORDER BY rowid;")
                == ["the shell's", "ours"])
    }

    @Test func theEnginesOwnSettingsAreUsed() async throws {
        let key = "PRAGMA key = 'settings'"
        let vault = Vault(directory.path(""), keys: .passphrase("settings"))
        try await vault.keep("a")
        let theirs = directory.path("theirs.sqlite")
        _ = try shell.run(theirs, key: key, "CREATE TABLE line (text);")
        let settings =
            "PRAGMA page_size; PRAGMA kdf_iter; PRAGMA cipher_page_size; PRAGMA auto_vacuum; PRAGMA encoding;"
        let ours = try shell.run(vault.path, key: key, settings)
        #expect(ours.count == 5)
        #expect(try ours == shell.run(theirs, key: key, settings))
    }

    @Test func aRollbackJournalOfAKilledShellIsPlayedBack() async throws {
        let vault = Vault(directory.path(""), keys: .numbered(1)).with(\.migrator, nil)
        let key = "PRAGMA key = \"x'\(String(repeating: "01", count: 32))'\""
        _ = try shell.run(vault.path, key: key, "CREATE TABLE line (text); INSERT INTO line VALUES ('committed');")
        // Copied in the middle of a transaction that has spilled into the file: what a kill leaves there.
        let (copy, journal) = (directory.path("copy"), "\(vault.path)-journal")
        _ = try shell.run(
            vault.path, key: key,
            """
            PRAGMA cache_size = 1; BEGIN; UPDATE line SET text = 'lost'; INSERT INTO line VALUES \
            (hex(randomblob(50000)));
            .shell cp "\(vault.path)" "\(copy)" && cp "\(journal)" "\(copy)-journal"
            ROLLBACK;
            """)
        let files = FileManager.default
        try files.removeItem(atPath: vault.path)
        try files.moveItem(atPath: copy, toPath: vault.path)
        try files.moveItem(atPath: "\(copy)-journal", toPath: journal)
        #expect(try Data(contentsOf: URL(filePath: journal)).prefix(4) == Data([0xD9, 0xD5, 0x05, 0xF9]))
        let error = try await expectFailure(.wrongKey) {
            try await Vault(directory.path(""), keys: .numbered(2), .numbered(3)).open()
        }
        // Nobody can read the file before the engine has played the journal back, whatever the key.
        #expect(error.message.contains("Nothing in it was changed") == files.fileExists(atPath: journal))
        #expect(try await vault.lines() == ["committed"])
        #expect(!files.fileExists(atPath: journal))
    }
}
