import Foundation
// Internal: the file is made past the store, which makes none without authentication codes.
@testable import Strongroom
import StrongroomTesting
import Testing

/// A file of SQLCipher 1, or one that another program has made with `cipher_use_hmac = OFF`.
@Suite("Files without authentication codes", .ending)
struct UnauthenticatedFileTests {
    private static let keys = [Key.numbered(1), .passphrase("first")]

    private let directory = TemporaryDirectory.ofSuite()

    private func make(_ vault: Vault, _ key: Key) throws {
        let derived = try DerivedKey(key, salt: CipherSettings.randomSalt(), settings: .engineDefault())
        try Data().write(to: URL(filePath: vault.path))
        let file = DatabaseFile(path: vault.path, name: "source", busyTimeout: 0, log: nil)
        let connection = try file.connect(.existing, key: derived)
        defer { connection.close() }
        try connection.run("PRAGMA cipher_use_hmac = OFF")
        try connection.run("CREATE TABLE ok (a)")
        try connection.run("INSERT INTO ok VALUES (1)")
    }

    @Test(arguments: keys)
    func theRightKeyIsNotCalledWrong(key: Key) async throws {
        let vault = Vault(directory.path(""), keys: .numbered(7), key).with(\.migrator, nil)
        try make(vault, key)
        let before = try Data(contentsOf: URL(filePath: vault.path))
        let error = try await expectFailure(.noAuthentication) { try await vault.open() }
        #expect(error.message.contains("cipher_use_hmac = OFF") && error.message.contains("sqlcipher_export"))
        let diagnosis = try await Stores(vault).diagnose("vault.sqlite")
        #expect(diagnosis.finding == .wrongKey && diagnosis.reason?.contains("cipher_use_hmac") == true)
        #expect(try Data(contentsOf: URL(filePath: vault.path)) == before)
    }

    @Test(arguments: keys)
    func anotherKeyIsWrong(key: Key) async throws {
        let vault = Vault(directory.path(""), keys: .numbered(7), .passphrase("other"))
        try make(vault, key)
        try await expectFailure(.wrongKey) { try await vault.open() }
        #expect(try await Stores(vault).diagnose("vault.sqlite").reason == nil)
    }
}
