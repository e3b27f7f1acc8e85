import Foundation
import StrongroomTesting
import Testing

// Internal: connections to a file without a store.
@testable import Strongroom

/// The comparison of indexes with their tables finds all that the engine's integrity check would find.
@Suite("Check of a copy's structure")
struct CopyCheckTests {
    private let directory: TemporaryDirectory
    private let file: DatabaseFile
    private let key: DerivedKey

    init() throws {
        directory = try TemporaryDirectory()
        file = DatabaseFile(path: directory.path("copy.sqlite"), name: "copy", busyTimeout: 0, log: nil)
        key = try DerivedKey(
            .numbered(1), salt: CipherSettings.randomSalt(), settings: .engineDefault())
    }

    private func run(_ statements: [String]) throws {
        let connection = try file.connect(.create, key: key)
        defer { connection.close() }
        for statement in statements { try connection.run(statement) }
    }

    /// Changes the schema past the engine.
    private func rewriteSchema(_ statement: String) throws {
        try run(["PRAGMA writable_schema = ON", statement, "PRAGMA schema_version = 1000"])
    }

    /// Changes rows without an index.
    private func withoutIndex(_ name: String, _ statements: [String]) throws {
        try run(["CREATE TABLE hidden AS SELECT * FROM sqlite_master WHERE name = '\(name)'"])
        try rewriteSchema("DELETE FROM sqlite_master WHERE name = '\(name)'")
        try run(statements)
        try rewriteSchema("INSERT INTO sqlite_master SELECT * FROM hidden")
        try run(["DROP TABLE hidden"])
    }

    private var structure: CopyCheck {
        CopyCheck {
            try file.connect(.readOnly, key: key)
        } pages: {
            let pages = try PlainFile(file.path, followsLinks: false)
            return try PageVerifier(closed: pages, PageCipher(key, settings: key.settings)).contents
        } isCancelled: {
            false
        }
    }

    private func check() throws -> String? { try structure.firstDefect(beside: []) }

    /// Nil if the engine has to look up the rows.
    private func passesComparison() throws -> Bool? { try structure.passesComparison(beside: []) }

    /// The number of indexes that are compared; nil if the engine has to look up the rows.
    private func comparedIndexes() throws -> Int? {
        let connection = try file.connect(.readOnly, key: key)
        defer { connection.close() }
        return try connection.comparableTables()?.map(\.indexes.count).reduce(0, +)
    }

    private func integrityCheck() throws -> String? {
        let connection = try file.connect(.readOnly, key: key)
        defer { connection.close() }
        return try connection.firstDefect()
    }

