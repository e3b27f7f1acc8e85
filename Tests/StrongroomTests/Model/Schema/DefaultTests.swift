import Foundation
import Strongroom
import StrongroomTesting
import Testing

private enum Mood: String, ColumnValue {
    case calm, it_s = "it's"
}

/// A column's default, as the engine fills it in where SQL of one's own leaves the column out.
struct DefaultTests {
    /// Checks that defaults come back as they were given, in a new table and in a new column of an old one.
    private func expectDefaults<Content: ColumnValue, Identity: Equatable>(
        _ defaults: [Content],
        by identity: (Content) -> Identity,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (made, added) = try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE old (id INTEGER PRIMARY KEY)")
            try db.execute("INSERT INTO old VALUES (1)")
            var (made, added): ([Content], [Content]) = ([], [])
            for (index, value) in defaults.enumerated() {
                let column = Column<Content>("c\(index)", default: value)
                try db.createTable(TableSchema("t\(index)", Column<Int64?>("id", primaryKey: true), column))
                try db.execute("INSERT INTO \(name: "t\(index)") DEFAULT VALUES")
                made.append(try #require(try db.value("SELECT \(name: "c\(index)") FROM \(name: "t\(index)")")))
                try db.addColumn(column, to: "old")
                added.append(try #require(try db.value("SELECT \(name: "c\(index)") FROM old")))
            }
            return (made, added)
        }
        #expect(made.map(identity) == defaults.map(identity), sourceLocation: sourceLocation)
        #expect(added.map(identity) == defaults.map(identity), sourceLocation: sourceLocation)
    }

    @Test func integersAndBools() async throws {
        try await expectDefaults([Int64.min, .min + 1, -1, 0, 1, .max], by: \.self)
        try await expectDefaults([true, false], by: \.self)
        try await expectDefaults([UInt8.max, 0], by: \.self)
    }

    @Test func numbers() async throws {
        let numbers: [Double] = [
            0, 1, -1, 0.1, -0.1, 1e10, 1e20, -1e100, 1e-5, .infinity, -.infinity, .pi, 123_456.789,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNormalMagnitude, .leastNonzeroMagnitude,
        ]
        try await expectDefaults(numbers, by: \.self)
    }

    @Test func randomNumbers() async throws {
        var generator = SeededGenerator(51)
        try await expectDefaults((0..<60).map { _ in generator.number() }, by: \.self)
    }

    @Test func texts() async throws {
        let texts = [
            "", "a", "it's", "''", "'", "\"", "`", "'); DROP TABLE old; --", "a\0b", "\0", "\0'", "NULL", "1", "é",
            "漢👩‍👩‍👧",
            "'\u{301}", "\u{301}'", "line\nbreak", "CURRENT_TIMESTAMP", "x'00'", "\\",
        ]
        try await expectDefaults(texts) { Array($0.utf8) }
        try await expectDefaults([Mood.calm, .it_s], by: \.self)
    }

    @Test func bytes() async throws {
        try await expectDefaults([[], [0], [0, 15, 16, 255], Array("'".utf8)], by: \.self)
    }

    /// Neither a default nor an initial value that has no stored form is left out silently.
    @Test(
        arguments: [
            Column<Double>("broken", initial: .nan), Column<Double?>("broken", initial: .nan),
            Column<Double>("broken", default: .nan), Column<UInt64>("broken", initial: .max),
            Column<Decimal>("broken", scale: 2, initial: Decimal(string: "0.001")),
            Column<Date>("broken", as: .iso8601, initial: Date(timeIntervalSince1970: -1e12)),
        ] as [any SchemaColumn])
    func valuesWithoutAStoredFormAreRefused(_ column: any SchemaColumn) async throws {
        let store = try await TemporaryStore().store
        let key = Column<Int64?>("id", primaryKey: true).definition
        try await store.write { db in
            try db.execute("CREATE TABLE old (id INTEGER PRIMARY KEY)")
            let schema = TableSchema("t", columns: [key, column.definition])
            let new = #expect(throws: StrongroomError.self) { try db.createTable(schema) }
            let added = #expect(throws: StrongroomError.self) { try db.addColumn(column, to: "old") }
            for error in [new, added] {
                #expect(error?.code == .valueNotStorable)
                #expect(error?.message.hasPrefix("Column \"broken\" cannot have its ") == true)
            }
            #expect(try !db.hasTable("t"))
        }
    }

    @Test func valuesOfAnyClassAndOptionals() async throws {
        try await expectDefaults([Value.integer(1), .real(1.5), .text("1"), .blob([1])], by: \.self)
        try await expectDefaults(["a", "b"] as [String?], by: \.self)
        // A default of nil is none.
        try await TemporaryStore().store.write { db in
            let column = Column<Int?>("a", default: .some(nil))
            try db.createTable(TableSchema("t", Column<Int64?>("id", primaryKey: true), column))
            try db.execute("INSERT INTO t DEFAULT VALUES")
            #expect(try db.value("SELECT a FROM t", as: Int?.self) == .some(nil))
            try expectFailure(.schemaChange) { try db.addColumn(Column<Int>("b"), to: "t") }
        }
    }
}
