import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Key material is never shown")
struct KeySecrecyTests {
    private static let passphrase = "Tr0ub4dor&3"
    private static let bytes = [UInt8](0xA0..<0xC0)

    static let keys = [
        Key.passphrase(passphrase), .raw(bytes), .raw(bytes, salt: [UInt8](0x10..<0x20)), .raw(Array(bytes.dropLast())),
        .raw(bytes, salt: Array(bytes.prefix(3))),
    ]

    private func expectNothing(in text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let pieces = [Array(Self.passphrase.utf8.prefix(4)), Array(Self.bytes.prefix(4))]
        Secrecy.expectNone(of: pieces, [Self.passphrase], in: text, sourceLocation: sourceLocation)
        // `dump` writes one element a line. One alone may be of a salt, which is no secret.
        #expect(!text.contains(/- 160\n *- 161\n/), sourceLocation: sourceLocation)
    }

    @Test(arguments: keys.indices)
    func aKeyHasNoTextWithItsContent(index: Int) {
        for text in Secrecy.texts(of: Self.keys[index]) { expectNothing(in: text) }
    }

    @Test func theTextOfAKeyTellsItsKind() {
        #expect("\(Key.passphrase("a"))" == "Key(passphrase)")
        #expect(String(reflecting: Key.random()) == "Key(raw)")
    }

    @Test func whatHoldsKeysHasNoTextWithThem() throws {
        struct Holder {
            let name = "holder"
            let key: Key
            let chain: KeyChain
        }
        let chain = try KeyChain(Self.keys[0], Self.keys[1], Self.keys[2])
        let holder = Holder(key: Self.keys[0], chain: chain)
        for text in Secrecy.texts(of: chain) + Secrecy.texts(of: holder) { expectNothing(in: text) }
    }

    @Test func noErrorShowsAKey() async throws {
        let directory = try TemporaryDirectory()
        try await Vault(directory.path(""), keys: .numbered(1)).keep("a")
        let vault = Vault(directory.path(""), keys: Self.keys[0], Self.keys[1], Self.keys[2])
        var errors = [try await expectFailure(.wrongKey) { try await vault.open() }]
        for key in Self.keys[3...] { errors.append(try expectFailure(.invalidKey) { try KeyChain(key) }) }
        errors.append(try expectFailure(.invalidKey) { try KeyChain(Self.keys[0], Self.keys[0]) })
        for error in errors {
            for text in Secrecy.texts(of: error) + [error.localizedDescription] { expectNothing(in: text) }
        }
    }

    @Test func anOpenStoreHasNoTextWithItsKey() async throws {
        let directory = try TemporaryDirectory()
        let store = try await Vault(directory.path(""), keys: Self.keys[0], Self.keys[1]).open()
        try await store.read { _ in }
        for text in Secrecy.texts(of: store) + Secrecy.texts(of: store.openReport) { expectNothing(in: text) }
        try await store.close()
    }

    /// The keys of a file that is cut off in its key, or has a bad one, are not to come back in the message.
    @Test func noErrorOfAKeyFileShowsItsContent() throws {
        let directory = try TemporaryDirectory()
        let hex = Self.bytes.map { String($0, radix: 16) }.joined()
        let contents = [
            "\(Self.passphrase)\nraw:\(hex.dropLast())\n", "\(Self.passphrase)\nraw:\(hex)zz\n",
            "raw:\(Self.passphrase)",
            "\(Self.passphrase)\n\(Self.passphrase)\n", "\(Self.passphrase)\0\n", "\u{FEFF}\(Self.passphrase)\n",
        ]
        for (number, content) in contents.enumerated() {
            let path = directory.path("keys\(number)")
            let made = FileManager.default.createFile(
                atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600])
            #expect(made)
            let error = try #require(throws: StrongroomError.self) { try KeyFile(path).keyChain() }
            for text in Secrecy.texts(of: error) { expectNothing(in: text) }
        }
    }
}

/// What a secret could be shown as.
enum Secrecy {
    /// Every text that Swift makes of a value.
    static func texts<T>(of value: T) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [
            "\(value)", String(describing: value), String(reflecting: value), dumped, "\([value])",
            "\(Optional(value) as Any)",
            String(reflecting: ["key": value]), Mirror(reflecting: value).children.map { "\($0)" }.joined(),
        ]
    }

    /// Checks that no piece of a secret is in a text in any form, and no secret text.
    static func expectNone(
        of pieces: [[UInt8]], _ secrets: [String], in text: String, sourceLocation: SourceLocation
    ) {
        for secret in secrets { #expect(!text.contains(secret), sourceLocation: sourceLocation) }
        for piece in pieces {
            let hex = piece.map { String($0, radix: 16) }
            let forms = [
                hex.joined(), hex.joined().uppercased(), hex.joined(separator: " "), hex.joined(separator: ", "),
                piece.map { String($0) }.joined(separator: ", "), piece.map { "- \($0)" }.joined(separator: "\n"),
                Data(piece).base64EncodedString(),
            ]
            for form in forms { #expect(!text.contains(form), "\(form)", sourceLocation: sourceLocation) }
        }
    }
}