    private static let lines = [
        "CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT, number)",
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) "
            + "INSERT INTO line SELECT i, 'line ' || (i * 7 % 1000), i * 31 % 900 FROM n",
    ]

    private static let exactValues = [
        "9007199254740993", "9007199254740992.0", "9223372036854775807", "9223372036854775807.0",
        "-9223372036854775808",
    ]

    /// Those that are near the limit of integers are left to the engine.
    @Test(arguments: [[], exactValues])
    func valuesOfEachKindAreCompared(exactValues: [String]) throws {
        let values =
            exactValues + [
                "NULL", "NULL", "0", "-0.0", "1", "1.5", "-1", "9007199254740991", "-9.3e18", "9e999", "-9e999",
                "''", "'a'", "'A'", "'B'", "'a '", "'ä'", "'a' || char(0) || 'b'", "'A' || char(0) || 'c'", "'Z'",
                "'['", "'z'", "x''", "x'00'", "x'ff'", "zeroblob(3000)", "hex(zeroblob(9000))", "'12'", "12", "12.0",
            ]
        let rows = values.flatMap { first in values.map { "(\(first), \(first), \($0), \($0))" } }
        try run([
            "CREATE TABLE other (id INTEGER PRIMARY KEY, plain, number NUMERIC, text TEXT, real REAL)",
            "CREATE INDEX other_plain ON other (plain, text)",
            "CREATE INDEX other_down ON other (number DESC, plain)",
            "CREATE INDEX other_case ON other (text COLLATE NOCASE DESC, real DESC)",
            "CREATE INDEX other_real ON other (real, text COLLATE NOCASE)",
            "INSERT INTO other (plain, number, text, real) VALUES \(rows.joined(separator: ", "))",
            "ALTER TABLE other ADD COLUMN later REAL DEFAULT 5",
            "CREATE INDEX other_later ON other (later, number)",
            "CREATE TABLE word (text TEXT PRIMARY KEY, number REAL UNIQUE COLLATE NOCASE)",
            "INSERT INTO word VALUES ('a', NULL), ('b', NULL), ('c', 1), ('d', -0.0), ('A', 2)",
            "CREATE TABLE \"odd `name\"\"\" (\"a `b\", rowid, UNIQUE (rowid, \"a `b\"))",
            "INSERT INTO \"odd `name\"\"\" VALUES (1, 2), (NULL, NULL), (NULL, NULL), (2, 1)",
            "CREATE TABLE none (text TEXT)",
        ])
        #expect(try comparedIndexes() == 8)
        #expect(try passesComparison() == exactValues.isEmpty)
        #expect(try check() == nil)
        #expect(try integrityCheck() == nil)
    }

    /// An index may have an integer for which the engine reads the nearest `Double`.
    @Test func aNumberThatMayBeAnotherIsLookedUp() throws {
        try run([
            "CREATE TABLE line (number)", "CREATE INDEX line_number ON line (number)",
            "INSERT INTO line VALUES (9007199254740993), (1)",
        ])
        #expect(try passesComparison() == true)
        try withoutIndex("line_number", ["UPDATE line SET number = 9007199254740992.0 WHERE number > 1"])
        try changeTable("(number)", "(number REAL)")
        #expect(try comparedIndexes() == 1)
        #expect(try passesComparison() == false)
        #expect(try check() != nil)
    }

    /// An engine of version 3 makes an integer of the default, one of version 4 does not.
    @Test func anIndexOfADefaultIsDecidedByTheEngine() throws {
        try run([
            "CREATE TABLE line (text)", "INSERT INTO line VALUES ('a')",
            "ALTER TABLE line ADD COLUMN number DEFAULT 1", "CREATE INDEX line_number ON line (number)",
        ])
        try changeTable("DEFAULT 1", "DEFAULT 1.0")
        #expect(try check() == nil)
    }

    @Test func aTableWithOneColumnIsCompared() throws {
        try run([
            "CREATE TABLE line (text TEXT NOT NULL)", "CREATE UNIQUE INDEX line_text ON line (text)",
            "INSERT INTO line VALUES ('b'), ('a')",
        ])
        #expect(try comparedIndexes() == 1)
        #expect(try passesComparison() == true)
    }

    @Test(arguments: [
        "CREATE INDEX line_text ON line (text) WHERE number > 5", "CREATE INDEX line_text ON line (length(text))",
        "CREATE INDEX line_text ON line (text, id)", "CREATE INDEX line_text ON line (text, number, text)",
        "CREATE INDEX line_text ON line (text COLLATE RTRIM)",
        "CREATE TABLE word (text TEXT PRIMARY KEY) WITHOUT ROWID",
    ])
    func theEngineChecksOtherIndexes(statement: String) throws {
        try run(Self.lines + [statement])
        #expect(try comparedIndexes() == nil)
        #expect(try passesComparison() == nil)
        #expect(try check() == nil)
        guard statement.contains("INDEX") else { return }
        try withoutIndex("line_text", ["UPDATE line SET text = 'other' WHERE id = 70"])
        #expect(try check() != nil)
    }

    /// What stands beside the statements of the schema is not what the engine goes by.
    @Test(arguments: [
        "SET type = 'TABLE' WHERE name = 'line'", "SET name = CAST(name AS BLOB) WHERE name = 'line'",
        "SET name = 'other' WHERE name = 'line'", "SET rootpage = 2.5 WHERE name = 'line'",
        "SET sql = 'CREATE INDEX line_text ON sqlite_master (name)', tbl_name = 'sqlite_master' WHERE type = 'index'",
    ])
    func aSchemaThatIsNotThatOfItsStatementsIsLeftToTheEngine(change: String) throws {
        try run(Self.lines + ["CREATE INDEX line_text ON line (text)", "CREATE TABLE other (text)"])
        try withoutIndex("line_text", ["UPDATE line SET text = 'other' WHERE id = 70"])
        try rewriteSchema("UPDATE sqlite_master \(change)")
        #expect((try? comparedIndexes()) ?? nil == nil)
        // Some engines refuse to read such a schema.
        if case .success(nil) = Result(catching: { try check() }) { Issue.record("nothing was found") }
    }

    @Test func anEntryHasItsValuesAndNothingElse() {
        // Two bytes of text, a row id.
        let entry: [UInt8] = [3, 17, 1, 65, 66, 7]
        func isEntry(_ bytes: [UInt8], values: Int = 2) -> Bool {
            RecordFields.isEntry(WipedBytes(copying: bytes), of: bytes.count, values: values)
        }
        #expect(isEntry(entry))
        #expect(isEntry([3, 17, 9, 65, 66]) && isEntry([4, 0x80, 17, 9, 65, 66]))
        #expect(!isEntry(entry, values: 3) && !isEntry(entry, values: 1))
        // A shorter text, with a byte before the row id.
        #expect(!isEntry([3, 15, 1, 65, 66, 7]))
        #expect(!isEntry([3, 17, 0, 65, 66]) && !isEntry([3, 17, 7, 65, 66, 0, 0, 0, 0, 0, 0, 0, 0]))
        #expect(
            !isEntry([3, 17, 0x81, 65, 66, 7]) && !isEntry([3, 10, 1, 7]) && !isEntry([9, 17, 1]) && !isEntry([]))
    }

    /// What is wrong with an index, or the table.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case otherValue, otherCase, otherNumber, missingEntry, extraEntry, otherOrder, otherCollation, notUnique
        case furtherValue, fewerValues, nullValue, otherKindOfPage, unusedPage

        var testDescription: String { rawValue }
    }

    @Test(arguments: Fault.allCases)
    func eachFaultIsFound(fault: Fault) throws {
        try run(
            Self.lines + [
                "CREATE INDEX line_text ON line (text COLLATE NOCASE)",
                "CREATE INDEX line_number ON line (number, text)",
            ])
        #expect(try passesComparison() == true)
        switch fault {
        case .otherValue: try withoutIndex("line_text", ["UPDATE line SET text = 'other' WHERE id = 70"])
        case .otherCase: try withoutIndex("line_text", ["UPDATE line SET text = upper(text) WHERE id = 70"])
        case .otherNumber: try withoutIndex("line_number", ["UPDATE line SET number = number + 0.0 WHERE id = 70"])
        case .missingEntry: try withoutIndex("line_text", ["INSERT INTO line VALUES (5000, 'new', 0)"])
        case .extraEntry: try withoutIndex("line_text", ["DELETE FROM line WHERE id = 70"])
        case .otherOrder: try changeIndex("(number, text)", "(number DESC, text)")
        case .otherCollation:
            try withoutIndex("line_text", ["INSERT INTO line VALUES (5000, 'LINE 3', 0)", "REINDEX"])
            try run(["DROP INDEX line_text", "CREATE INDEX line_text ON line (text COLLATE NOCASE)"])
            try changeIndex("COLLATE NOCASE", "COLLATE BINARY")
        case .notUnique:
            try run(["INSERT INTO line VALUES (5000, 'LINE 7', 0)"])
            try changeIndex("CREATE INDEX line_text", "CREATE UNIQUE INDEX line_text")
        case .furtherValue: try changeIndex("(number, text)", "(number)")
        case .fewerValues: try changeIndex("(text COLLATE NOCASE)", "(text COLLATE NOCASE, number)")
        case .nullValue:
            try run(["UPDATE line SET text = NULL WHERE id = 70"])
            try changeTable("text TEXT", "text TEXT NOT NULL")
        case .unusedPage:
            try run(["CREATE TABLE gone (text)"])
            try rewriteSchema("DELETE FROM sqlite_master WHERE name = 'gone'")
        case .otherKindOfPage:
            try rewriteSchema(
                "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'line') "
                    + "WHERE name = 'line_text'")
        }
        #expect(try passesComparison() == false)
        do {
            // The engine looks up rows by the order of the index, in which these are equal.
            let isSeen = fault != .otherCase && fault != .otherNumber
            let defect = try check()
            #expect(defect != nil || !isSeen)
        } catch let error as StrongroomError {
            #expect(fault == .otherKindOfPage && error.isDamage, "\(error)")
        }
    }

    private func changeTable(_ old: String, _ new: String) throws {
        try rewriteSchema("UPDATE sqlite_master SET sql = replace(sql, '\(old)', '\(new)') WHERE type = 'table'")
    }

    private func changeIndex(_ old: String, _ new: String) throws {
        try rewriteSchema("UPDATE sqlite_master SET sql = replace(sql, '\(old)', '\(new)') WHERE type = 'index'")
    }

    /// The failure of the work beside the check goes first, and ends the check.
    @Test func otherWorkIsDoneBesideTheCheck() throws {
        try run(Self.lines + ["CREATE INDEX line_text ON line (text)"])
        #expect(throws: CancellationError.self) {
            try structure.firstDefect(beside: [{ _ in throw CancellationError() }])
        }
        let isDone = Locked(false)
        let defect = try structure.firstDefect(beside: [{ _ in isDone.withLock { $0 = true } }])
        #expect(defect == nil && isDone.withLock { $0 })
    }
}
