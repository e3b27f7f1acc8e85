import CSQLCipher

/// The positions of a record's columns in a statement's result, found by name and cached with the statement.
final class ColumnOrder {
    /// The index in the result for each of the record's columns.
    struct Positions {
        let statement: OpaquePointer
        fileprivate let columns: UnsafeMutablePointer<Int32>

        subscript(_ index: Int) -> Int32 { columns[index] }
    }

    /// The record's type.
    let type: ObjectIdentifier
    /// The number of columns of the record.
    let count: Int
    /// Nil if the record's columns are the first of the statement, in the same order.
    let positions: UnsafePointer<Positions>?

    /// Matches the names.
    ///
    /// - Parameters:
    ///   - names: The record's columns.
    ///   - type: The record's type.
    ///   - statement: The statement, after its first step, at which the engine may have prepared it again.
    /// - Throws: ``StrongroomError`` with `sql` for a column that is missing or ambiguous.
    init(of names: [String], in type: Any.Type, from statement: borrowing Statement) throws {
        let found = (0..<sqlite3_column_count(statement.pointer)).map { index in
            sqlite3_column_name(statement.pointer, index).map { String(cString: $0) } ?? ""
        }
        self.type = ObjectIdentifier(type)
        count = names.count
        let columns = try names.map { try Self.position(of: $0, among: found, sql: statement.sql) }
        guard !columns.elementsEqual(names.indices) else {
            positions = nil
            return
        }
        let list = UnsafeMutablePointer<Int32>.allocate(capacity: columns.count)
        list.initialize(from: columns.map { Int32(clamping: $0) }, count: columns.count)
        let positions = UnsafeMutablePointer<Positions>.allocate(capacity: 1)
        positions.initialize(to: Positions(statement: statement.pointer, columns: list))
        self.positions = UnsafePointer(positions)
    }

    deinit {
        guard let positions else { return }
        positions.pointee.columns.deallocate()
        positions.deallocate()
    }

    /// The index of the column with a name. The case of A to Z is ignored, as in SQL.
    ///
    /// For `v.name` of a view, the engine before SQLite 3.24 names the column `v.name` instead of `name`: if no column
    /// has the name, the part after the table name is compared.
    ///
    /// - Throws: ``StrongroomError`` with `sql` if no column has the name, or more than one.
    static func position(of name: String, among names: [String], sql: String?) throws -> Int {
        var matches = names.indices.filter { names[$0].isSameName(as: name) }
        if matches.isEmpty {
            matches = names.indices.filter { index in
                columnPart(of: names[index]).map { String($0).isSameName(as: name) } ?? false
            }
        }
        if matches.count == 1 { return matches[0] }
        let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
        guard matches.isEmpty else {
            throw StrongroomError(
                .sql, "The result has \(matches.count) columns \"\(name)\" (\(list)); give each its own name with AS.",
                sql: sql)
        }
        throw StrongroomError(
            .sql, "The result has no column \"\(name)\", only \(list); select it, or name it with AS.", sql: sql)
    }

    /// The part after the table name in `v.name`, without its quotation marks.
    private static func columnPart(of name: String) -> Substring? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let part = name[name.index(after: dot)...]
        let marks: [Character: Character] = ["\"": "\"", "`": "`", "[": "]"]
        guard part.count > 2, let first = part.first, let last = marks[first], part.last == last else { return part }
        return part.dropFirst().dropLast()
    }
}

extension Statement {
    /// The statement's current row, with its columns in the order of a record's. Call it after the first step. The
    /// names are matched once per type, and again after the engine has prepared the statement anew.
    ///
    /// - Throws: ``StrongroomError`` with `sql` for a column that is missing or ambiguous.
    @usableFromInline
    func row<R>(for type: R.Type, _ names: [String]) throws -> Row {
        if let order = columnOrder, order.type == ObjectIdentifier(type), areNamesKnown { return Row(self, in: order) }
        let order = try ColumnOrder(of: names, in: type, from: self)
        columnOrder = order
        areNamesKnown = true
        return Row(self, in: order)
    }
}
