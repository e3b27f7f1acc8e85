import Foundation
// Internal: the bytes of slots are forged, and data keys compared.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Providers that fail")
struct ExternalKeyFailureTests {
    private let vault: EnvelopeVault
    private let provider = ImitatedProvider()

    init() throws { vault = try EnvelopeVault() }

    private func key() throws -> Key { try .external(provider) }

    /// The key with a time limit that ends at once where the provider does not answer.
    private func failing(_ fault: ImitatedProvider.Fault) throws -> Key {
        provider.fault = fault
        return try fault == .never || fault == .late ? .impatient(provider) : key()
    }

    private func slots(_ key: Key) throws -> [String?] {
        try vault.sidecar.open(with: KeyChain(key), salt: vault.salt).keySlots.map(\.externalIdentifier)
    }

    // MARK: Openings

    @Test(arguments: ImitatedProvider.Fault.allCases)
    func `one is an error of its own, which changes nothing`(fault: ImitatedProvider.Fault) async throws {
        try await vault([key()]).keep("first")
        let before = try DirectorySnapshot(vault.directory.path(""))
        let failing = try failing(fault)
        let error = try await expectFailure(.keyProvider, saying: "\"imitation:1\"") {
            try await vault([failing]).open()
        }
        #expect(error.canRetry && error.family == .keys && error.database == "vault.sqlite")
        switch fault {
        case .fails: #expect(error.message.contains("could not unwrap a key: the session is closed"))
        case .never, .late: #expect(error.message.contains("did not unwrap a key within 0.02 seconds"))
        case .anotherKey, .tooShort, .empty: #expect(error.message.contains("has returned another key"))
        }
        try before.expectUntouched()
        // A late answer, while the next opening waits for its own.
        provider.release()
        provider.fault = nil
        #expect(try await vault([key()]).lines() == ["first"])
    }

    @Test(arguments: ImitatedProvider.Fault.allCases)
    func `the other keys of the chain open, and keep their slots`(fault: ImitatedProvider.Fault) async throws {
        try await vault([key()]).using { store in try await store.addKey(.numbered(1), label: "spare") }
        try await vault(1).keep("first")
        let copies = try vault.copies
        let failing = try failing(fault)
        let before = provider.unwrapCount
        let report = try await vault([.numbered(1), failing]).keep("second")
        #expect(report.key == KeyUse(position: 0, count: 2))
        #expect(report.rotationFailure?.code == .keyProvider && report.rotation == nil)
        #expect(try await provider.unwraps(atLeast: before + 1) == before + 1)
        #expect(try vault.copies == copies)
        // An older key of the chain is not needed.
        let manual = vault([failing, .numbered(1)]).with(\.settings.rotation, .manual)
        #expect(try await manual.keep().key?.isCurrent == true)
        #expect(try await provider.unwraps(atLeast: before + 1) == before + 1)
        provider.release()
        provider.fault = nil
        #expect(try await vault([key()]).lines() == ["first", "second"])
    }

    @Test func `a key that has no slot does not hide that a provider is away`() async throws {
        try await vault([key()]).keep("first")
        provider.fault = .fails
        try await expectFailure(.keyProvider) { try await vault([.numbered(8), key(), .numbered(9)]).open() }
        let other = try Key.external(ImitatedProvider("imitation:2"))
        let before = provider.unwrapCount
        try await expectFailure(.wrongKey) { try await vault([other]).open() }
        #expect(provider.unwrapCount == before)
    }

    @Test func `another key's bytes in a chain of two versions are not used`() async throws {
        try await vault([key()]).keep("first")
        let newer = ImitatedProvider("imitation:2")
        newer.fault = .anotherKey
        let report = try await vault([key(), .external(newer)]).keep("second")
        #expect(report.rotationFailure?.code == .keyProvider && report.key?.isCurrent == false)
        #expect(newer.wrapCount == 1)
        #expect(try slots(key()) == ["imitation:1"])
        newer.fault = nil
        #expect(try await vault([key(), .external(newer)]).lines() == ["first", "second"])
        #expect(try slots(.external(newer)) == ["imitation:2"])
    }

