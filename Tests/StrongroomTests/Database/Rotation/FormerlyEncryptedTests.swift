import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("A plaintext file in the place of an encrypted one")
struct FormerlyEncryptedTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path("data"), keys: .plaintext, .numbered(1)) }
    /// A plaintext database that an attacker has made.
    private var planted: Vault { Vault(directory.path("planted")) { _ in .plaintext } }

    private func plant() async throws {
        try await planted.keep("mallory")
        try FileManager.default.createDirectory(atPath: vault.directory, withIntermediateDirectories: true)
        try? FileManager.default.removeItem(atPath: vault.path)
        try FileManager.default.copyItem(atPath: planted.path, toPath: vault.path)
    }

    @Test(
        arguments: [KeyProtection.direct, .envelope], [RotationPolicy.onOpen, .manual])
    func `it is refused with what to do, and stays as it is`(
        protection: KeyProtection, policy: RotationPolicy
    ) async throws {
        let vault = vault.with(\.protection, protection).with(\.settings.rotation, policy)
        try await vault.keep("alice")
        try await plant()
        let before = try DirectorySnapshot(vault.directory)
        let error = try await expectFailure(.plaintextFile) { try await vault.open() }
        #expect(error.message.contains("was encrypted before") && error.message.contains(vault.beside("lock")))
        #expect(error.message.contains(vault.path + ".keys") == (protection == .envelope))
        let reading = vault.with(\.settings.isReadOnly, true)
        try await expectFailure(.plaintextFile) { try await reading.open() }
        try before.expectUntouched()

        // What the message says.
        for path in [vault.beside("lock"), vault.path + ".keys", vault.path + ".keys.copy"] {
            try? FileManager.default.removeItem(atPath: path)
        }
        #expect(try await vault.lines() == ["mallory"])
    }

    @Test(arguments: [RotationPolicy.onOpen, .manual])
    func `a file that was converted, by an opening or a rotation, is not converted once more`(
        policy: RotationPolicy
    ) async throws {
        let vault = vault.with(\.settings.rotation, policy)
        try await plant()
        try await vault.using { store in
            let rotation = policy == .manual ? try await store.rotate() : store.openReport.rotation
            #expect(rotation?.isRotated == true)
        }
        try await plant()
        try await expectFailure(.plaintextFile) { try await vault.open() }
    }

    @Test func `an envelope alone shows that the file was encrypted`() async throws {
        let wrapped = vault.with(\.protection, .envelope)
        try await wrapped.keep("alice")
        try FileManager.default.removeItem(atPath: vault.beside("lock"))
        try await plant()
        try await expectFailure(.plaintextFile) { try await wrapped.open() }
    }

    @Test func `a plaintext file whose name had another one is still read without keys`() async throws {
        try await vault.keep("alice")
        try await plant()
        #expect(try await Vault(vault.directory) { _ in .plaintext }.lines() == ["mallory"])
    }

    @Test func `a removed database is forgotten`() async throws {
        try await vault.keep("alice")
        try await Stores(vault).remove("vault.sqlite")
        try await plant()
        #expect(try await vault.lines() == ["mallory"])
    }
}
