import Strongroom
import StrongroomTesting
import Testing

/// A constraint's failure tells its kind, table and columns as data.
struct ConstraintFailureTests {
    private static let parent = TableSchema(
        "person", Column<Int64?>("id", primaryKey: true),
        Column<String>("name", unique: true, check: "length(name) < 9"))
    private static let child = TableSchema(
        "book", Column<Int64>("shelf", primaryKey: true), Column<Int64>("place", primaryKey: true),
        Column<Int64?>("author", references: Reference("person", onDelete: .restrict, deferred: false)),
        Column<Int64?>("owner", references: Reference("person", column: "id", deferred: true)))

    @Test(arguments: [
        ("INSERT INTO person VALUES (1, 'b')", ConstraintFailure.Kind.primaryKey, ["id"], "person"),
        ("INSERT INTO person VALUES (2, 'a')", .unique, ["name"], "person"),
        ("INSERT INTO person VALUES (2, NULL)", .notNull, ["name"], "person"),
        ("INSERT INTO book VALUES (1, 1, NULL, NULL)", .primaryKey, ["shelf", "place"], "book"),
        ("INSERT INTO person VALUES (2, '123456789')", .check, [], ""),
        ("INSERT INTO book VALUES (1, 2, 99, NULL)", .foreignKey, [], ""),
        ("DELETE FROM person", .foreignKey, [], ""),
    ])
    func theConstraintIsNamed(
        sql: String, kind: ConstraintFailure.Kind, columns: [String], table: String
    ) async throws {
        try await TemporaryStore(tables: [Self.parent, Self.child]).store.write { db in
            try db.execute("INSERT INTO person VALUES (1, 'a')")
            try db.execute("INSERT INTO book VALUES (1, 1, 1, NULL)")
            let error = try expectFailure(.constraint) { try db.execute(SQL(stringLiteral: sql)) }
            let failure = try #require(error.constraint)
            #expect(failure.kind == kind, "\(error)")
            #expect(failure.columns == columns)
            #expect((failure.table ?? "") == table)
        }
    }

    @Test func aDeferredReferenceIsFoundAtTheCommit() async throws {
        let store = try await TemporaryStore(tables: [Self.parent, Self.child]).store
        let error = try await expectFailure(.constraint) {
            try await store.write { db in _ = try db.execute("INSERT INTO book VALUES (1, 1, NULL, 7)") }
        }
        #expect(error.constraint?.kind == .foreignKey)
        #expect(error.constraint?.table == "book")
        #expect(error.constraint?.parentTable == "person")
        #expect(try await store.read { db in try db.value("SELECT count(*) FROM book", as: Int.self) } == 0)
    }
}
