import Foundation
// Internal: the number of derivations, which no public interface tells; their time would prove nothing on a busy
// machine.
@testable import Strongroom
import StrongroomTesting
import Synchronization
import Testing

/// Each in a process of its own, where no other test derives keys.
@Suite("The slow derivation")
struct KeyDerivationTests {
    private static var derivations: Int { DerivedKey.derivations.load(ordering: .relaxed) }

    /// Opens a store and holds a number of its readers at one time.
    private static func useReaders(_ count: Int, of vault: Vault) async throws {
        let store = try await vault.with(\.settings, StoreSettings(readers: count)).open()
        let inside = Locked(0)
        try await withThrowingTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    try await store.read { db in
                        _ = try db.value("SELECT count(*) FROM line", as: Int.self)
                        inside.withLock { $0 += 1 }
                        // Nobody leaves before all are in, so each has a connection of its own.
                        while inside.withLock({ $0 }) < count { usleep(1_000) }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
        try await store.close()
    }

    @Test func itRunsOnceForEachOpeningHoweverManyReadersThereAre() async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .success) { [directory = directory.path("") as String] in
            // A raw key needs none.
            try await Self.useReaders(3, of: Vault("\(directory)raw", keys: .numbered(1)))
            #expect(Self.derivations == 0)
            let vault = Vault("\(directory)files", keys: .passphrase("secret"))
            try await Self.useReaders(8, of: vault)
            #expect(Self.derivations == 1)
            try await Self.useReaders(8, of: vault)
            #expect(Self.derivations == 2)
        }
    }

    @Test func itRunsOnceForEachKeyThatIsTriedFromTheNewestToTheOldest() async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .success) { [directory = directory.path("") as String] in
            let keys = ["oldest", "older", "newest"].map { Key.passphrase($0) }
            for index in keys.indices {
                let root = "\(directory)\(index)"
                try await Vault(root) { _ in try KeyChain(keys[index]) }.keep("a")
                let before = Self.derivations
                try await Self.useReaders(3, of: Vault(root) { _ in try KeyChain(keys) })
                #expect(Self.derivations - before == keys.count - index)
            }
        }
    }

    /// The engine must not derive either: after the opening its own setting is changed, so that a connection that was
    /// given the passphrase would derive another key and fail.
    @Test func readersAreNotGivenThePassphrase() async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .success) { [directory = directory.path("") as String] in
            let vault = Vault(directory, keys: .passphrase("secret"))
            let store = try await vault.with(\.settings, StoreSettings(readers: 1)).open()
            let other = try Connection(path: ":memory:", mode: .create, database: ":memory:")
            try other.run("PRAGMA cipher_default_kdf_iter = 5000")
            _ = try await store.lineCount()
            try await store.close()
            // The setting does what is said of it.
            let byPassphrase = try Connection(path: vault.path, mode: .existing, database: "vault")
            try Array("secret".utf8).withUnsafeBytes { try byPassphrase.setKey($0) }
            try expectFailure(.notADatabase) { try byPassphrase.proveKey() }
        }
    }
}
