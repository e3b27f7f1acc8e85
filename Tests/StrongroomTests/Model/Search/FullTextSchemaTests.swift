import Foundation
import StrongroomTesting
import Testing

// Internal: a connection past the store, which changes the schema's text.
@testable import Strongroom

/// Full-text indexes and changes of the schema.
@Suite("Full-text indexes and schema changes")
struct FullTextSchemaTests {
    private let directory = TemporaryDirectory.ofSuite()

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
            #expect(store.openReport.migration?.schemaChanges == ["table \"note\": full-text indexes updated"])
            try await store.read { db throws in
                #expect(try Library.Note.search("alpha text").fetch(in: db).map(\.title) == ["alpha"])
            }
        }
        try await plain.with(\.migrator, .automatic(tables: [Library.Note.schema])).using { store in
            #expect(store.openReport.migration?.schemaChanges ?? [] == [])
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
        (FullTextIndex(), "has no columns"),
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

/// What the engine's index has in it, and what an engine does that does not have its module.
@Suite("Full-text indexes and the engine")
struct FullTextEngineTests {
    typealias Note = Library.Note

    private let directory: TemporaryDirectory
    private let vault: Vault

    init() async throws {
        directory = try TemporaryDirectory()
        vault = Library.vault(directory, Note.schema)
        try await vault.write { db throws in
            try Note.insert(contentsOf: (1...20).map { Note(title: "alpha", number: $0) }, in: db)
        }
    }

    /// The number of the index's records that contain a word.
    private static func records(
        with word: String, in db: borrowing some Reading & ~Copyable
    ) throws -> Int {
        let name = "strongroom_search_note.text"
        let tables =
            try EngineFeatures.current().hasFTS5
            ? [("\(name)_data", "block"), ("\(name)_idx", "term")]
            : [("\(name)_segments", "block"), ("\(name)_segdir", "root")]
        return try tables.map { table, column in
            let sql = SQL(
                stringLiteral: """
                    SELECT count(*) FROM \(Identifier.quote(table)) \
                    WHERE instr(\(column), CAST('\(word)' AS BLOB)) > 0
                    """)
            return try db.value(sql, as: Int.self) ?? 0
        }.reduce(0, +)
    }

    @Test func `a deleted word is in no answer and leaves the index with a rebuild`() async throws {
        try await vault.using { store in
            // In a part of the index of its own, and deleted in a later one.
            try await store.write { db throws in
                try Note.insert(Note(title: "0secretword", number: 21), in: db)
            }
            try await store.write { db throws in
                #expect(try Self.records(with: "0secretword", in: db) > 0)
                try Note.where { $0.number == 21 }.delete(in: db)
                #expect(try Note.search("0secretword").count(in: db) == 0)
            }
            try await store.write { db throws in
                try db.rebuildFullText(of: "note")
            }
            try await store.read { db throws in #expect(try Self.records(with: "0secretword", in: db) == 0) }
            #expect(try await Library.findings(store) == [])
        }
    }

    /// FTS5's `secure-delete` leaves the entry of a word that was 128 to 191 times in a row, and the like.
    @Test func `words that are often in a row leave it with an update`() async throws {
        try await vault.using { store in
            for count in [86, 165, 0, 300, 2, 400, 0] {
                try await store.write { db throws in
                    let title = "omega " + String(repeating: "often ", count: count)
                    try Note.where { $0.number == 1 }.update(in: db) { [$0.title.set(title)] }
                    #expect(try Note.search("often").count(in: db) == (count > 0 ? 1 : 0), "\(count)")
                }
            }
            #expect(try await Library.findings(store) == [])
        }
    }

    @Test(.enabled(if: (try? EngineFeatures.current().hasSecureFullText) ?? false, "the engine has no secure-delete"))
    func `an index that was created with secure-delete is found and rebuilt`() async throws {
        var plain = vault
        plain.migrator = nil
        func spoil(_ store: Store) async throws {
            try await store.write { db throws in
                let name = SQL(verbatim: "`strongroom_search_note.text`")
                try db.execute("INSERT INTO \(name) (\(name), rank) VALUES ('secure-delete', 1)")
                for count in [86, 165, 0] {
                    let title = "omega " + String(repeating: "often ", count: count)
                    try Note.where { $0.number == 1 }.update(in: db) { [$0.title.set(title)] }
                }
            }
        }
        let wanted = "full-text index \"text\" of table \"note\" was created with FTS5's secure-delete"
        try await plain.using { store async throws in
            try await spoil(store)
            #expect(try await Library.findings(store).first?.hasPrefix(wanted) == true)
            try await store.write { db throws in _ = try db.rebuildFullText() }
            #expect(try await Library.findings(store) == [])
            try await spoil(store)
        }
        // Also without a migrator.
        for reopened in [plain, vault] {
            try await reopened.using { store async throws in
                #expect(try await Library.findings(store) == [])
                #expect(try await store.read { db in try Note.search("often").count(in: db) } == 0)
                try await spoil(store)
            }
        }
    }

    /// The engine (3.4.1) reads them without a check, past their end; an empty value ends the process.
    @Test(.enabled(if: (try? EngineFeatures.current().hasFTS5) == false, "the index is FTS5"))
    func `invalid lengths are an error, and opening rebuilds the index`() async throws {
        var plain = vault
        plain.migrator = nil
        let name = "strongroom_search_note.text"
        func spoil(_ store: Store, _ assignment: String) async throws {
            try await store.pool.perform(.ungroupedWrite) { connection in
                try connection.run(assignment)
            }
        }
        let objection = "full-text index \"text\" of table \"note\" has invalid lengths of texts; rebuild it"
        for value in ["x''", "x'80'", "x'FFFFFFFFFFFFFFFF7F'", "NULL", "5"] {
            try await plain.using { store async throws in
                try await spoil(store, "UPDATE `\(name)_docsize` SET size = \(value)")
                try await expectFailure(.damaged) {
                    try await store.read { db in try Note.hits("alpha", in: db).count }
                }
                #expect(try await Library.findings(store) == [objection], "\(value)")
                try await store.write { db throws in _ = try db.rebuildFullText() }
                #expect(try await Library.findings(store) == [], "\(value)")
                try await spoil(store, "UPDATE `\(name)_stat` SET value = \(value)")
                try await expectFailure(.damaged) {
                    try await store.read { db in try Note.hits("alpha", in: db).count }
                }
                try await expectFailure(.damaged) {
                    try await store.read { db in try Note.search("alpha").count(in: db) }
                }
                #expect(try await Library.findings(store) == [objection], "\(value)")
            }
            // Before anything is written.
            try await vault.using { store async throws in
                try await store.write { db throws in _ = try Note.insert(Note(title: "alpha"), in: db) }
                #expect(try await store.read { db in try Note.hits("alpha", limit: 100, in: db).count } > 20)
                #expect(try await Library.findings(store) == [], "\(value)")
            }
        }
    }

    @Test(.enabled(if: (try? EngineFeatures.current().hasFTS5) ?? false, "the engine has no FTS5"))
    func `the index has a newer form than the engine knows`() async throws {
        try await vault.using { store in
            try await store.pool.perform(.ungroupedWrite) { connection in
                connection.setDefensive(false)
                try connection.run("UPDATE `strongroom_search_note.text_config` SET v = 99 WHERE k = 'version'")
            }
        }
        var plain = vault
        plain.migrator = nil
        try await plain.using { store async throws in
            func expectRefusal(_ work: (Store) async throws -> Void) async {
                let error = await #expect(throws: StrongroomError.self) { try await work(store) }
                #expect(error?.code == .newerSchema, "\(String(describing: error))")
            }
            await expectRefusal { store in _ = try await store.read { db in try Note.hits("alpha", in: db).count } }
            await expectRefusal { store in
                try await store.write { db in _ = try Note.insert(Note(title: "beta"), in: db) }
            }
            await expectRefusal { store in try await store.write { db in try db.stopFullText(of: "note") } }
            #expect(try await store.read { db in try Note.all(in: db).count } == 20)
        }
    }

    @Test func `the engine does not have the index's module`() async throws {
        let salt = try Array(Data(contentsOf: URL(filePath: vault.path)).prefix(CipherSettings.saltLength))
        let key = try DerivedKey(.numbered(1), salt: salt, settings: .engineDefault())
        let file = DatabaseFile(path: vault.path, name: "vault", busyTimeout: 0, log: nil)
        let connection = try file.connect(.existing, key: key)
        try connection.run("PRAGMA writable_schema = ON")
        try connection.run(
            """
            UPDATE sqlite_master SET sql = replace(replace(sql, ' fts5(', ' fts5x('), ' fts4(', ' fts4x(') \
            WHERE name = 'strongroom_search_note.text'
            """)
        connection.close()
        var plain = vault
        plain.migrator = nil
        try await plain.using { store async throws in
            #expect(try await store.read { db in try Note.all(in: db).count } == 20)
            func expectRefusal(_ work: (Store) async throws -> Void) async {
                let error = await #expect(throws: StrongroomError.self) { try await work(store) }
                #expect(error?.code == .notSupported)
                #expect(error?.message.contains(/the module "fts[45]x"/) == true, "\(String(describing: error))")
            }
            await expectRefusal { store in _ = try await store.read { db in try Note.search("alpha").count(in: db) } }
            await expectRefusal { store in _ = try await store.read { db in try Note.hits("alpha", in: db).count } }
            await expectRefusal { store in
                try await store.write { db in _ = try Note.insert(Note(title: "beta"), in: db) }
            }
            await expectRefusal { store in try await store.write { db in try db.stopFullText(of: "note") } }
            await expectRefusal { store in _ = try await store.write { db in try db.rebuildFullText() } }
            #expect(try await store.read { db in try Note.all(in: db).count } == 20)
            let report = try await store.verify()
            #expect(report.objections == [])
        }
    }
}
