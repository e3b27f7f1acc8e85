import Foundation
import StrongroomTesting
import Testing

// Internal: a connection past the store, which changes the schema's text.
@testable import Strongroom

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
