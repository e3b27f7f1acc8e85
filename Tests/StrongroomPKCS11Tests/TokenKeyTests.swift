import Foundation
import Strongroom
import StrongroomTesting
import Testing

// Internal: tokens are prepared by the module's functions.
@testable import StrongroomPKCS11

@Suite("Keys in tokens", SoftHSM.isInstalled)
struct TokenKeyTests {
    private let directory = TemporaryDirectory.ofSuite()
    private let token: TestToken

    init() throws { token = try TestToken() }

    private static let context = [UInt8](0..<16)
    private static let bytes = [UInt8](100..<132)

    enum Form: UInt8, CaseIterable, Codable {
        case aesGCM = 1
        case aesKeyWrap = 2
        case oaepSHA1 = 4
    }

    /// A provider whose key wraps in a form.
    private func provider(_ form: Form, _ label: String = "database key") throws -> any KeyProvider {
        switch form {
        case .aesGCM: try token.makeAESKey(label)
        case .aesKeyWrap: try token.makeAESKey(label, for: [.wrap])
        case .oaepSHA1: try token.makeRSAKeyPair(label)
        }
        return try Self.provider(form, label, token.token())
    }

    private static func provider(_ form: Form, _ label: String, _ token: PKCS11Token) throws -> any KeyProvider {
        try form == .oaepSHA1 ? token.rsaKeyPair(label: label) : token.aesKey(label: label)
    }

    private static func vault(_ directory: String, _ providers: [any KeyProvider]) -> Vault {
        Vault(directory) { _ in try KeyChain(providers.map { try .external($0, timeout: .seconds(60)) }) }
            .with(\.protection, .envelope)
    }

    private func vault(_ providers: any KeyProvider...) -> Vault { Self.vault(directory.path(""), providers) }

    // MARK: Stores