    @Test func `a conversion that was interrupted does not need the provider`() async throws {
        let backup = vault.directory.path("backup.sqlite")
        try await vault.direct(.numbered(1)).keep("first")
        try await vault.direct(.numbered(1)).backUp(to: backup)
        try vault.makeEnvelope(key())
        let copies = try vault.copies
        provider.fault = .fails
        // Without a key that opens the file, the provider's error stays what is reported.
        try await expectFailure(.keyProvider) { try await vault([.numbered(8), key()]).open() }
        let report = try await vault([.numbered(1), key()]).keep("second")
        #expect(report.key == KeyUse(position: 0, count: 2) && report.rotationFailure?.code == .keyProvider)
        try await vault([.numbered(1), key()]).with(\.settings.rotation, .manual).using { store in
            try await expectFailure(.keyProvider) { try await store.rotate() }
            try await expectFailure(.keyProvider) { try await store.rotate(.dataKey) }
        }
        // Also where the configuration does not require the envelope that is there.
        let direct = try vault.direct(key(), .numbered(1))
        #expect(try await direct.keep("third").rotationFailure?.code == .keyProvider)
        // The envelope would not be that of the restored file.
        try await expectFailure(.keyProvider) {
            try await Stores(vault([.numbered(1), key()])).restore("vault.sqlite", from: backup)
        }
        #expect(try vault.copies == copies && vault.isDirectlyOn(1))
        provider.fault = nil
        #expect(try await vault([.numbered(1), key()]).keep().rotation?.method == .copy)
        #expect(try vault.copies == copies && !vault.isDirectlyOn(1))
        #expect(try await vault([key()]).lines() == ["first", "second", "third"])
    }

    @Test func `a backup with another key is restored for an external key`() async throws {
        let backup = vault.directory.path("backup.sqlite")
        try await vault(1).keep("first")
        try await vault(1).using { store in _ = try await store.backup(to: backup, key: .numbered(5)) }
        let other = try EnvelopeVault()
        let stores = try Stores(other([key()]))
        provider.fault = .fails
        try await expectFailure(.keyProvider) {
            try await stores.restore("vault.sqlite", from: backup, keys: KeyChain(.numbered(5)))
        }
        #expect(try DirectorySnapshot(other.directory.path("")).names.isEmpty)
        provider.fault = nil
        try await stores.restore("vault.sqlite", from: backup, keys: KeyChain(.numbered(5)))
        try other.expectNothingLeft()
        #expect(try await other([key()]).keep().rotation == nil)
        #expect(try await other([key()]).lines() == ["first"])
    }

    // MARK: Wrapping

    private static let refused: [(ImitatedProvider.Fault?, [UInt8]?, StrongroomError.Code)] = [
        (.fails, nil, .keyProvider), (.anotherKey, nil, .keyProvider), (.tooShort, nil, .keyProvider),
        (nil, [], .invalidArgument), (nil, [UInt8](repeating: 1, count: 4_097), .invalidArgument),
        (nil, [1], .keyProvider),
    ]

    @Test(arguments: refused)
    func `a slot is not made with what cannot be unwrapped`(
        fault: ImitatedProvider.Fault?, wrapped: [UInt8]?, code: StrongroomError.Code
    ) async throws {
        try await vault(1).keep("first")
        let copies = try vault.copies
        (provider.fault, provider.wrapped) = (fault, wrapped)
        try await vault(1).using { store in
            try await expectFailure(code, saying: "imitation:1") { try await store.addKey(key(), label: "token") }
            #expect(try await store.keySlots().map(\.externalIdentifier) == [nil])
        }
        #expect(try vault.copies == copies)
        let new = try EnvelopeVault()
        try await expectFailure(code) { try await new([key()]).open() }
        #expect(try DirectorySnapshot(new.directory.path("")).names.isEmpty)
    }

    // MARK: The data key

    @Test func `a new data key has a new key of the slot`() async throws {
        let recovery = try await vault([key()]).using { store in try await store.recoveryKey() }
        try await vault([key()]).keep("first")
        let old = try vault.sidecar.open(with: KeyChain(key()), salt: vault.salt)
        let before = provider.wrapCount
        let report = try await vault([key()]).using { store in
            try await store.rotate(.dataKey, keys: [.recovery(recovery)])
        }
        #expect(report.method == .copy)
        let new = try vault.sidecar.open(with: KeyChain(key()), salt: vault.salt)
        #expect(provider.wrapCount == before + 1)
        #expect(new.dataKeys != old.dataKeys && new.dataKeys.count == 1)
        #expect(new.keySlots.map(\.isRecovery) == [false, true] && new.keySlots[0].label == old.keySlots[0].label)
        let wrapped = [old, new].map { $0.sealed.slots[0].derivation.wrapped }
        #expect(wrapped[0] != wrapped[1] && old.keySlots[0].fingerprint != new.keySlots[0].fingerprint)
        #expect(try await vault([.recovery(recovery)]).lines() == ["first"])
    }

