import Strongroom
import StrongroomTesting
import Testing

/// What was bound to a statement, or is stored in an encrypted file, stands in no error.
struct ErrorSecrecyTests {
    private static let secret = "tr0ub4dor"

    /// Checks that an error tells the SQL but not the secret, however it is printed.
    private func expectSecret(_ error: StrongroomError, sourceLocation: SourceLocation = #_sourceLocation) {
        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(error)", error.message, error.sql ?? "", String(reflecting: error), dumped] {
            #expect(!text.contains(Self.secret), sourceLocation: sourceLocation)
        }
        #expect(error.sql != nil, sourceLocation: sourceLocation)
        #expect(!error.message.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func aConstraintFailureTellsTheColumnAndNoValue() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            let contact = Contact(id: 7, name: Self.secret, email: Self.secret, phone: Self.secret)
            try Contact.insert(contact, in: db)
            let key = try expectFailure(.constraint, saying: "contact.id") { try Contact.insert(contact, in: db) }
            expectSecret(key)
            let unique = try expectFailure(.constraint, saying: "contact.email") {
                try db.execute("INSERT INTO contact (name, email, photo) VALUES (\(Self.secret), \(Self.secret), x'')")
            }
            #expect(unique.resultCode?.extended == 2067)
            expectSecret(unique)
            let missing = try expectFailure(.constraint, saying: "contact.email") {
                try db.execute("UPDATE contact SET email = NULL WHERE name = \(Self.secret)")
            }
            expectSecret(missing)
        }
    }

    @Test func aFailedCheckAndATriggerTellNoValue() async throws {
        try await TemporaryStore(tables: [Cell<String>.schema]).store.write { db in
            try db.execute("CREATE TABLE checked (word TEXT CHECK (length(word) < 3))")
            expectSecret(
                try expectFailure(.constraint) { try db.execute("INSERT INTO checked VALUES (\(Self.secret))") })
            try db.execute(
                """
                CREATE TRIGGER refuse BEFORE INSERT ON cell WHEN new.content = \(SQL(stringLiteral: "'\(Self.secret)'"))
                BEGIN SELECT RAISE(ABORT, 'not this word'); END
                """)
            let refused = try expectFailure(.constraint) { try Cell.insert(Cell(Self.secret), in: db) }
            #expect(refused.message.contains("not this word"))
            expectSecret(refused)
            let mismatch = try expectFailure(.typeMismatch) {
                try db.execute("INSERT INTO cell (id, content) VALUES (\(Self.secret), 'x')")
            }
            expectSecret(mismatch)
        }
    }

    @Test func aMalformedFullTextQueryTellsNoBoundValue() async throws {
        let store = try await TemporaryStore().store
        let kinds = try EngineFeatures.current().hasFTS5 ? ["fts4", "fts5"] : ["fts4"]
        try await store.write { db in
            for kind in kinds {
                try db.execute("CREATE VIRTUAL TABLE \(name: kind) USING \(SQL(stringLiteral: kind))(body)")
                for query in ["\"\(Self.secret)", "body MATCH \"\(Self.secret) x"] {
                    let error = try #require(throws: StrongroomError.self) {
                        try db.forEachRow("SELECT body FROM \(name: kind) WHERE \(name: kind) MATCH \(query)") { _ in }
                    }
                    expectSecret(error)
                }
            }
        }
    }

    @Test func aMalformedFullTextQueryFromTheFileTellsNoStoredValue() async throws {
        let store = try await TemporaryStore(tables: [Cell<String>.schema]).store
        let kinds = try EngineFeatures.current().hasFTS5 ? ["fts4", "fts5"] : ["fts4"]
        try await store.write { db in
            try Cell.insert(Cell("\"\(Self.secret)"), in: db)
            for kind in kinds {
                try db.execute("CREATE VIRTUAL TABLE \(name: kind) USING \(SQL(stringLiteral: kind))(body)")
                let query: SQL = "SELECT body FROM \(name: kind) WHERE \(name: kind) MATCH (SELECT content FROM cell)"
                let statements: [SQL] = [
                    query, "DELETE FROM cell WHERE EXISTS (\(query))", "CREATE TABLE copy AS \(query)",
                ]
                for statement in statements {
                    expectSecret(try #require(throws: StrongroomError.self) { try db.execute(statement) })
                }
            }
        }
    }

    @Test(.enabled(if: try EngineFeatures.current().hasJSON, "the engine has no JSON functions"))
    func aWrongJSONPathTellsNoValue() async throws {
        try await TemporaryStore(tables: [Cell<String>.schema]).store.write { db in
            try Cell.insert(Cell(Self.secret), in: db)
            for sql: SQL in [
                "SELECT json_extract('{}', \(Self.secret))", "SELECT json_extract('{}', content) FROM cell",
            ] {
                expectSecret(try expectFailure(.sql) { try db.value(sql, as: SQLValue.self) })
            }
            expectSecret(
                try expectFailure(.sql) { try db.execute("UPDATE cell SET content = json_extract('{}', content)") })
        }
    }

    @Test func aFailingConditionTellsNoValue() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(Contact(), in: db)
            let query = Contact.where { $0.name == Self.secret && Condition("no_such_column = \(Self.secret)") }
            expectSecret(try expectFailure(.sql) { try query.fetch(in: db) })
            expectSecret(try expectFailure(.sql) { try query.delete(in: db) })
        }
    }

    @Test func anErrorWithoutValuesKeepsTheEnginesWords() async throws {
        try await TemporaryStore(tables: [Cell<Int64>.schema]).store.write { db in
            let missing = try expectFailure(.sql) { try db.execute("DELETE FROM nowhere WHERE a = \(Self.secret)") }
            #expect(missing.message.contains("no such table: nowhere"))
            try expectFailure(.sql, saying: "VACUUM") { try db.execute("VACUUM") }
        }
    }
}
