import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// What is said where a key is missing, or one is given for plaintext, is so, and of the file that it is said of.
struct PlaintextMessageTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var plain: Vault { Vault(directory.path("plain")) { _ in .plaintext } }

    @Test func aPlaintextStoreHasNoKeyToRotateTo() async throws {
        try await plain.using { store in
            let error = try await expectFailure(.plaintextFile) { try await store.rotate() }
            #expect(error.message.contains("The database is plaintext"))
            #expect(error.message.contains("`Key.plaintext`"))
            #expect(!error.message.contains("no plaintext"))
        }
    }

    @Test func anEncryptedBackupOfAPlaintextDatabaseIsNamed() async throws {
        let encrypted = Vault(directory.path("encrypted"), keys: .numbered(1))
        let backup = directory.path("backup.sqlite")
        try await encrypted.using { store in _ = try await store.backup(to: backup) }
        try await plain.keep("line")
        try await expectFailure(.encryptedFile, saying: "\"\(backup)\" is no plaintext database") {
            try await Stores(plain).restore("vault.sqlite", from: backup, allowingPlaintext: true)
        }
    }
}
