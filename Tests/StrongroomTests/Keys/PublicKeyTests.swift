import Foundation
// Internal: the bytes of slots are forged, and messages of HPKE made with known keys.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Slots of public keys")
struct PublicKeyTests {
    private let pair = KeyPair()

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.map { UInt8($0.hexDigitValue ?? 0) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    // MARK: HPKE

    /// RFC 9180, A.1.1: its KEM is the same.
    @Test func `the public key is that of the private key`() {
        let privateKey = Self.bytes("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8")
        #expect(
            HPKE.publicKey(of: SecretBytes(privateKey))
                == Self.bytes("3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d"))
    }

    /// The published vector of the suite (kem 0x20, kdf 1, aead 2) in base mode.
    @Test func `a message is encrypted as in the published vector`() throws {
        let sealed = try #require(
            try HPKE(
                to: Self.bytes("ac66bae9ffa270cf4a89ed9f274e30c0456babae2572aaaf002ff0d8884ab018"),
                info: String(decoding: Self.bytes("4f6465206f6e2061204772656369616e2055726e"), as: UTF8.self),
                ephemeral: SecretBytes(
                    Self.bytes("28e212563a8b6f068af7ff17400ff1baf23612b7a738bbaf5dfb321b2b5b431a"))))
        let message = try Self.bytes("4265617574792069732074727574682c20747275746820626561757479").withUnsafeBytes {
            try Cryptography.seal(
                $0, with: sealed.key, nonce: sealed.nonce, authenticating: Self.bytes("436f756e742d30"))
        }
        #expect(
            Array(message.dropFirst(12)).hexadecimal == """
                23ded2d5d90ea89d975dac4792b297240f194952d7421aacbff0474100052b6b\
                b8aa58d18ef6c42b6960e2e28f
                """)
    }

    @Test func `the receiver has the keys of the sender, and no other receiver and purpose`() throws {
        let sealed = try #require(try HPKE(to: pair.publicKey, info: "a"))
        func received(_ pair: KeyPair, _ info: String) throws -> HPKE? {
            try HPKE(from: sealed.encapsulated, to: pair.publicKey, SecretBytes(pair.privateKey), info: info)
        }
        let own = try #require(try received(pair, "a"))
        #expect(own.key == sealed.key && own.nonce == sealed.nonce)
        #expect(try received(pair, "b")?.key != sealed.key)
        #expect(try received(KeyPair(2), "a")?.key != sealed.key)
        #expect(try HPKE(to: pair.publicKey, info: "a")?.key != sealed.key)
    }

    /// The points of RFC 7748's curve with small order, for which the secret is zero with each private key.
    private static let lowOrder = [
        String(repeating: "00", count: 32), "01" + String(repeating: "00", count: 31),
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]

    @Test(arguments: lowOrder) func `a point of low order is refused`(point: String) throws {
        let point = Self.bytes(point)
        #expect(try HPKE(to: point, info: "") == nil)
        #expect(try HPKE(from: point, to: pair.publicKey, SecretBytes(pair.privateKey), info: "") == nil)
        var envelope = try OpenEnvelope.with(.numbered(1))
        let before = envelope.bytes
        try expectFailure(.invalidKey, saying: "no private key has") {
            let key = try Key.publicKey(pem: KeyPair.pem("PUBLIC KEY", "302a300506032b656e032100", point))
            try envelope.add(key, label: "", date: .fixed)
        }
        #expect(envelope.bytes == before)
        // As the encapsulated key of a slot.
        try envelope.add(pair.sealing, label: "", date: .fixed)
        let forged = envelope.bytes.replacing(envelope.bytes.suffix(96).prefix(32), with: point).withCheckSum
        #expect(try expectDefect(forged, pair.opening) != .noKeyFits)
    }

    /// X25519 takes them for other keys, but the keys of a message are derived from the form that the sender had.
    @Test func `a public key in another form than its own is refused`() throws {
        func key(_ bytes: [UInt8]) throws -> Key {
            try .publicKey(pem: KeyPair.pem("PUBLIC KEY", "302a300506032b656e032100", bytes))
        }
        let greatest: [UInt8] = [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        var masked: [UInt8] = pair.publicKey
        masked[31] |= 0x80
        for first in [0xED, 0xF6, 0xFF] as [UInt8] {
            try expectFailure(.invalidKey, saying: "no private key has") { try key([first] + greatest) }
        }
        try expectFailure(.invalidKey, saying: "no private key has") { try key(masked) }
        #expect(try key([0xEC] + greatest).isPublicKey)
        let less: [UInt8] = [UInt8](repeating: 0xFF, count: 31) + [0x7E]
        #expect(try key(less).isPublicKey)
    }

    // MARK: Envelopes

    @Test func `a slot is added by the public key, and opened by the private one`() throws {
        var envelope = try OpenEnvelope.with(.numbered(1))
        let slot = try envelope.add(pair.sealing, label: "offline", date: .fixed)
        #expect(slot.isRecovery && slot.publicKey == pair.publicPEM && slot.label == "offline" && !slot.isUnknown)
        let opened = try openEnvelope(envelope.bytes, pair.opening)
        #expect(opened.dataKeys == envelope.dataKeys && opened.usedSlot == slot.fingerprint)
        #expect(opened.keySlots == envelope.keySlots && opened.position == 0)
        #expect(try openEnvelope(envelope.bytes, pair.sealing, .numbered(1)).position == 1)
        #expect(try expectDefect(envelope.bytes, KeyPair(2).opening) == .noKeyFits)
        #expect(try expectDefect(envelope.bytes, pair.sealing, KeyPair(2).opening) == .noKeyFits)
        try expectFailure(.keySlot, saying: "has a slot already") {
            try envelope.add(pair.sealing, label: "", date: .fixed)
        }
        // Another database's slot has another fingerprint.
        var other = try OpenEnvelope(
            databaseSalt: [UInt8](repeating: 9, count: 16), key: .numbered(1), label: "", date: .fixed)
        #expect(try other.add(pair.sealing, label: "", date: .fixed).fingerprint != slot.fingerprint)
    }

    @Test func `every byte of a slot is authenticated`() throws {
        var envelope = try OpenEnvelope.with(.numbered(1))
        try envelope.add(pair.sealing, label: "offline", date: .fixed)
        let (start, end) = (52 + 103, envelope.bytes.count - 64)
        for index in start..<end {
            let forged = envelope.bytes.flipped(index).withCheckSum
            for key in try [pair.opening, .numbered(1)] {
                #expect(throws: EnvelopeDefect.self, "byte \(index - start)") { try openEnvelope(forged, key) }
            }
        }
    }

    @Test(arguments: [17, 18, 19, 20, 21, 36])
    func `a slot of another form is damage`(offset: Int) throws {
        var envelope = try OpenEnvelope.with(.numbered(1))
        try envelope.add(pair.sealing, label: "", date: .fixed)
        let forged = envelope.bytes.flipped(52 + 103 + offset, by: offset == 17 ? 4 : 1).withCheckSum
        #expect(throws: EnvelopeDefect.self) { try Envelope(bytes: forged) }
    }

    /// An envelope that the owner of its data keys has changed.
    private func signed(_ envelope: OpenEnvelope, _ content: [UInt8]) throws -> [UInt8] {
        try Digests.stored(content + envelope.dataKeys.authentication(of: content))
    }

    @Test func `a slot with another fingerprint than its public key's is damage, although it is authentic`() throws {
        var envelope = try OpenEnvelope.with(.numbered(1))
        try envelope.add(pair.sealing, label: "", date: .fixed)
        let content = envelope.sealed.signedBytes
        #expect(try signed(envelope, content) == envelope.bytes)
        let forged = content.flipped(52 + 103)
        for bytes in [forged, content.flipped(51) + forged[(52 + 103)...]] {
            let defect = try expectDefect(signed(envelope, bytes), .numbered(1))
            #expect(defect == .damaged("the fingerprint of a public key is that of another"))
        }
    }

    @Test func `an envelope that no reader would take is not written`() throws {
        var envelope = try OpenEnvelope.with(.numbered(1))
        let slot = try envelope.add(pair.sealing, label: "", date: .fixed)
        var sealed = envelope.sealed
        sealed.slots.append(sealed.slots[1])
        var forged = OpenEnvelope(
            sealed, dataKeys: envelope.dataKeys, position: nil, usedSlot: nil, wrappingKeys: WrappingKeys())
        let before = forged.bytes
        try expectFailure(.keySlot, saying: "could not be read", "Nothing was changed") {
            try forged.label(slot.fingerprint, "named", keys: [])
        }
        #expect(forged.bytes == before)
    }

    @Test func `the slot of a public key is not the last key of a chain`() throws {
        var envelope = try OpenEnvelope.with(.numbered(1))
        try envelope.add(pair.sealing, label: "", date: .fixed)
        try expectFailure(.keySlot, saying: "is the last") { try envelope.revoke(envelope.fingerprint(0)) }
        try envelope.revoke(envelope.fingerprint(1))
        #expect(try expectDefect(envelope.bytes, pair.opening) == .noKeyFits)
    }

    @Test func `other data keys are sealed to the public key without the private one`() throws {
        var envelope = try OpenEnvelope.with(.numbered(1))
        let slot = try envelope.add(pair.sealing, label: "offline", date: .fixed)
        let both = envelope.dataKeys.withSuccessor()
        #expect(try envelope.rewrap(both, keys: [.numbered(1), pair.sealing]) == [])
        #expect(try openEnvelope(envelope.bytes, pair.opening).dataKeys == both)
        #expect(try envelope.rewrap(both.each[1], keys: [.numbered(1), pair.opening]) == [])
        #expect(try openEnvelope(envelope.bytes, pair.opening).dataKeys == both.each[1])
        #expect(envelope.keySlots[1] == slot)
        // A public key that is not named may be an attacker's.
        #expect(try envelope.rewrap(.random(), keys: [.numbered(1), KeyPair(2).sealing]) == [slot])
    }

    /// The nonce is derived: a second message with the same keys would break AES-GCM.
    @Test func `each change of a slot is another message`() throws {
        var envelope = try OpenEnvelope.with(.numbered(1))
        let fingerprint = try envelope.add(pair.sealing, label: "offline", date: .fixed).fingerprint
        var messages: Set<[UInt8]> = []
        func message() -> [UInt8] { Array(envelope.sealed.slots[1].sealed.prefix(12)) }
        messages.insert(message())
        _ = try envelope.label(fingerprint, "named", keys: [])
        #expect(try openEnvelope(envelope.bytes, pair.opening).keySlots[1].label == "named")
        messages.insert(message())
        // Also with the private key, whose keys of the message are known by then.
        var opened = try openEnvelope(envelope.bytes, pair.opening, .numbered(1))
        _ = try opened.label(fingerprint, "again", keys: [pair.opening])
        envelope = opened
        messages.insert(message())
        _ = try envelope.rewrap(envelope.dataKeys, keys: [.numbered(1), pair.opening])
        messages.insert(message())
        #expect(messages.count == 4)
        #expect(Set([envelope, opened].map { $0.sealed.slots[1].derivation }).count == 2)
    }

    // MARK: Texts

    @Test func `keys are read as OpenSSL writes them`() throws {
        let privatePEM = """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VuBCIEIEiZqG1cyrZNJS1nlRYTi7gML/7/T5pM6F86w0MLF21S
            -----END PRIVATE KEY-----

            """
        let publicPEM = """
            -----BEGIN PUBLIC KEY-----
            MCowBQYDK2VuAyEA/oNz1px+0LdJSZ1OsQN8zR9JMAyPIdRYfk+B3/fJyxo=
            -----END PUBLIC KEY-----

            """
        let own = try Key.privateKey(pem: privatePEM)
        let other = try Key.publicKey(pem: publicPEM.replacing("\n", with: "\r\n"))
        var envelope = try OpenEnvelope.with(.numbered(1))
        #expect(try envelope.add(other, label: "", date: .fixed).publicKey == publicPEM)
        #expect(try openEnvelope(envelope.bytes, own).position == 0)
        #expect(own != other && "\(own) \(other)" == "Key(private key) Key(public key)")
        #expect(own.slotLabel == "key chain: private key")
    }

    private static let unusable: [(String, String)] = [
        ("", "is not PEM"), ("secret", "is not PEM"), (String(repeating: "A", count: 44), "is not PEM"),
        (KeyPair().publicPEM + KeyPair().publicPEM, "has a character in it"),
        ("\n \n" + KeyPair().publicPEM, "is not PEM"),
        (String(KeyPair().publicPEM.dropLast(20)), "is not PEM"),
        (KeyPair().publicPEM.replacing("=", with: "*"), "has a character in it"),
        (KeyPair().publicPEM.replacing("PUBLIC", with: "PRIVATE"), "is not one of X25519"),
        (KeyPair().privatePEM.replacing("PRIVATE", with: "PUBLIC"), "is not one of X25519"),
        (KeyPair().privatePEM.replacing("PRIVATE", with: "ENCRYPTED PRIVATE"), "is encrypted with a passphrase"),
        (KeyPair().privatePEM.replacing("PRIVATE", with: "EC PRIVATE"), "is not one of X25519"),
        // Ed25519, and one byte more.
        (KeyPair.pem("PUBLIC KEY", "302a300506032b6570032100", KeyPair().publicKey), "is not one of X25519"),
        (KeyPair.pem("PUBLIC KEY", "302a300506032b656e032100", KeyPair().publicKey + [0]), "is not one of X25519"),
        (KeyPair.pem("PRIVATE KEY", "302e020100300506032b656e04220420", []), "is not one of X25519"),
    ]

    @Test(arguments: unusable) func `another text is refused, and not shown`(text: String, reason: String) throws {
        for read in [Key.publicKey(pem:), Key.privateKey(pem:)] {
            let error = try expectFailure(.invalidKey, saying: reason) { try read(text) }
            #expect(!error.message.contains("AQEB"))
        }
    }

    @Test func `a private key where the public one belongs is refused, and the other way round`() throws {
        try expectFailure(.invalidKey, saying: "belongs elsewhere", "-pubout") {
            try Key.publicKey(pem: pair.privatePEM)
        }
        try expectFailure(.invalidKey, saying: "opens nothing") { try Key.privateKey(pem: pair.publicPEM) }
        try expectFailure(.invalidKey, saying: "a public key, which opens nothing") { try KeyChain(pair.sealing) }
        try expectFailure(.invalidKey, saying: "not a raw key") {
            try KeyChain(pair.opening).derived(for: DatabaseName("vault.sqlite"))
        }
    }

    @Test func `a text of keys has PEM in its lines`() throws {
        func keys(_ text: String) throws -> [Key] { try KeyChain(text: Array(text.utf8), source: "It").keys }
        let (other, raw) = (KeyPair(2), "raw:" + String(repeating: "07", count: 32))
        let expected = try [pair.sealing, .numbered(7), other.opening]
        #expect(try keys("\(pair.publicPEM)\n\(raw)\n\(other.privatePEM)") == expected)
        #expect(try keys("\(pair.publicPEM)\(raw)\n\(other.privatePEM)".replacing("\n", with: "\r\n")) == expected)
        try expectFailure(.keySource, saying: "It has a key in line 2", "is not PEM") {
            try keys("old\n" + pair.privatePEM.split(separator: "\n").dropLast().joined(separator: "\n"))
        }
        try expectFailure(.invalidKey, saying: "opens nothing") { try keys(pair.publicPEM) }
        #expect(try KeyChain(pair.sealing, other.opening).fingerprints().map(\.count) == [8, 8])
        try expectFailure(.invalidKey, saying: "of one pair") { try keys(pair.publicPEM + pair.privatePEM) }
    }

    /// As `openssl genpkey -text` and copying from elsewhere write it; the last line would be the current passphrase.
    @Test func `what is around PEM is not taken for a passphrase`() throws {
        let pem = pair.privatePEM
        let text = "X25519 Private-Key:\npriv:\n    01:01\npub:\n    a4:e0\n"
        let lines: [String] = pem.split(separator: "\n").map { String($0) }
        let indented: [String] = lines.map { "  \($0)" }
        let texts: [(String, String)] = [
            ("\(pem)\(text)", "something else in line 4"), ("\(text)\(pem)", "something else in line 1"),
            ("old\n\(pem)", "something else in line 1"), ("\(pem)\n\(KeyPair(2).publicPEM)new", "line 8"),
            (indented.joined(separator: "\n"), "part of a PEM key in line 1"),
            ("\(lines[1])\n\(lines[2])", "part of a PEM key in line 2"),
            ("\(pem)\(lines[2])", "part of a PEM key in line 4"),
        ]
        for (content, reason) in texts {
            let error = try expectFailure(.keySource, saying: reason) {
                try KeyChain(text: Array(content.utf8), source: "It")
            }
            #expect(!error.message.contains("AQEB") && !error.message.contains("01:01"))
        }
    }

    @Test func `neither a key nor an error shows its bytes`() throws {
        let secrets = [pair.privateKey, KeyPair.pem("", "", pair.privateKey).utf8.map { $0 }]
        let errors = try [
            expectFailure(.invalidKey) { try Key.publicKey(pem: pair.privatePEM) },
            expectFailure(.invalidKey) { try Key.privateKey(pem: pair.privatePEM + "A") },
        ]
        for text in try Secrecy.texts(of: pair.opening) + errors.flatMap(Secrecy.texts) {
            Secrecy.expectNone(
                of: secrets.map { Array($0.prefix(12)) }, [], in: text, sourceLocation: #_sourceLocation)
        }
    }

    // MARK: Another program

    @Test(.enabled(if: EnvelopeDecoder.installed != nil, EnvelopeDecoder.reason))
    func `another program opens the slot`() throws {
        let (decoder, directory) = (try #require(EnvelopeDecoder.installed), try TemporaryDirectory())
        let path = directory.path("envelope")
        var envelope = try OpenEnvelope.with(.numbered(7))
        func expect() throws {
            try Data(envelope.bytes).write(to: URL(filePath: path))
            try decoder.expect(envelope, at: path, keys: [pair.line])
        }
        let slot = try envelope.add(pair.sealing, label: "ü", date: .fixed)
        try expect()
        _ = try envelope.label(slot.fingerprint, "", keys: [])
        try expect()
        _ = try envelope.rewrap(envelope.dataKeys.withSuccessor(), keys: [.numbered(7), pair.sealing])
        try expect()
        #expect(try decoder.run(path, keys: [KeyPair(2).line]).errors.contains("no slot belongs"))
    }
}
