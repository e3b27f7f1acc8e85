import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("A program's configuration in a temporary directory")
struct TemporaryStoresTests {
    private struct Ledger: Configuration {
        static let target = "ledger"

        struct NeverAsked: Error {}

        func filePath(for database: DatabaseName) throws -> String? { "/nowhere/\(database)" }
        func keyChain(for database: DatabaseName) throws -> KeyChain { throw NeverAsked() }
        func migrator(for database: DatabaseName) -> Migrator? {
            Migrator { Migration("1") { db in try db.execute("CREATE TABLE payment (amount INTEGER)") } }
        }
        func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(readers: 7, groupSize: 3) }
        func extensions(for database: DatabaseName) throws -> [any StoreExtension] { throw NeverAsked() }
    }

    @Test func `it has the program's migrations, and files, keys and settings of the test`() async throws {
        let temporary = try TemporaryStores(Ledger()) { settings in settings.groupSize = 5 }
        let store = try await temporary.stores.open("ledger_a.sqlite")
        #expect(store.opening.outcome == .created)
        #expect(
            store.path.hasSuffix(
                temporary.directory.path("ledger_a.sqlite").split(separator: "/").suffix(2).joined(separator: "/")))
        try await store.write { db in try db.execute("INSERT INTO payment VALUES (1)") }
        try await temporary.stores.closeAll()
        // The key is the same each time.
        let again = try await temporary.stores.open("ledger_a.sqlite")
        #expect(try await again.read { db in try db.value("SELECT count(*) FROM payment", as: Int.self) } == 1)
        try await temporary.stores.closeAll()
    }

    @Test func `keys can be given, and a rotation be tested`() async throws {
        let (old, new) = (Key.random(), Key.random())
        let first = try TemporaryStores(Ledger(), keys: KeyChain(old))
        try await first.stores.open("ledger_a.sqlite").close()
        let second = try TemporaryStores(Ledger(), keys: KeyChain(old, new))
        try FileManager.default.copyItem(
            atPath: first.directory.path("ledger_a.sqlite"), toPath: second.directory.path("ledger_a.sqlite"))
        let store = try await second.stores.open("ledger_a.sqlite")
        #expect(store.opening.rotation != nil)
        try await store.close()
    }
}
