import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("A plaintext file in the place of an encrypted one")
struct FormerlyEncryptedTests {
    private let directory: TemporaryDirectory
    private let vault: Vault
    /// A plaintext database that an attacker has made.
    private let planted: Vault

    init() throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path("data")) { _ in try KeyChain(.plaintext, .numbered(1)) }
        planted = Vault(directory.path("planted")) { _ in .plaintext }
    }

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

    @Test func `a file that was converted is not converted once more`() async throws {
        try await plant()
        #expect(try await vault.using { $0.opening.rotation?.isRotated } == true)
        try await plant()
        try await expectFailure(.plaintextFile) { try await vault.open() }
    }

    @Test func `a file that was encrypted by a rotation is remembered, too`() async throws {
        let manual = vault.with(\.settings.rotation, .manual)
        try await plant()
        try await manual.using { store in _ = try await store.rotate() }
        try await plant()
        try await expectFailure(.plaintextFile) { try await manual.open() }
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
