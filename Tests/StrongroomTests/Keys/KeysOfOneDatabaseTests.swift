import Strongroom
import StrongroomTesting
import Testing

@Suite("Keys of one database from a shared secret")
struct KeysOfOneDatabaseTests {
    private let alice: DatabaseName
    private let bob: DatabaseName

    init() throws {
        alice = try DatabaseName("vault_alice.sqlite")
        bob = try DatabaseName("vault_bob.sqlite")
    }

    @Test func `each name has its own, the same each time`() throws {
        let shared = try KeyChain(.numbered(1), .numbered(2))
        let chain = try shared.derived(for: alice)
        #expect(chain.count == 2)
        #expect(try chain == shared.derived(for: alice))
        #expect(try chain != shared.derived(for: bob))
        #expect(try shared.derived(for: alice, openingShared: true).count == 4)
        // HKDF-SHA256 without a salt, of which files depend.
        let expected: [UInt8] = [
            0xd7, 0x1e, 0x0a, 0xc3, 0xdd, 0x0c, 0x2c, 0x7f, 0x1a, 0xe2, 0xc2, 0xd8, 0x89, 0xcf, 0x32, 0xfb,
            0x5f, 0x67, 0xe2, 0x32, 0xde, 0x45, 0xe7, 0x6d, 0xa9, 0xfb, 0xde, 0x4c, 0x3b, 0x20, 0x70, 0x85,
        ]
        #expect(try KeyChain(.numbered(1)).derived(for: alice) == KeyChain(.raw(expected)))
    }

    @Test func `plaintext stays plaintext`() throws {
        #expect(try KeyChain.plaintext.derived(for: alice) == .plaintext)
        let chain = try KeyChain(.plaintext, .numbered(1)).derived(for: alice)
        let expected = try KeyChain(.numbered(1)).derived(for: alice)
        #expect(chain.count == 2 && chain != expected)
    }

    @Test func `a passphrase is refused with its place`() throws {
        let refused: [(keys: [Key], place: Int)] = [
            ([.passphrase("a")], 1), ([.plaintext, .passphrase("a")], 2), ([.passphrase("a"), .numbered(1)], 1),
        ]
        for (keys, place) in refused {
            let error = try expectFailure(.invalidKey) { try KeyChain(keys).derived(for: alice) }
            #expect(error.message.contains("Key \(place) of the chain is not a raw key"))
        }
        // An older one opens files that are not rotated yet.
        let moving = try KeyChain(.passphrase("a"), .numbered(1)).derived(for: alice, openingShared: true)
        #expect(moving.count == 3)
        try expectFailure(.invalidKey) {
            try KeyChain(.numbered(1), .passphrase("a")).derived(for: alice, openingShared: true)
        }
    }

    @Test func `a file goes over to its key, and opens as no other database`() async throws {
        let directory = try TemporaryDirectory()
        let shared = try KeyChain(.numbered(1))
        let old = Vault(directory.path("")) { _ in shared }
        try await old.keep("a")
        let moving = Vault(directory.path("")) { try shared.derived(for: $0, openingShared: true) }
        #expect(try await moving.keep("b").rotation?.isRotated == true)
        let new = Vault(directory.path("")) { try shared.derived(for: $0) }
        #expect(try await new.lines() == ["a", "b"])
        try await expectFailure(.wrongKey) { try await old.open() }
        let bob = bob
        let other = Vault(directory.path("")) { _ in try shared.derived(for: bob) }
        try await expectFailure(.wrongKey) { try await other.open() }
    }
}
