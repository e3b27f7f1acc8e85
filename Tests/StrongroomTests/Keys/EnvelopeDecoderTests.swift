import Foundation
// Internal: the data keys are compared, which nothing public gives.
@testable import Strongroom
import StrongroomTesting
import Testing

/// The programs in `Tests/EnvelopeDecoder`, which share no code with the library.
struct EnvelopeDecoder {
    static let installed = EnvelopeDecoder()
    static let reason: Comment = "there is no python3 with the package cryptography on the PATH"

    private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../EnvelopeDecoder").standardized.path(percentEncoded: false)

    private let python: Program

    private init?() {
        let all = Program.searchPath.compactMap { Program(at: "\($0)/python3") }
        let python = all.first { (try? $0.run(["-c", "import cryptography"]).status) == 0 }
        guard let python else { return nil }
        self.python = python
    }

    func run(_ arguments: String..., keys: [String] = []) throws -> Program.Result {
        try python.run(["\(Self.directory)/decode.py"] + arguments, input: keys.joined(separator: "\n"))
    }

    /// Splits a recovery key into shares, or restores one from shares.
    func shares(_ arguments: [String]) throws -> Program.Result {
        try python.run(["\(Self.directory)/shares.py"] + arguments)
    }

    /// Expects that each of the keys opens a file, and that it has what the library has put into it.
    func expect(
        _ envelope: OpenEnvelope, at path: String, keys: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try run(path, keys: keys)
        let slots = envelope.sealed.slots.map { slot in
            "\(slot.fingerprint.bytes.hexadecimal) \(slot.created) \(slot.use.rawValue) \(slot.derivation.bytes[0]) "
                + slot.label
        }
        let expected = [envelope.dataKeys.withUnsafeBytes { Array($0) }.hexadecimal] + slots
        #expect(result.output.components(separatedBy: "\n").dropLast() == expected, sourceLocation: sourceLocation)
        #expect(result.status == 0, "\(result.errors)", sourceLocation: sourceLocation)
    }
}

@Suite(
    "Envelopes that are opened without the library",
    .enabled(if: EnvelopeDecoder.installed != nil, EnvelopeDecoder.reason))
struct EnvelopeDecoderTests {
    private static let secret = "pass word 🔑"

    private let decoder: EnvelopeDecoder
    private let directory: TemporaryDirectory

    init() throws {
        decoder = try #require(EnvelopeDecoder.installed)
        directory = try TemporaryDirectory()
    }

    private func raw(_ number: UInt8) -> String { "raw:" + [UInt8](repeating: number, count: 32).hexadecimal }

    private func expect(
        _ envelope: OpenEnvelope, _ keys: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let path = directory.path("envelope")
        try Data(envelope.bytes).write(to: URL(filePath: path))
        try decoder.expect(envelope, at: path, keys: keys, sourceLocation: sourceLocation)
    }

    @Test func `it opens every vector of the guide`() throws {
        let result = try decoder.run("--vectors", EnvelopeVector.guide.path(percentEncoded: false))
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(try result.output.split(separator: "\n").count == EnvelopeVector.all().count)
    }

    @Test func `each kind of key opens its slot`() throws {
        var envelope = try OpenEnvelope.with(.numbered(7))
        try expect(envelope, raw(7))
        try envelope.add(.passphrase(Self.secret), label: "naïve 🔑", date: .fixed, cost: .least)
        // A cost of its own.
        try envelope.add(.passphrase("another"), label: "", date: .fixed)
        let recovery = try envelope.addRecoveryKey(label: "safe", date: .fixed).key
        let derived = try KeyChain(.numbered(1)).derived(for: DatabaseName("vault_alice.sqlite"))
        let own = try #require(derived.current)
        try envelope.add(own, label: "of one database", date: .fixed)
        guard case .raw(let bytes, _) = own.material else { throw StrongroomError(.invalidKey, "It is not raw.") }
        let line = "raw:" + bytes.withUnsafeBytes { Array($0) }.hexadecimal
        try expect(envelope, raw(7), Self.secret, "another", "recovery:\(recovery.text)", line)
        // Keys without a slot open nothing.
        for other in [raw(8), "pass word", "recovery:\(RecoveryKey.random().text)"] {
            #expect(try decoder.run(directory.path("envelope"), keys: [other]).errors.contains("no slot belongs"))
        }
    }

    @Test func `it opens 64 slots with the longest labels`() throws {
        var envelope = try OpenEnvelope.with(.numbered(0))
        for number in UInt8(1)..<64 {
            try envelope.add(.numbered(number), label: String(repeating: "ü", count: 127) + ".", date: .fixed)
        }
        try expect(envelope, raw(0), raw(31), raw(63))
    }