    @Test(arguments: Form.allCases)
    func `one makes the slot of an envelope, and opens it in another process`(form: Form) async throws {
        try await vault(provider(form)).keep("first")
        let path = try #require(SoftHSM.path)
        await #expect(processExitsWith: .success) {
            [
                path = path as String, root = directory.path("") as String, label = token.label as String,
                pin = directory.path("pin") as String, form = form as Form
            ] in
            _ = SoftHSM.home
            _ = FileManager.default.createFile(
                atPath: pin, contents: Data("\(TestToken.pin)\n".utf8), attributes: [.posixPermissions: 0o600])
            let token = try PKCS11Token(module: path, label: label, pin: KeyFile(pin))
            let vault = try Self.vault(root, [Self.provider(form, "database key", token)])
            try await vault.keep("second")
        }
        let provider = try Self.provider(form, "database key", token.token())
        let identifiers = try await vault(provider).using { try await $0.keySlots().map(\.externalIdentifier) }
        #expect(identifiers == [provider.identifier])
        #expect(try await vault(provider).lines() == ["first", "second"])
    }

    @Test func `sixteen databases are opened at once`() async throws {
        let provider = try provider(.aesGCM)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                let vault = Self.vault(directory.path("\(number)"), [provider])
                group.addTask {
                    try FileManager.default.createDirectory(
                        atPath: vault.directory, withIntermediateDirectories: true)
                    try await vault.keep("\(number)")
                    #expect(try await vault.lines() == ["\(number)"])
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `another version of the key takes the slot`() async throws {
        let old = try provider(.aesGCM, "version 1")
        try await vault(old).keep("first")
        let new = try provider(.aesKeyWrap, "version 2")
        #expect(try await vault(old, new).keep().rotation?.method == .envelope)
        try token.deleteAESKey("version 1")
        #expect(try await vault(new).lines() == ["first"])
    }

    @Test func `a key that is deleted is named, and another slot opens`() async throws {
        let provider = try provider(.aesGCM)
        let recovery = try await vault(provider).using { try await $0.recoveryKey() }
        try token.deleteAESKey("database key")
        try await expectFailure(.keyProvider, saying: "There is no AES key like the key \"database key\" of the token")
        {
            try await vault(provider).open()
        }
        let opened = Vault(directory.path("")) { _ in
            try KeyChain(.recovery(recovery), .external(provider, timeout: .seconds(60)))
        }.with(\.protection, .envelope)
        #expect(try await opened.keep("second").rotationFailure?.code == .keyProvider)
    }

    @Test func `a token that is removed is named, while its sessions are open`() async throws {
        let provider = try provider(.aesGCM)
        try await vault(provider).keep("first")
        try FileManager.default.moveItem(atPath: token.directory, toPath: directory.path("removed"))
        try await expectFailure(.keyProvider, saying: "does not have the token \"\(token.label)\"") {
            try await vault(provider).open()
        }
        // In this process SoftHSM does not find it again.
        try FileManager.default.moveItem(
            atPath: directory.path("removed"), toPath: "\(SoftHSM.home)/tokens/\(UUID().uuidString.lowercased())")
        let path = try #require(SoftHSM.path)
        await #expect(processExitsWith: .success) {
            [path = path as String, root = directory.path("") as String, label = token.label as String] in
            _ = SoftHSM.home
            let token = try PKCS11Token(module: path, label: label) { Array(TestToken.pin.utf8) }
            #expect(try await Self.vault(root, [token.aesKey(label: "database key")]).lines() == ["first"])
        }
    }

    // MARK: What is wrapped

    @Test(arguments: Form.allCases)
    func `it is a form by its first byte, and unwrapped with its context alone`(form: Form) async throws {
        let provider = try provider(form)
        let wrapped = try await provider.wrap(Self.bytes, context: Self.context)
        #expect(wrapped.first == form.rawValue)
        #expect(try await provider.wrap(Self.bytes, context: Self.context) != wrapped || form == .aesKeyWrap)
        #expect(try await provider.unwrap(wrapped, context: Self.context) == Self.bytes)
        for context in [[], Self.context.reversed(), Self.context.dropLast(), Self.context + [0]] {
            try await expectFailure(.keyProvider) { try await provider.unwrap(wrapped, context: context) }
        }
    }

    /// Made by the Python package cryptography, with a key of 32 bytes 0x42.
    private static let recorded = [
        """
        01c8c9cacbcccdcecfd0d1d2d3783d61484a211d52499d539a2302a415824df446dfcca11c8264be85db58101d5f96dd568c992fc33353\
        67e26b0a95e5
        """,
        """
        02b7198951e744705dc8aa15083eb693928dbcc86fbecba771b59c65d994becbe63023f870ab1d39a123853c2187bf4b5812d814732\
        2d9a569
        """,
    ]

    @Test(arguments: recorded)
    func `what another program has wrapped is unwrapped`(text: String) async throws {
        try token.importAESKey("known", [UInt8](repeating: 0x42, count: 32))
        let wrapped = stride(from: 0, to: text.count, by: 2).compactMap {
            UInt8(text.dropFirst($0).prefix(2), radix: 16)
        }
        let key = try token.token().aesKey(label: "known")
        #expect(try await key.unwrap(wrapped, context: Self.context) == Self.bytes)
    }

    @Test(arguments: Form.allCases)
    func `every byte of it is authenticated, and every length but its own refused`(form: Form) async throws {
        let provider = try provider(form)
        let wrapped = try await provider.wrap(Self.bytes, context: Self.context)
        let step = form == .oaepSHA1 ? 16 : 1
        for index in stride(from: 0, to: wrapped.count, by: step) {
            var changed = wrapped
            changed[index] ^= 1
            try await expectFailure(.keyProvider, "byte \(index)") { [changed] in
                try await provider.unwrap(changed, context: Self.context)
            }
            try await expectFailure(.keyProvider, "\(index) bytes") {
                try await provider.unwrap(Array(wrapped.prefix(index)), context: Self.context)
            }
        }
        for longer in [1, 8, 4_000] {
            try await expectFailure(.keyProvider, "\(longer) more") {
                try await provider.unwrap(
                    wrapped + [UInt8](repeating: 7, count: longer), context: Self.context)
            }
        }
    }

    @Test func `a form of the other kind of key is refused`() async throws {
        let (secret, pair) = try (provider(.aesGCM), provider(.oaepSHA1, "pair"))
        let wrapped = try await pair.wrap(Self.bytes, context: Self.context)
        // Who has the public key has made it.
        try await expectFailure(.keyProvider, saying: "not in a form") {
            try await secret.unwrap(wrapped, context: Self.context)
        }
    }

    // MARK: Keys that are refused

    @Test func `a key that can leave the token wraps nothing`() async throws {
        try token.makeAESKey("secret", isExtractable: true)
        try token.makeRSAKeyPair("pair", isExtractable: true)
        for provider in try [token.token().aesKey(label: "secret"), token.token().rsaKeyPair(label: "pair")] {
            try await expectFailure(.keyProvider, saying: "CKA_EXTRACTABLE") {
                try await provider.wrap(Self.bytes, context: Self.context)
            }
        }
    }

    @Test func `a key without a use, and a short one, wrap nothing`() async throws {
        try token.makeAESKey("secret", for: [])
        try token.makeRSAKeyPair("pair", bits: 1_024)
        let (secret, pair) = try (token.token().aesKey(label: "secret"), token.token().rsaKeyPair(label: "pair"))
        try await expectFailure(.keyProvider, saying: "Neither AES-GCM", "nor AES key wrap") {
            try await secret.wrap(Self.bytes, context: Self.context)
        }
        try await expectFailure(.keyProvider, saying: "RSA with 1024 bits", "2,048 to 16,384") {
            try await pair.wrap(Self.bytes, context: Self.context)
        }
    }

    @Test func `a key that needs no PIN is refused, and does not disturb one that does`() async throws {
        try token.makeAESKey("secret", isPrivate: false)
        try token.makeRSAKeyPair("pair", isPrivate: false)
        let (secret, pair) = try (token.token().aesKey(label: "secret"), token.token().rsaKeyPair(label: "pair"))
        for provider in [secret, pair] {
            try await expectFailure(.keyProvider, saying: "No PIN is needed", "--private") {
                try await provider.wrap(Self.bytes, context: Self.context)
            }
            try await expectFailure(.keyProvider) {
                try await provider.unwrap([UInt8](repeating: 1, count: 61), context: Self.context)
            }
        }
        try token.makeAESKey("secret")
        let wrapped = try await secret.wrap(Self.bytes, context: Self.context)
        #expect(try await secret.unwrap(wrapped, context: Self.context) == Self.bytes)
        try token.deleteAESKey("secret")
        try await expectFailure(.keyProvider, saying: "No PIN is needed") {
            try await secret.unwrap(wrapped, context: Self.context)
        }
    }

    @Test func `a key that asks for the PIN at each use is refused`() async throws {
        try token.makeRSAKeyPair("pair", asksAlways: true)
        let pair = try token.token().rsaKeyPair(label: "pair")
        try await expectFailure(.keyProvider, saying: "CKA_ALWAYS_AUTHENTICATE") {
            try await pair.wrap(Self.bytes, context: Self.context)
        }
    }

    @Test(arguments: Form.allCases)
    func `of several keys with a label each unwraps what it has wrapped, and none wraps`(form: Form) async throws {
        let first = try provider(form)
        let wrapped = try await first.wrap(Self.bytes, context: Self.context)
        let second = try provider(form)
        #expect(try await second.unwrap(wrapped, context: Self.context) == Self.bytes)
        try await expectFailure(.keyProvider, saying: "There are several keys", "another label, or remove them") {
            try await first.wrap(Self.bytes, context: Self.context)
        }
        var changed = wrapped
        changed[wrapped.count - 1] ^= 1
        try await expectFailure(.keyProvider) { [changed] in
            try await first.unwrap(changed, context: Self.context)
        }
    }

    @Test func `a key's CKA_ID tells it from another one with its label`() async throws {
        try token.makeAESKey("secret", id: [1])
        try token.makeAESKey("secret", id: [2])
        let (first, second, none) = try (
            token.token().aesKey(label: "secret", id: [1]), token.token().aesKey(label: "secret", id: [2]),
            token.token().aesKey(label: "secret", id: [3])
        )
        let wrapped = try await first.wrap(Self.bytes, context: Self.context)
        #expect(try await first.unwrap(wrapped, context: Self.context) == Self.bytes)
        try await expectFailure(.keyProvider) { try await second.unwrap(wrapped, context: Self.context) }
        try await expectFailure(.keyProvider, saying: "with its CKA_ID") {
            try await none.unwrap(wrapped, context: Self.context)
        }
    }

    @Test func `a module is the same by every path`() throws {
        let (path, link) = (try #require(SoftHSM.path), directory.path("link.so"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(try CryptokiModule.loaded(link) === token.module)
    }

    @Test func `of several tokens with a label the serial number decides`() async throws {
        let twin = try TestToken(label: token.label)
        try twin.makeAESKey("secret")
        let both = try token.token().aesKey(label: "secret")
        try await expectFailure(.keyProvider, saying: "2 tokens", "serial number") {
            try await both.wrap(Self.bytes, context: Self.context)
        }
        let provider = try twin.token(serial: twin.serial).aesKey(label: "secret")
        let wrapped = try await provider.wrap(Self.bytes, context: Self.context)
        #expect(try await provider.unwrap(wrapped, context: Self.context) == Self.bytes)
        // The slot is opened by whichever of the copies the program names.
        #expect(provider.identifier == both.identifier)
    }
}
