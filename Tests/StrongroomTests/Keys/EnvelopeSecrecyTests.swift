import Foundation
// Internal: nothing public opens an envelope before the opening of stores does.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("An envelope shows no key")
struct EnvelopeSecrecyTests {
    private static let passphrase = "Tr0ub4dor&3 marker"
    private static let rawKey = [UInt8](0xA0..<0xC0)
    private static let dataKey = [UInt8](0xC0..<0xE0)

    private let directory: TemporaryDirectory
    private let sidecar: Sidecar
    private var envelope: OpenEnvelope
    private let recovery: RecoveryKey

    init() throws {
        directory = try TemporaryDirectory()
        sidecar = Sidecar(directory.path(""))
        envelope = try OpenEnvelope.with(
            .passphrase(Self.passphrase), .raw(Self.rawKey), dataKeys: Self.dataKey.withUnsafeBytes { DataKeys($0) })
        recovery = try envelope.addRecoveryKey(label: "safe", date: .fixed).key
        try sidecar.file.create(envelope)
    }

    /// Pieces of what is secret, as bytes.
    private var pieces: [[UInt8]] {
        let recoveryBytes = (try? RecoveryText.key.bytes(of: recovery.text)) ?? []
        return [Array(Self.passphrase.utf8), Self.rawKey, Self.dataKey, recoveryBytes].flatMap { secret in
            stride(from: 0, to: secret.count - 4, by: 4).map { Array(secret[$0..<$0 + 4]) }
        }
    }

    private func expectNothing(in text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        Secrecy.expectNone(
            of: pieces, [Self.passphrase, recovery.text], in: text, sourceLocation: sourceLocation)
    }

    @Test func theSidecarHoldsNoSecretInTheClear() throws {
        #expect(pieces.count > 20)
        for copy in try sidecar.copies {
            let bytes = try Data(#require(copy))
            for piece in pieces { #expect(bytes.range(of: Data(piece)) == nil) }
        }
    }

    @Test func nothingThatHoldsKeysHasATextWithThem() throws {
        let opened = try sidecar.open(.passphrase(Self.passphrase))
        var wrappingKeys = WrappingKeys()
        let derivation = try #require(envelope.sealed.slots.first?.derivation)
        let wrapping = try wrappingKeys.key(for: .passphrase(Self.passphrase), derivation, context: .salt)
        let shown =
            Secrecy.texts(of: opened) + Secrecy.texts(of: opened.dataKeys) + Secrecy.texts(of: wrapping)
            + Secrecy.texts(of: wrappingKeys) + Secrecy.texts(of: recovery) + Secrecy.texts(of: Key.recovery(recovery))
            + Secrecy.texts(of: opened.fileKeys) + Secrecy.texts(of: opened.keySlots)
            + Secrecy.texts(of: opened.sealed)
        for text in shown { expectNothing(in: text) }
        #expect("\(recovery)" == "RecoveryKey")
    }

    @Test func noErrorShowsAKey() throws {
        var changed = envelope
        let bytes = envelope.bytes
        var errors = [
            try expectFailure(.wrongKey) { try sidecar.open(.passphrase(Self.passphrase + "x")) },
            try expectFailure(.foreignEnvelope) { try sidecar.open(.raw(Self.rawKey), salt: Self.rawKey.dropLast(16)) },
            try expectFailure(.keySlot) {
                try changed.add(.passphrase(Self.passphrase), label: "", date: .fixed, cost: .least)
            },
            try expectFailure(.invalidKey) { try RecoveryKey(recovery.text + "A") },
            try expectFailure(.invalidKey) { try RecoveryKey(String(recovery.text.dropLast())) },
            try expectFailure(.invalidKey) { try RecoveryKey(Self.passphrase) },
        ]
        for forged in [bytes.flipped(60), bytes.flipped(60).withCheckSum, bytes.flipped(110).withCheckSum] {
            try sidecar.put(forged, nil)
            errors.append(
                try #require(throws: StrongroomError.self) { _ = try sidecar.open(.passphrase(Self.passphrase)) })
        }
        for error in errors {
            for text in Secrecy.texts(of: error) + [error.localizedDescription] { expectNothing(in: text) }
        }
    }
}