    @Test func `another key under the identifier of a slot does not take it with a new data key`() async throws {
        try await vault(1).using { store in try await store.addKey(key(), label: "token") }
        let copies = try vault.copies
        let other = ImitatedProvider(secret: [UInt8](repeating: 0x55, count: 32))
        let otherKey = try Key.external(other)
        try await vault(1).using { store in
            try await expectFailure(.keyProvider) { try await store.rotate(.dataKey, keys: [otherKey]) }
        }
        #expect(try vault.copies == copies)
        #expect(other.wrapCount == 0)
    }

    @Test func `a damaged copy of the envelope is repaired while a provider is away`() async throws {
        try await vault([key()]).using { store in try await store.addKey(.numbered(1), label: "spare") }
        let copies = try vault.copies
        try vault.put(copies[0], nil)
        provider.fault = .fails
        #expect(try await vault([.numbered(1), key()]).keep().rotationFailure?.code == .keyProvider)
        let repaired = try vault.copies
        #expect(repaired[0] != nil && repaired[0] == repaired[1])
        provider.fault = nil
        try await vault([key()]).keep()
    }

    @Test func `a new data key is refused without the provider of a slot`() async throws {
        try await vault(1).using { store in try await store.addKey(key(), label: "token") }
        try await vault(1).keep("first")
        let (copies, file) = try (vault.copies, vault.file)
        try await vault(1).using { store in
            let error = try await expectFailure(.keySlot) { try await store.rotate(.dataKey) }
            #expect(error.message.contains("token, external key \"imitation:1\""))
            provider.fault = .fails
            let failing = try key()
            try await expectFailure(.keyProvider) { try await store.rotate(.dataKey, keys: [failing]) }
        }
        #expect(try vault.copies == copies)
        #expect(try vault.file == file)
        provider.fault = nil
        let known = try key()
        try await vault(1).using { store in _ = try await store.rotate(.dataKey, keys: [known]) }
        #expect(try vault.isOnDataKey(1))
        #expect(try await vault([key()]).lines() == ["first"])
    }

    // MARK: Forged slots

    @Test func `every byte of its slot is authenticated`() throws {
        let envelope = try OpenEnvelope.with(.numbered(1), key())
        let start = 52 + 103
        for index in start..<envelope.bytes.count - 64 {
            let forged = envelope.bytes.flipped(index).withCheckSum
            #expect(throws: EnvelopeDefect.self, "byte \(index - start)") { try openEnvelope(forged, .numbered(1)) }
            #expect(throws: (any Error).self, "byte \(index - start)") { try openEnvelope(forged, key()) }
        }
    }

    @Test func `a slot that no version writes is damage, and no provider is asked`() throws {
        let envelope = try OpenEnvelope.with(.numbered(1))
        func slot(_ identifier: Int, _ wrapped: Int, salt: UInt8 = 0, character: UInt8 = 0x61) -> [UInt8] {
            var slot = [UInt8].unknownSlot(kind: 3, number: UInt8(wrapped & 0x7F), further: identifier + wrapped)
            slot.replaceSubrange(21..<37, with: [UInt8](repeating: salt, count: 16))
            slot[18] = UInt8(identifier)
            let text = [UInt8](repeating: character, count: identifier)
            slot.replaceSubrange(slot.count - identifier - wrapped..<slot.count - wrapped, with: text)
            return slot
        }
        let names = try envelope.with(slot(5, 9), slot(6, 10)).keySlots.map(\.externalIdentifier)
        #expect(names == [nil, "aaaaa", "aaaaaa"])
        for forged in [slot(0, 9), slot(5, 0), slot(5, 4_097), slot(5, 9, salt: 1), slot(5, 9, character: 0x1B)] {
            #expect(throws: EnvelopeDefect.self) { try envelope.with(forged) }
        }
        #expect(throws: EnvelopeDefect.damaged("two of its slots have the same external key")) {
            try envelope.with(slot(5, 9), slot(5, 10))
        }
    }
}
