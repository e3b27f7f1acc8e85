import Foundation
@testable import Strongroom
import StrongroomTesting
import Testing

/// Full-text indexes and changes of the schema.
@Suite("Full-text indexes and schema changes")
struct FullTextSchemaTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static let columns = Library.Note.schema.columns
    private static let pageIndex = ["strongroom_search_page.text"]

    private static func note(_ indexes: FullTextIndex...) -> TableSchema {
        TableSchema("note", columns: columns, fullText: indexes)
    }

    /// The names of what the file has for full-text indexes.
    private static func objects(_ store: Store) async throws -> [String] {
        try await store.read { db throws in
            let sql: SQL = "SELECT name FROM sqlite_master WHERE name LIKE 'strongroom_search%' ORDER BY name"
            return try db.dictionaries(sql).compactMap { $0["name"].map { "\($0)" } }
        }
    }

    private static func insert(_ titles: String..., into store: Store) async throws {
        try await store.write { db throws in
            for title in titles {
                try db.execute("INSERT INTO note (title, body, isDone) VALUES (\(title), 'text', 0)")
            }
        }
    }

    @Test func `an index is created for existing rows, adapted and dropped`() async throws {
        let plain = Library.vault(directory, Self.note())
        try await plain.using { store in
            try await Self.insert("alpha", "beta", into: store)
            #expect(try await Self.objects(store) == [])
            let error = await #expect(throws: StrongroomError.self) {
                try await store.read { db throws in try Library.Note.search("alpha").count(in: db) }
            }
            #expect(error?.code == .tableDiffers)
            #expect(error?.message.contains("does not have the full-text index \"text\"") == true)
        }
        try await plain.with(\.migrator, .automatic(tables: [Library.Note.schema])).using { store in
            #expect(store.opening.migration?.schemaChanges == ["table \"note\": full-text indexes updated"])
            try await store.read { db throws in
                #expect(try Library.Note.search("alpha text").fetch(in: db).map(\.title) == ["alpha"])
            }
        }
        try await plain.with(\.migrator, .automatic(tables: [Library.Note.schema])).using { store in
            #expect(store.opening.migration?.schemaChanges ?? [] == [])
        }
        let other = Self.note(FullTextIndex(on: "title", prefixes: [2]), FullTextIndex("body", on: "body"))
        try await plain.with(\.migrator, .automatic(tables: [other])).using { store in
            #expect(try await Library.findings(store) == [])
            try await store.read { db throws in
                // The declaration of the type is another one.
                let error = #expect(throws: StrongroomError.self) { try Library.Note.search("alpha").count(in: db) }
                #expect(error?.message.contains("another full-text index") == true)
            }
        }
        try await plain.using { store in
            let left = try await Self.objects(store)
            #expect(left == [])
        }
    }

    @Test func `columns and tables are renamed, and values converted`() async throws {
        let temporary = try await Library.store()
        try await Self.insert("alpha", "beta", into: temporary.store)
        let renamed = TableSchema(
            "memo",
            columns: Self.columns.map { column in
                column.name == "title" ? Column<String>("headline").definition : column
            }, fullText: [FullTextIndex(on: "headline", "body")])
        try await temporary.store.write { db throws in
            try db.renameColumn("title", to: "headline", in: "note")
            try db.renameTable("note", to: "memo")
            try db.execute("INSERT INTO memo (headline, isDone) VALUES ('gamma', 0)")
            try db.keepFullText(of: renamed)
            let found = try db.value(
                "SELECT rowid FROM `strongroom_search_memo.text` WHERE `strongroom_search_memo.text` MATCH 'gamma'",
                as: Int.self)
            #expect(found == 3)
            // Numbers in place of texts.
            try db.execute("UPDATE memo SET body = '7'")
            try db.changeColumn(Column<Int?>("body"), in: "memo")
        }
        #expect(try await Library.findings(temporary.store) == [])
        try await temporary.store.write { db throws in try db.dropTable("memo") }
        #expect(try await Self.objects(temporary.store).filter { $0.contains("memo") || $0.contains("note") } == [])
    }

    @Test func `a column that is indexed no longer can be removed`() async throws {
        let vault = Library.vault(directory, Library.Note.schema)
        try await vault.using { store in try await Self.insert("alpha", into: store) }
        let fewer = TableSchema(
            "note", columns: Self.columns.filter { $0.name != "body" }, fullText: [FullTextIndex(on: "title")])
        try await vault.with(\.migrator, .automatic(tables: [fewer], removingColumns: true)).using { store in
            #expect(try await Library.findings(store) == [])
            try await store.write { db throws in
                try expectFailure(.schemaChange) { try db.dropColumn("title", from: "note") }
            }
        }
    }

    @Test func `a table that is renamed by SQL has its index after a rebuild, or none`() async throws {
        let temporary = try await Library.store()
        try await Self.insert("alpha", into: temporary.store)
        try await temporary.store.write { db throws in
            try db.execute("ALTER TABLE note RENAME TO memo")
            // Before SQLite 3.25 the engine does not rename the table in the view, so the index is of no table.
            let isKept = try EngineFeatures.current().hasRenameColumn
            #expect(try db.rebuildFullText() == (isKept ? ["strongroom_search_memo.text"] : []) + Self.pageIndex)
        }
        #expect(try await Library.findings(temporary.store) == [])
    }

    @Test func `a unique index that is created later replaces rows of the index, too`() async throws {
        let temporary = try await Library.store()
        try await Self.insert("alpha", "beta", into: temporary.store)
        try await temporary.store.write { db throws in
            try db.createIndex(TableIndex("once", on: Library.Note.columns.title, unique: true), on: "note")
            try db.execute("INSERT OR REPLACE INTO note (title, body, isDone) VALUES ('alpha', 'new', 0)")
            #expect(try Library.Note.search("alpha text").count(in: db) == 0)
            try db.dropIndex("once")
        }
        #expect(try await Library.findings(temporary.store) == [])
    }

    @Test(arguments: [
        (FullTextIndex(on: "title", "nothing"), "it has no column \"nothing\""),
        (FullTextIndex(columns: []), "has no columns"),
        (FullTextIndex(on: "title", "Title"), "names the column \"Title\" twice"),
        (FullTextIndex(on: "title", prefixes: [0]), "more than 8 prefixes, or one"),
    ])
    func `a declaration that no table can have is refused`(index: FullTextIndex, words: String) async throws {
        let temporary = try await TemporaryStore()
        try await temporary.store.write { db throws in
            let error = #expect(throws: StrongroomError.self) { try db.createTable(Self.note(index)) }
            #expect(error?.code == (words.hasPrefix("it has") ? .schemaChange : .invalidDeclaration))
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
        #expect(try await temporary.store.read { db throws in try db.hasTable("note") } == false)
    }

    @Test func `a view and a table without a key are refused`() async throws {
        try await TemporaryStore().store.write { db throws in
            try db.execute("CREATE TABLE loose (title TEXT)")
            let schema = TableSchema("loose", Column<String>("title"), fullText: [FullTextIndex(on: "title")])
            let error = #expect(throws: StrongroomError.self) { try db.keepFullText(of: schema) }
            #expect(error?.code == .schemaChange)
            #expect(error?.message.contains("no primary key") == true)
            #expect(throws: StrongroomError.self) { try db.keepFullText(of: schema.named("missing")) }
        }
    }

    @Test func `a table without row ids is searched by its key`() async throws {
        let temporary = try await TemporaryStore()
        try await temporary.store.write { db throws in
            try db.execute(
                """
                CREATE TABLE page (book TEXT, position INTEGER, title TEXT, body TEXT, number INTEGER, \
                PRIMARY KEY (book, position)) WITHOUT ROWID
                """)
            try db.execute("INSERT INTO page (book, position, title) VALUES ('a', 1, 'alpha'), ('a', 2, 'beta')")
            try db.keepFullText(of: Library.Page.schema)
            try db.execute("UPDATE page SET book = 'b' WHERE position = 1")
            #expect(try Library.Page.search("alpha").fetch(in: db).map(\.book) == ["b"])
        }
        #expect(try await Library.findings(temporary.store) == [])
    }

    @Test func `a tokenizer of the program's own is needed for every change`() async throws {
        let letters = TextTokenizer("letters") { text in
            text.indices.map { TextToken(String(text[$0]), $0..<text.index(after: $0)) }
        }
        let schema = Self.note(FullTextIndex(on: "title", tokenizer: letters))
        let vault = Library.vault(directory, schema).with(\.tokenizers, [letters])
        try await vault.using { store in
            try await Self.insert("a b", into: store)
            #expect(try await store.verify().unchecked == [])
        }
        try await vault.with(\.tokenizers, []).with(\.migrator, nil).using { store in
            let error = await #expect(throws: StrongroomError.self) { try await Self.insert("c", into: store) }
            #expect(error?.code == .missingFunction)
            #expect(error?.message.contains("tokenizer \"letters\"") == true, "\(error?.message ?? "")")
            // The rows can be read, and other columns changed.
            try await store.write { db throws in
                try db.execute("UPDATE note SET isDone = 1")
                #expect(try db.value("SELECT count(*) FROM note WHERE isDone", as: Int.self) == 1)
            }
        }
    }
}
