public import Strongroom

/// An encrypted store in a temporary directory, which is removed when the value is destroyed.
///
/// ```swift
/// @Test func aContactCanBeFound() async throws {
///     let temporary = try await TemporaryStore(Contact.self)
///     try await temporary.store.write { db in _ = try Contact.insert(contact, in: db) }
/// }
/// ```
public struct TemporaryStore: Sendable {
    /// The store.
    public let store: Store

    /// The directory of its file.
    public let directory: TemporaryDirectory

    /// Creates a store with a random key and some tables.
    ///
    /// - Parameters:
    ///   - tables: The tables.
    ///   - functions: The functions in Swift of its connections.
    ///   - collations: The collations in Swift of its connections.
    ///   - tokenizers: The tokenizers of its full-text indexes, besides the library's own.
    ///   - settings: The store settings.
    /// - Throws: `StrongroomError` as `Stores.open` does.
    public init(
        tables: [TableSchema] = [], functions: [any DatabaseFunction] = [], collations: [Collation] = [],
        tokenizers: [TextTokenizer] = [], settings: StoreSettings = StoreSettings()
    ) async throws {
        directory = try TemporaryDirectory()
        let configuration = TemporaryConfiguration(
            directory: directory, tables: tables, functions: functions, collations: collations, tokenizers: tokenizers,
            settings: settings)
        store = try await Stores(configuration).open("temporary.sqlite")
    }

    /// Creates a store with a random key and the tables of some types.
    ///
    /// - Parameters:
    ///   - table: A table.
    ///   - others: Further tables.
    ///   - settings: The store settings.
    /// - Throws: `StrongroomError` as `Stores.open` does.
    public init(
        _ table: any Table.Type, _ others: any Table.Type..., settings: StoreSettings = StoreSettings()
    ) async throws {
        try await self.init(tables: ([table] + others).map { $0.schema }, settings: settings)
    }
}

private struct TemporaryConfiguration: Configuration {
    static let target = "temporary"

    let directory: TemporaryDirectory
    let tables: [TableSchema]
    let functions: [any DatabaseFunction]
    let collations: [Collation]
    let tokenizers: [TextTokenizer]
    let settings: StoreSettings
    let key = Key.random()

    func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }

    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(key) }

    func migrator(for database: DatabaseName) -> Migrator? {
        Migrator(tables: tables) {
            Migration("1") { db in
                for table in tables { try db.createTable(table) }
            }
        }
    }

    func functions(for database: DatabaseName) -> [any DatabaseFunction] { functions }

    func collations(for database: DatabaseName) -> [Collation] { collations }

    func tokenizers(for database: DatabaseName) -> [TextTokenizer] { tokenizers }

    func settings(for database: DatabaseName) -> StoreSettings { settings }
}
