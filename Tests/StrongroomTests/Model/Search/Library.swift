import Strongroom
import StrongroomTesting

/// Tables with full-text indexes, of each kind of key.
enum Library {
    @Table("note", fullText: [FullTextIndex(on: "title", "body")])
    struct Note: Equatable {
        var id: Int64?
        var title: String
        var body: String?
        @Column(unique: true) var number: Int?
        var isDone = false
    }

    /// Its rows have no number of their own: the key is two columns, one of which ignores case.
    @Table("page", fullText: [FullTextIndex(on: "title", "body")])
    struct Page: Equatable {
        @Column(primaryKey: true, collation: .noCase) var book: String
        @Column(primaryKey: true) var position: Int
        var title: String
        var body: String?
        @Column(unique: true) var number: Int?
    }

    static func store(settings: StoreSettings = StoreSettings()) async throws -> TemporaryStore {
        try await TemporaryStore(Note.self, Page.self, settings: settings)
    }

    /// A store whose schema is kept by a list of tables, in a directory of its own.
    static func vault(_ directory: TemporaryDirectory, _ tables: TableSchema...) -> Vault {
        Vault(directory.path("library"), keys: .numbered(1))
            .with(\.migrator, .automatic(tables: tables))
    }

    /// Expects that the full-text indexes have the words of the tables' rows, and nothing else.
    static func findings(_ store: Store) async throws -> [String] {
        try await store.verify().objections
    }
}
