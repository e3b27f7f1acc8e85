import Strongroom
import StrongroomTesting
import Testing

/// What becomes of the values of a column that is changed: they stay, are converted, or keep the column as it is.
struct ChangeColumnTests {
    /// The values of the changed column with their types.
    private static func values(_ db: borrowing some Reading & ~Copyable) throws -> [String] {
        try db.texts("SELECT typeof(a) || ' ' || quote(a) FROM t ORDER BY rowid")
    }

    @Test func aColumnOfAnyValueTakesEveryValueAsItIs() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a)")
            try db.execute("INSERT INTO t VALUES ('é'), (x'c3a9'), (7), (1.5), (NULL)")
            let before = try Self.values(db)
            try db.changeColumn(Column<Value>("a", unique: true), in: "t")
            #expect(try Self.values(db) == before)
            try db.changeColumn(Column<Value?>("a", default: "none"), in: "t")
            #expect(try Self.values(db) == before)
        }
    }

    @Test func aTextBecomesItsBytesAlsoWhereThereIsADefault() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a TEXT)")
            try db.execute("INSERT INTO t VALUES ('é'), (x'00ff'), (NULL)")
            try db.changeColumn(Column<[UInt8]>("a", default: [0]), in: "t")
            #expect(try Self.values(db) == ["blob X'C3A9'", "blob X'00FF'", "blob X'00'"])
        }
    }

    @Test(arguments: ["7", "1.5"]) func aNumberDoesNotBecomeBytes(number: String) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a)")
            try db.execute(SQL(stringLiteral: "INSERT INTO t VALUES (\(number)), ('x')"))
            let before = try Self.values(db)
            let bytes: [any SchemaColumn] = [Column<[UInt8]?>("a"), Column<[UInt8]>("a", default: [0])]
            for column in bytes {
                let error = try expectFailure(.schemaChange) { try db.changeColumn(column, in: "t") }
                #expect(error.message.contains("1 row of table \"t\", column \"a\" contains what does not fit BLOB"))
                #expect(try Self.values(db) == before)
            }
        }
    }

    @Test(arguments: ["9223372036854775807", "9223372036854775806", "9223372036854775296", "-9007199254740993"])
    func anIntegerThatWouldBeAnotherNumberStays(number: String) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a INTEGER)")
            try db.execute(SQL(stringLiteral: "INSERT INTO t VALUES (\(number))"))
            let error = try expectFailure(.schemaChange) { try db.changeColumn(Column<Double>("a"), in: "t") }
            #expect(error.message.contains("would change"))
            #expect(try Self.values(db) == ["integer \(number)"])
        }
    }

    @Test(arguments: ["1e309", "-1e309", "1e-400", "0012", "-007.5", " 12", "\n0012", "1.00000000000000000001"])
    func aTextThatWouldBeAnotherNumberStays(text: String) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a TEXT)")
            try db.execute("INSERT INTO t VALUES (\(text))")
            let error = try expectFailure(.schemaChange) { try db.changeColumn(Column<Double>("a"), in: "t") }
            #expect(error.message.contains("would change"))
            #expect(try db.texts("SELECT a FROM t") == [text])
        }
    }

    @Test func aTextThatIsTheSameNumberIsConverted() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a TEXT)")
            try db.execute(
                "INSERT INTO t VALUES ('1.50'), ('0.25'), ('-0.5'), ('0'), ('0.000'), ('1e300'), ('1e-300'), ('-12')")
            try db.changeColumn(Column<Double>("a"), in: "t")
            var numbers: [Double] = []
            try db.forEachRow("SELECT a FROM t ORDER BY rowid") { row in numbers.append(try row[0]) }
            #expect(numbers == [1.5, 0.25, -0.5, 0, 0, 1e300, 1e-300, -12])
        }
    }

    /// Something of the program's own that holds any value.
    private struct Setting: RawRepresentable, ColumnValue {
        var rawValue: Value
    }

    @Test func aTypeAroundAnyValueKeepsThemToo() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a)")
            try db.execute("INSERT INTO t VALUES ('é'), (7)")
            try db.changeColumn(Column<Setting>("a", unique: true), in: "t")
            #expect(try Self.values(db) == ["text 'é'", "integer 7"])
        }
    }

    @Test func anIntegerThatIsTheSameNumberIsConverted() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a INTEGER)")
            try db.execute("INSERT INTO t VALUES (-9223372036854775807 - 1), (9223372036854774784), (9007199254740992)")
            try db.changeColumn(Column<Double>("a"), in: "t")
            var numbers: [Double] = []
            try db.forEachRow("SELECT a FROM t ORDER BY rowid") { row in numbers.append(try row[0]) }
            #expect(numbers == [-0x1p63, 9_223_372_036_854_774_784, 0x1p53])
        }
    }

    /// By the column's own collation `12` and `12 ` are the same text.
    @Test func aTextWithSpacesAtItsEndDoesNotBecomeAnInteger() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a TEXT COLLATE RTRIM)")
            try db.execute("INSERT INTO t VALUES ('12 ')")
            try expectFailure(.schemaChange) { try db.changeColumn(Column<Int>("a"), in: "t") }
            #expect(try Self.values(db) == ["text '12 '"])
        }
    }

    @Test(arguments: ["IGNORE", "REPLACE", "FAIL", "ROLLBACK"])
    func aConflictClauseOfTheTableLosesNoRow(clause: String) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute(
                SQL(stringLiteral: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, UNIQUE (a) ON CONFLICT \(clause))"))
            try db.execute("INSERT INTO t VALUES (1, 'A@x'), (2, 'a@x')")
            let error = try expectFailure(.constraint) {
                try db.changeColumn(Column<String>("a", collation: .noCase), in: "t")
            }
            #expect(error.constraint?.kind == .unique)
            #expect(try Self.values(db) == ["text 'A@x'", "text 'a@x'"])
            // The table keeps its clause.
            try db.execute("DELETE FROM t WHERE id = 2")
            try db.changeColumn(Column<String>("a", collation: .noCase), in: "t")
            let sql = try db.value("SELECT sql FROM sqlite_master WHERE name = 't'", as: String.self)
            #expect(sql?.contains("ON CONFLICT \(clause)") == true)
        }
    }
}
