import Strongroom

/// A ledger's files as they were before they were encrypted.
private struct PlainLedger: Configuration {
    static let target = "ledger"
    let directory: String

    func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database.fileName)" }
    func keyChain(for database: DatabaseName) -> KeyChain { .plaintext }
    func migrator(for database: DatabaseName) -> Migrator? {
        Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE entry (id INTEGER PRIMARY KEY, text TEXT)") }
            Migration("2") { db in try db.execute("CREATE INDEX entry_text ON entry (text)") }
        }
    }
}

extension Ledger {
    /// Makes a plaintext database with two rows.
    func makePlaintext(_ name: String = "ledger.sqlite") async throws {
        let store = try await Stores(PlainLedger(directory: configuration.directory)).open(name)
        try await store.write { db in
            try db.execute("INSERT INTO entry (text) VALUES ('a'), ('b')")
        }
        try await store.close()
    }
}
