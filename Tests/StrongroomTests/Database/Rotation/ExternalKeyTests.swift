import Foundation
// Internal: the bytes of slots are forged, and data keys compared.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Keys outside the process")
struct ExternalKeyTests {
    private let vault: EnvelopeVault
    private let provider = ImitatedProvider()

    init() throws { vault = try EnvelopeVault() }

    private func key() throws -> Key { try .external(provider) }

    private func envelope(_ key: Key) throws -> OpenEnvelope {
        try vault.sidecar.open(with: KeyChain(key), salt: vault.salt)
    }

    // MARK: Openings

    @Test func `the writer and the readers of a store share one unwrap`() async throws {
        let report = try await vault([key()]).keep("first")
        #expect(report.outcome == .created && report.key == KeyUse(position: 0, count: 1))
        let before = (provider.wrapCount, provider.unwrapCount)
        try await vault([key()]).using { store in
            try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<8 { group.addTask { try await store.lines() } }
                for try await lines in group { #expect(lines == ["first"]) }
            }
            try await store.write { try $0.execute("INSERT INTO line (text) VALUES ('second')") }
        }
        #expect(provider.wrapCount == before.0 && provider.unwrapCount == before.1 + 1)
        #expect(try await vault([key()]).lines() == ["first", "second"])
    }

    @Test func `two callers that open a database at once share one unwrap`() async throws {
        try await vault([key()]).keep("first")
        let before = provider.unwrapCount
        let stores = try Stores(vault([key()]))
        async let first = stores.open("vault.sqlite")
        async let second = stores.open("vault.sqlite")
        let opened = try await [first, second]
        for store in opened { #expect(try await store.lines() == ["first"]) }
        await stores.shutDown(within: .seconds(60))
        #expect(provider.unwrapCount == before + 1)
    }

    @Test func `two providers that are asked at once open their own databases`() async throws {
        let others = try (0..<4).map { try (EnvelopeVault(), ImitatedProvider("imitation:\($0)")) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (vault, provider) in others {
                group.addTask {
                    try await vault([.external(provider)]).keep(provider.identifier)
                    #expect(try await vault([.external(provider)]).lines() == [provider.identifier])
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a wrapped key that is carried to another database is not unwrapped`() throws {
        let here = try OpenEnvelope(databaseSalt: .salt, key: key(), label: "", date: .fixed)
        let salt = [UInt8](repeating: 9, count: 16)
        let forged = Envelope(
            databaseSalt: salt, dataKeyIdentifier: here.sealed.dataKeyIdentifier, dataKeyCount: 1, generation: 1,
            slots: here.sealed.slots, authentication: here.sealed.authentication)
        try expectFailure(.keyProvider, saying: "imitation:1") { try openEnvelope(forged.bytes, key()) }
    }

    // MARK: Chains

    @Test func `a newer version of the provider's key takes the slot, and the pages stay as they were`() async throws {
        try await vault([key()]).keep("first")
        let (file, dataKeys) = try (vault.file, envelope(key()).dataKeys)
        let newer = ImitatedProvider("imitation:2", secret: [UInt8](repeating: 0x44, count: 32))
        let report = try await vault([key(), .external(newer)]).using { $0.openReport }
        #expect(report.rotation?.method == .envelope && report.key?.isCurrent == true)
        #expect(try vault.file == file)
        let rewrapped = try envelope(.external(newer))
        #expect(rewrapped.dataKeys == dataKeys && rewrapped.keySlots.map(\.externalIdentifier) == ["imitation:2"])
        try await expectFailure(.wrongKey) { try await vault([key()]).open() }
        #expect(try await vault([.external(newer)]).lines() == ["first"])
        try vault.expectNothingLeft()
    }

    @Test func `two processes that rewrap at once lose neither a row nor a copy of the envelope`() async throws {
        try await vault([key()]).keep()
        await withTaskGroup { group in
            for process in 0..<2 {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [path = vault.sidecar.databasePath as String, process = process as Int] in
                        // Each has the other's current key as its older one.
                        let keys = try (0..<2).map { index in
                            try Key.external(ImitatedProvider("imitation:\((index + process) % 2 + 1)"))
                        }
                        let own = Vault(String(path.dropLast("/vault.sqlite".count))) { _ in try KeyChain(keys) }
                            .with(\.protection, .envelope).with(\.settings.busyTimeout, .seconds(60))
                            .with(\.settings.openTimeout, .seconds(60))
                        for number in 0..<12 {
                            #expect(try await own.keep("\(process):\(number)").rotationFailure == nil)
                        }
                    }
                }
            }
        }
        let keys = try ["imitation:1", "imitation:2"].map { try Key.external(ImitatedProvider($0)) }
        let expected = (0..<2).flatMap { process in (0..<12).map { "\(process):\($0)" } }
        #expect(try await vault(keys).lines().sorted() == expected.sorted())
        try vault.expectNothingLeft()
        #expect(try envelope(keys[1]).keySlots.map(\.externalIdentifier) == ["imitation:2"])
    }

    @Test func `other kinds of keys come before and after it in a chain`() async throws {
        try await vault.direct(.numbered(1)).keep("first")
        #expect(try await vault([.numbered(1), key()]).keep("second").rotation?.method == .copy)
        #expect(try envelope(key()).keySlots.map(\.label) == ["key chain: external key"])
        let before = provider.unwrapCount
        #expect(try await vault([key(), .numbered(2)]).keep().rotation?.method == .envelope)
        #expect(provider.unwrapCount == before + 1)
        #expect(try await vault(2).lines() == ["first", "second"])
    }

    @Test func `it needs an envelope`() async throws {
        let direct = try vault.direct(key())
        try await expectFailure(.invalidKey, saying: "KeyProtection.envelope") { try await direct.open() }
        #expect(try DirectorySnapshot(vault.directory.path("")).names.isEmpty)
        try await vault.direct(.numbered(1)).keep("first")
        let before = try DirectorySnapshot(vault.directory.path(""))
        try await expectFailure(.invalidKey) { try await direct.open() }
        try await expectFailure(.envelopeMissing) { try await vault([key()]).open() }
        try await vault(1).using { store in
            let path = vault.directory.path("backup.sqlite")
            try await expectFailure(.invalidKey) { try await store.backup(to: path, key: key()) }
        }
        #expect(before.names == ["vault.sqlite"] && provider.wrapCount == 0)
    }

    @Test(arguments: ["", String(repeating: "é", count: 128), "line\n", "\u{0}"])
    func `an identifier that cannot be stored is refused`(identifier: String) throws {
        try expectFailure(.invalidArgument) { try Key.external(ImitatedProvider(identifier)) }
    }

    @Test func `the longest identifier and the longest wrapped key are kept`() throws {
        let name = String(repeating: "é", count: 127) + "."
        let key = try Key.external(ImitatedProvider(name))
        let envelope = try OpenEnvelope.with(key)
        #expect(try openEnvelope(envelope.bytes, key).keySlots.map(\.externalIdentifier) == [name])
        let wrapped = WrappedKey(identifier: name, bytes: [UInt8](repeating: 1, count: 4_096))
        let derivation = SlotDerivation.external(wrapped)
        #expect(try SlotDerivation(derivation.bytes, further: derivation.further) == derivation)
        try expectFailure(.invalidArgument) { try Key.external(provider, timeout: .zero) }
        try expectFailure(.invalidKey, saying: "are the same") { try KeyChain(self.key(), self.key()) }
    }
}
