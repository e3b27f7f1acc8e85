import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Full-text indexes and what is done with whole files.
@Suite("Full-text indexes and files")
struct FullTextFileTests {
    private let directory: TemporaryDirectory
    private let vault: Vault

    init() async throws {
        directory = try TemporaryDirectory()
        vault = Library.vault(directory, Library.Note.schema, Library.Page.schema)
        try await vault.write { db throws in
            for number in 1...50 {
                let title = number.isMultiple(of: 10) ? "round alpha" : "alpha"
                try Library.Note.insert(
                    Library.Note(title: title, body: "number \(number)", number: number), in: db)
                try Library.Page.insert(
                    Library.Page(book: "b", position: number, title: title, number: nil), in: db)
            }
            try Library.Note.where { $0.number == 10 }.delete(in: db)
            try db.execute("DELETE FROM page WHERE position = 10")
        }
    }

    private static func expectWhole(_ store: Store) async throws {
        #expect(try await Library.findings(store) == [])
        try await store.write { db throws in
            #expect(try Library.Note.search("round").fetch(in: db).map { $0.number ?? 0 }.sorted() == [20, 30, 40, 50])
            #expect(try Library.Page.search("round").fetch(in: db).map(\.position) == [20, 30, 40, 50])
            try Library.Note.where { $0.number == 20 }.delete(in: db)
            #expect(try Library.Note.search("round").count(in: db) == 3)
            _ = try Library.Note.insert(Library.Note(title: "round", number: 20), in: db)
        }
        #expect(try await Library.findings(store) == [])
    }

    @Test func `the index is there after rotating the keys`() async throws {
        let keys = try KeyChain([.numbered(1), .numbered(2)])
        var rotated = vault
        rotated.keyChain = { _ in keys }
        try await rotated.using { store in
            #expect(store.openReport.rotation != nil)
            try await Self.expectWhole(store)
        }
    }

    @Test func `a backup has the index`() async throws {
        let copy = directory.path("backup.sqlite")
        try await vault.using { store in _ = try await store.backup(to: copy) }
        let other = Library.vault(directory, Library.Note.schema, Library.Page.schema)
        try FileManager.default.createDirectory(atPath: directory.path("other"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: copy, toPath: directory.path("other/vault.sqlite"))
        var moved = Vault(directory.path("other"), keys: .numbered(1))
        moved.migrator = other.migrator
        try await moved.using { store in
            #expect(store.openReport.migration?.schemaChanges ?? [] == [])
            try await Self.expectWhole(store)
        }
    }

    @Test func `salvage creates the index anew`() async throws {
        let path = directory.path("rescued/vault.sqlite")
        try FileManager.default.createDirectory(atPath: directory.path("rescued"), withIntermediateDirectories: true)
        let report = try await Stores(vault).salvage("vault.sqlite", to: path)
        #expect(report.missingObjects.isEmpty, "\(report.missingObjects)")
        #expect(!report.tables.contains { $0.name.hasPrefix("strongroom_search") })
        var rescued = Vault(directory.path("rescued"), keys: .numbered(1))
        rescued.migrator = vault.migrator
        try await rescued.using { store in
            #expect(store.openReport.migration?.schemaChanges ?? [] == [])
            try await Self.expectWhole(store)
        }
    }

    @Test func `a difference is found and mended by a rebuild`() async throws {
        try await vault.using { store in
            try await store.write { db throws in
                // As a program does that changes the index past its triggers.
                try db.execute("DELETE FROM `strongroom_search_note.text` WHERE rowid = 20")
            }
            let report = try await store.verify()
            #expect(!report.isIntact)
            #expect(
                report.objections == ["full-text index \"text\" of table \"note\" differs from the table; rebuild it"])
            #expect(
                try await store.write { db throws in try db.rebuildFullText(of: "note") }
                    == ["strongroom_search_note.text"])
            try await Self.expectWhole(store)
            try await store.write { db throws in
                try db.execute("DROP TRIGGER `strongroom_search_note.text_after_delete`")
            }
            #expect(try await Library.findings(store).first?.contains("has other triggers") == true)
        }
        // Opening by the list of tables creates it again.
        try await vault.using { store in
            #expect(store.openReport.migration?.schemaChanges == ["table \"note\": full-text indexes updated"])
            try await Self.expectWhole(store)
        }
    }

    @Test func `a row whose text is not UTF-8 is named when it is indexed`() async throws {
        let note = TableSchema(
            "note", Column<Int64>("id", primaryKey: true), Column<String>("title"), Column<String?>("body"),
            fullText: [FullTextIndex(on: "title", "body")])
        let store = try await TemporaryStore(tables: []).store
        try await store.write { db throws in
            try db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body TEXT)")
            try db.execute("INSERT INTO note VALUES (1, 'alpha', 'beta'), (2, 'gamma', CAST(x'61ff' AS TEXT))")
        }
        let error = await #expect(throws: StrongroomError.self) {
            try await store.write { db throws in try db.keepFullText(of: note) }
        }
        #expect(error?.code == .typeMismatch && error?.mismatch?.table == "note")
        #expect(error?.mismatch?.column == "body" && error?.mismatch?.rowID == 2)
        #expect(error?.message.contains("text that is not UTF-8") == true, "\(error?.message ?? "")")
        try await store.write { db throws in
            try db.execute("UPDATE note SET body = 'delta' WHERE id = 2")
            try db.keepFullText(of: note)
            for time in ["before", "after"] {
                for change in ["insert", "update", "delete"] {
                    try db.execute("DROP TRIGGER IF EXISTS \(name: "strongroom_search_note.text_\(time)_\(change)")")
                }
            }
            try db.execute("UPDATE note SET title = CAST(x'ff' AS TEXT) WHERE id = 1")
            let rebuilt = try expectFailure(.typeMismatch) { try db.rebuildFullText(of: "note") }
            #expect(rebuilt.mismatch?.column == "title" && rebuilt.mismatch?.rowID == 1)
        }
    }

    @Test(.enabled(if: SQLCipherShell.installed != nil, SQLCipherShell.reason))
    func `another program reads the rows and cannot change them`() async throws {
        let shell = try #require(SQLCipherShell.installed)
        let key = "PRAGMA key = \"x'\(String(repeating: "01", count: 32))'\""
        let index = "`strongroom_search_note.text`"
        let questions = "SELECT count(*) FROM note; SELECT count(*) FROM \(index) WHERE \(index) MATCH 'round';"
        #expect(try shell.run(vault.path, key: key, questions) == ["49", "4"])
        for sql in [
            "INSERT INTO note (title, isDone) VALUES ('round', 0);", "UPDATE note SET title = 'round';",
            "UPDATE note SET isDone = 1;", "DELETE FROM note;",
            "INSERT OR REPLACE INTO note (id, title, isDone) VALUES (1, 'x', 0);",
        ] {
            let error = #expect(throws: SQLCipherShell.Failed.self) { try shell.run(vault.path, key: key, sql) }
            #expect(error?.output.contains("no such function: strongroom_words") == true, "\(sql)")
        }
        _ = try shell.run(vault.path, key: key, "VACUUM;")
        try await vault.using { store in try await Self.expectWhole(store) }
    }
}

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
