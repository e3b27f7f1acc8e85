import Foundation

@testable import Strongroom

extension Reader {
    /// Values that another program has stored, as each type of Swift reads them, and as arguments of the library's
    /// functions in SQL.
    static let rows = Reader("rows", longest: 1 << 12) { input in
        let kind = input.byte() % 5
        let isText = input.flag()
        let scale = Int(input.byte() % 19)
        var value = SQLValue.null
        switch kind {
        case 0: value = .integer(input.integer())
        case 1:
            let number = Double(bitPattern: input.integer())
            value = number.isNaN ? .null : .real(number)
        case 2: value = .text(input.text())
        default: value = .blob(input.remainder())
        }
        // Bytes that become a text are not always UTF-8.
        let sql = isText ? "SELECT CAST(? AS TEXT)" : "SELECT ?"
        try read(sql, [value]) { row in
            readTypes(row)
            for form in DateForm.allCases { _ = try? row.date(at: 0, as: form) }
            _ = try? row.decimal(at: 0, scale: scale)
        }
        for sql in Functions.all { try? read(sql, Array(repeating: value, count: sql.count { $0 == "?" })) { _ in } }
    }

    private static func read(_ sql: String, _ values: [SQLValue], _ body: (borrowing Row) throws -> Void) throws {
        try MemoryDatabase.shared.connection.withOwnStatement(sql, values) { statement in
            while try statement.step() {
                let row = Row(statement)
                try body(row)
                for index in 0..<row.count { _ = try? row.value(at: index) }
            }
        }
    }

    private static func readTypes(_ row: borrowing Row) {
        readType(row, SQLValue.self)
        readType(row, Int64.self)
        readType(row, Int.self)
        readType(row, UInt8.self)
        readType(row, UInt64.self)
        readType(row, Bool.self)
        readType(row, Double.self)
        readType(row, Float.self)
        readType(row, String.self)
        readType(row, [UInt8].self)
        readType(row, Data.self)
        readType(row, Date.self)
        readType(row, UUID.self)
        readType(row, Decimal.self)
        readType(row, URL.self)
        readType(row, JSON<[String: [Int]]>.self)
        readType(row, JSON<[Decimal]>.self)
        readType(row, String?.self)
    }

    private static func readType<V: ColumnValue>(_ row: borrowing Row, _ type: V.Type) {
        do {
            let value: V = try row[0]
            _ = try? value.stored()
        } catch let error as StrongroomError {
            require(error.code == .typeMismatch, "a value of another type is a mismatch: \(error.code)")
        } catch {
            fatalError("an error of another type: \(error)")
        }
    }
}

private enum Functions {
    static let all = [
        "SELECT strongroom_words('standard-1', ?)", "SELECT strongroom_words(?, ?)",
        "SELECT strongroom_score(?, ?, ?)", ListTable.query("?"),
    ]
}
