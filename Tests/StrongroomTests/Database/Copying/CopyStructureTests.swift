import Foundation
import StrongroomTesting
import Testing

// Internal: connections to a file without a store.
@testable import Strongroom

/// The engine's integrity check of a copy, beside other work.
@Suite("Check of a copy's structure")
struct CopyStructureTests {
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

    private func check(beside others: [SharedWork.Job] = []) throws -> String? {
        try Connection.firstDefect(beside: others, isCancelled: { false }) { [file, key] in
            try file.connect(.readOnly, key: key)
        }
    }

    private static let lines = [
        "CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT, number)",
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) "
            + "INSERT INTO line SELECT i, 'line ' || (i * 7 % 1000), i * 31 % 900 FROM n",
    ]

    /// What is wrong with an index, or the table.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case otherValue, missingEntry, extraEntry, otherOrder, otherCollation, notUnique
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
        #expect(try check() == nil)
        switch fault {
        case .otherValue: try withoutIndex("line_text", ["UPDATE line SET text = 'other' WHERE id = 70"])
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
        do {
            let defect = try check()
            #expect(defect != nil)
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
}
