import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("All bytes of a key count")
struct KeyBytesTests {
    private let directory = TemporaryDirectory.ofSuite()

    @Test(arguments: [
        ("пароль", "пар"),  // half of the bytes, as an engine that is told the number of characters would take them
        ("пароль", "парол"),
        ("пароль", "парольь"),
        ("secret\0a", "secret"),
        ("secret\0a", "secret\0b"),
        ("é", "e\u{301}"),
        ("it's", "it''s"),
        ("x'00'", "x'01'"),
        ("a", "A"),
        (" a", "a"),
    ])
    func aPassphraseThatDiffersInAnyByteDoesNotOpen(right: String, wrong: String) async throws {
        // A derivation that takes no time.
        var settings = try CipherSettings.engineDefault()
        settings.iterations = 1_000
        let vaults = [Key.passphrase(right), .passphrase(wrong), .numbered(1)].map {
            Vault(directory.path(""), keys: $0).with(\.ciphers, [settings])
        }
        try await vaults[0].keep("a")
        for other in vaults[1...] { try await expectFailure(.wrongKey) { try await other.open() } }
        #expect(try await vaults[0].lines() == ["a"])
    }

    /// Other programs take a text in the engine's notation of raw keys for a raw key, so no new file gets it as a
    /// passphrase.
    @Test func aPassphraseThatLooksLikeARawKeyIsRefused() async throws {
        let text = "x'\(String(repeating: "01", count: 32))'"
        let error = try await expectFailure(.invalidKey) {
            try await Vault(directory.path(""), keys: .passphrase(text)).open()
        }
        #expect(error.message.contains("Key.raw") && !error.message.contains("0101"))
    }

    @Test(arguments: [0, 31])
    func aRawKeyThatDiffersInOneBitDoesNotOpen(index: Int) async throws {
        var bytes = [UInt8](repeating: 0, count: 32)
        try await Vault(directory.path(""), keys: .raw(bytes)).keep("a")
        bytes[index] ^= 1
        let wrong = bytes
        try await expectFailure(.wrongKey) { try await Vault(directory.path(""), keys: .raw(wrong)).open() }
    }

    @Test func aNewFileStartsWithTheKeysSalt() async throws {
        let salt = [UInt8](0..<16)
        let vault = Vault(directory.path(""), keys: .raw([UInt8](repeating: 5, count: 32), salt: salt))
        try await vault.keep("a")
        #expect(try Data(contentsOf: URL(filePath: vault.path)).prefix(16) == Data(salt))
        #expect(try await vault.lines() == ["a"])
    }

    @Test(arguments: [nil, [UInt8](repeating: 1, count: 16)], [nil, [UInt8](repeating: 2, count: 16)])
    func theSaltOfAnExistingFileIsItsOwnWhateverTheKeySays(made: [UInt8]?, opened: [UInt8]?) async throws {
        let bytes = [UInt8](repeating: 5, count: 32)
        try await Vault(directory.path(""), keys: .raw(bytes, salt: made)).keep("a")
        #expect(try await Vault(directory.path(""), keys: .raw(bytes, salt: opened)).lines() == ["a"])
    }

    @Test func twoFilesWithOnePassphraseHaveDifferentSalts() async throws {
        let stores = try Stores(Vault(directory.path(""), keys: .numbered(1)))
        for name in ["vault_a", "vault_b"] { try await stores.open(name).close() }
        let salts = try ["vault_a", "vault_b"].map {
            try Data(contentsOf: URL(filePath: directory.path($0))).prefix(16)
        }
        #expect(salts[0] != salts[1])
    }

    @Test func nothingOfWhatIsStoredCanBeReadInTheFile() async throws {
        let vault = Vault(directory.path(""), keys: .random())
        let store = try await vault.open()
        let line = String(repeating: "plain words ", count: 500)
        try await store.write { db in try db.execute("INSERT INTO line VALUES (\(line))") }
        // The log is looked at, too: a copy, since reading a file that is open drops the engine's locks on it.
        for suffix in ["", "-wal"] {
            try #require(
                try Program(named: "cp")?.run([vault.path + suffix, directory.path("copy\(suffix)")]).status == 0)
            let bytes = try Data(contentsOf: URL(filePath: directory.path("copy\(suffix)")))
            #expect(!bytes.isEmpty)
            for word in ["plain words", "CREATE TABLE", "strongroom_migrations", "SQLite format 3"] {
                #expect(bytes.range(of: Data(word.utf8)) == nil)
            }
        }
        try await store.close()
    }
}