    @Test func `it opens what each change of the slots writes`() throws {
        var envelope = try OpenEnvelope.with(.numbered(1), .passphrase("a"))
        try envelope.replace(
            envelope.fingerprint(1), with: .passphrase("b"), label: "next", date: .fixed, cost: .least)
        try expect(envelope, raw(1), "b")
        _ = try envelope.label(envelope.fingerprint(0), "named", keys: [.numbered(1)])
        try expect(envelope, raw(1), "b")
        try envelope.revoke(envelope.fingerprint(0))
        try expect(envelope, "b")
        try envelope.add(.numbered(3), label: "", date: .fixed)
        _ = try envelope.rewrap(envelope.dataKeys.withSuccessor(), keys: [.passphrase("b"), .numbered(3)])
        try expect(envelope, "b", raw(3))
        _ = try envelope.rewrap(#require(envelope.dataKeys.each.last), keys: [.passphrase("b"), .numbered(3)])
        try expect(envelope, "b", raw(3))
    }

    @Test func `it opens the slot of an external key`() throws {
        let line = "external:\([UInt8](repeating: 0x33, count: 32).hexadecimal):imitation:ü"
        var envelope = try OpenEnvelope.with(.external(ImitatedProvider("imitation:ü")), .numbered(7))
        try expect(envelope, line, raw(7))
        _ = try envelope.label(envelope.fingerprint(0), "named", keys: [.external(ImitatedProvider("imitation:ü"))])
        try expect(envelope, line)
        #expect(try decoder.run(directory.path("envelope"), keys: [line + "2"]).errors.contains("no slot belongs"))
    }

    @Test func `it opens an envelope with a slot of an unknown kind`() throws {
        let envelope = try OpenEnvelope.with(.numbered(1)).with(.unknownSlot(further: 40))
        try expect(envelope, raw(1))
    }

    /// The guide says which of them each check finds.
    @Test(arguments: [
        (12, "a slot was changed"), (50, "it was changed"), (52, "no slot belongs"), (90, "a slot was changed"),
        (110, "a slot was changed"), (-40, "it was changed"), (8, "another version"),
    ])
    func `it refuses what somebody has changed who makes the digest right`(offset: Int, defect: String) throws {
        let envelope = try OpenEnvelope.with(.numbered(1))
        let index = offset < 0 ? envelope.bytes.count + offset : offset
        let path = directory.path("envelope")
        try Data(envelope.bytes.flipped(index).withCheckSum).write(to: URL(filePath: path))
        let result = try decoder.run(path, keys: [raw(1)])
        #expect(result.status == 1 && result.errors.contains(defect), "\(result.output)\(result.errors)")
    }

    @Test(.enabled(if: SQLCipherShell.installed != nil, SQLCipherShell.reason))
    func `the data key in the files of a store opens the database after each change`() async throws {
        let vault = try EnvelopeVault()
        let shell = try #require(SQLCipherShell.installed)
        var lines: [String] = []
        func expect(_ number: UInt8, keys: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
            let envelope = try vault.envelope(number)
            for path in [vault.sidecar.path, vault.sidecar.copyPath] {
                try decoder.expect(envelope, at: path, keys: keys, sourceLocation: sourceLocation)
            }
            let found = try decoder.run(vault.sidecar.path, keys: keys).output.prefix(64)
            let key = try "PRAGMA key = \"x'\(found)\(vault.salt.hexadecimal)'\""
            let read = try shell.run(vault.sidecar.databasePath, key: key, "SELECT text FROM line;")
            #expect(read == lines, sourceLocation: sourceLocation)
        }
        func keep(_ chain: UInt8...) async throws {
            lines.append("with \(chain)")
            try await vault(chain.map(Key.numbered)).keep(lines[lines.count - 1])
        }
        try await keep(1)
        try expect(1, keys: raw(1))
        try await keep(1, 2)
        try expect(2, keys: raw(2))
        let recovery = try await vault(2).using { store in
            try await store.addKey(.passphrase(Self.secret), label: "backup")
            return try await store.recoveryKey(label: "safe")
        }
        try expect(2, keys: raw(2), Self.secret, "recovery:\(recovery.text)")
        let before = try vault.envelope(2).dataKeys
        try await vault(2).using { store in
            try await store.rotate(.dataKey, keys: [.passphrase(Self.secret), .recovery(recovery)])
            try await store.revokeKey(try await store.keySlots()[1].fingerprint)
        }
        #expect(try vault.envelope(2).dataKeys != before)
        try expect(2, keys: raw(2), "recovery:\(recovery.text)")
    }
}
