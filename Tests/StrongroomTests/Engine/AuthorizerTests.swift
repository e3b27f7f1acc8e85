import Strongroom
import StrongroomTesting
import Testing

struct AuthorizerTests {
    /// Checks that SQL is refused, in a write and in a read, and that the transaction goes on as if nothing had been
    /// asked.
    private func expectRefused(_ sql: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let sql = SQL(stringLiteral: sql)
        try await store.write { db in
            try Contact.insert(Contact(email: "before"), in: db)
            let error = try expectFailure(.notAuthorized, sourceLocation: sourceLocation) { try db.execute(sql) }
            #expect(error.message.contains("The library manages"), sourceLocation: sourceLocation)
            let shown = try #require(error.sql?.dropLast())
            #expect(sql.text.hasPrefix(shown) && !shown.isEmpty, sourceLocation: sourceLocation)
            try expectFailure(.notAuthorized, sourceLocation: sourceLocation) { try db.forEachRow(sql) { _ in } }
            try Contact.insert(Contact(email: "after"), in: db)
        }
        try await store.read { db in
            try expectFailure(.notAuthorized, sourceLocation: sourceLocation) { try db.value(sql, as: SQLValue.self) }
            let emails = try Contact.all(in: db).map(\.email)
            #expect(emails == ["before", "after"], sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: [
        "COMMIT", "commit;", "END", "END TRANSACTION", "BEGIN", "BEGIN IMMEDIATE", "ROLLBACK", "ROLLBACK TO strongroom",
        "SAVEPOINT mine", "RELEASE strongroom", "/* */ COMMIT",
    ])
    func transactionsAreTheLibrarysOwn(sql: String) async throws {
        try await expectRefused(sql)
    }

    @Test(arguments: [
        "ATTACH ':memory:' AS other", "ATTACH DATABASE 'x.sqlite' AS x KEY 'y'", "DETACH other", "DETACH main",
        "SELECT sqlcipher_export('main')", "SELECT SQLCipher_Export('main')", "SELECT load_extension('x')",
    ])
    func otherFilesAreOutOfReach(sql: String) async throws {
        try await expectRefused(sql)
    }

    @Test(arguments: [
        "key = 'x'", "KEY = 'x'", "main.key = 'x'", "key('x')", "key", "rekey = 'x'", "rekey('')", "hexkey = '00'",
        "hexrekey = '00'", "textkey = 'x'", "textrekey = 'x'", "kdf_iter = 1", "fast_kdf_iter = 1",
        "rekey_kdf_iter = 1",
        "rekey_cipher = 'x'", "cipher = 'x'", "cipher_page_size = 512", "cipher_page_size", "cipher_use_hmac = OFF",
        "cipher_default_kdf_iter = 1", "cipher_compatibility = 1", "cipher_migrate", "cipher_log = '/dev/null'",
        "cipher_plaintext_header_size = 32", "cipher_profile = '/dev/null'", "cipher_salt", "cipher_version",
    ])
    func keysAndCiphersAreTheLibrarysOwn(pragma: String) async throws {
        try await expectRefused("PRAGMA \(pragma)")
    }

    @Test(arguments: [
        "journal_mode = DELETE", "journal_mode(OFF)", "main.Journal_Mode = MEMORY", "synchronous = OFF",
        "locking_mode = EXCLUSIVE", "query_only = OFF", "query_only = ON", "secure_delete = OFF", "temp_store = FILE",
        "foreign_keys = OFF", "writable_schema = ON", "trusted_schema = ON", "wal_checkpoint",
        "wal_checkpoint(TRUNCATE)",
        "wal_autocheckpoint = 0", "page_size = 512", "auto_vacuum = FULL", "encoding = 'UTF-16'", "mmap_size = 1",
        "schema_version = 1", "busy_timeout = 0", "ignore_check_constraints = ON", "case_sensitive_like = ON",
        "fullfsync = OFF", "checkpoint_fullfsync = OFF", "recursive_triggers = ON", "temp_store_directory = '/'",
        "read_uncommitted = ON", "reverse_unordered_selects = ON",
    ])
    func aConnectionsSettingsAreTheLibrarysOwn(pragma: String) async throws {
        try await expectRefused("PRAGMA \(pragma)")
    }

    @Test(arguments: [
        "PRAGMA key = 'tr0ub4dor'", "PRAGMA rekey('tr0ub4dor')", "PRAGMA rekey=\"tr0ub4dor\"",
        "ATTACH 'a.sqlite' AS a KEY 'tr0ub4dor'", "PRAGMA main.rekey= 'tr0ub4dor'",
        "ATTACH ('a.sqlite') AS a KEY 'tr0ub4dor'",
    ])
    func aRefusedKeyStandsInNoError(sql: String) async throws {
        try await TemporaryStore().store.write { db in
            let error = try #require(throws: StrongroomError.self) { try db.execute(SQL(stringLiteral: sql)) }
            #expect(!"\(error)".contains("tr0ub4dor"))
            #expect(error.code == .notAuthorized)
        }
    }

    @Test func readingSettingsIsFree() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.read { (db: borrowing ReadTransaction) throws in
            #expect(try db.value("PRAGMA journal_mode", as: String.self) == "wal")
            #expect(try db.value("PRAGMA foreign_keys", as: Int.self) == 1)
            #expect(try db.value("PRAGMA page_count", as: Int.self) ?? 0 > 0)
            #expect(try db.value("PRAGMA user_version", as: Int.self) == 0)
            #expect(try db.value("PRAGMA encoding", as: String.self) == "UTF-8")
            #expect(try db.value("PRAGMA integrity_check", as: String.self) == "ok")
            var columns: [String] = []
            try db.forEachRow("PRAGMA table_info(contact)") { row in columns.append(try row["name"]) }
            #expect(columns == Contact.columnNames)
            var indexes = 0
            try db.forEachRow("PRAGMA index_list(contact)") { _ in indexes += 1 }
            #expect(indexes == 2)
        }
    }

    @Test func whatBelongsToTheFileCanBeSet() async throws {
        let store = try await TemporaryStore().store
        try await store.write { db in
            try db.execute("PRAGMA user_version = 7")
            try db.execute("PRAGMA application_id = 9")
        }
        try await store.read { db in
            let version = try db.value("PRAGMA user_version", as: Int.self)
            let application = try db.value("PRAGMA application_id", as: Int.self)
            #expect(version == 7)
            #expect(application == 9)
        }
    }

    /// The engine prepares its statements again when the schema has changed, and asks the authorizer again.
    @Test func theLibrarysOwnStatementsOutliveAChangeOfTheSchema() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        for round in 0..<5 {
            try await store.write { db in
                try db.savepoint { db in
                    try db.execute("CREATE TABLE \(name: "t\(round)") (a)")
                    try db.savepoint { db in
                        try db.createIndex(TableIndex("i\(round)", on: Column<SQLValue>("a")), on: "t\(round)")
                    }
                }
                try Contact.insert(Contact(email: "\(round)"), in: db)
            }
            try await expectFailure(.sql) {
                try await store.write { db in
                    try db.execute("CREATE TABLE undone (a)")
                    try expectFailure(.notAuthorized) { try db.execute("COMMIT") }
                    try db.execute("DROP TABLE nowhere")
                }
            }
        }
        try await store.read { db in
            let names = try db.tableNames()
            #expect(try Contact.count(in: db) == 5)
            #expect(names == ["contact", "t0", "t1", "t2", "t3", "t4"])
        }
    }
}
