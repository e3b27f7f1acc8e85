import CSQLCipher

/// Where the columns of a record are in a statement's result: found by their names, and kept with the statement.
final class ColumnOrder {
    /// The index in the statement of each of the record's columns.
    struct Positions {
        let statement: OpaquePointer
        fileprivate let columns: UnsafeMutablePointer<Int32>

        subscript(_ index: Int) -> Int32 { columns[index] }
    }

    /// The record's type.
    let type: ObjectIdentifier
    /// The number of the record's columns.
    let count: Int
    /// Nil where the record's columns are the statement's first ones, in the same order.
    let positions: UnsafePointer<Positions>?

    /// Compares the names.
    ///
    /// - Parameters:
    ///   - names: The record's columns.
    ///   - type: The record's type.
    ///   - statement: The statement, which has made its first step: the engine may have prepared it again there.
    /// - Throws: ``StrongroomError`` with `sql` for a column that is missing, or found more than once.
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

    /// The column with a name. The case of the letters A to Z does not count, as in SQL.
    ///
    /// For `v.name` of a view the engine before SQLite 3.24 calls the column so, too, and not `name`: where no column
    /// has the name, the part behind the table's counts.
    ///
    /// - Throws: ``StrongroomError`` with `sql` when there is none, or more than one.
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

    /// What follows the table in `v.name`, without its quotation marks.
    private static func columnPart(of name: String) -> Substring? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let part = name[name.index(after: dot)...]
        let marks: [Character: Character] = ["\"": "\"", "`": "`", "[": "]"]
        guard part.count > 2, let first = part.first, let last = marks[first], part.last == last else { return part }
        return part.dropFirst().dropLast()
    }
}

extension Statement {
    /// The statement's row with its columns in the order of a record's; to be asked for after the first step. The names
    /// are compared once for a type, and again when the engine has prepared the statement anew.
    ///
    /// - Throws: ``StrongroomError`` with `sql` for a column that is missing, or found more than once.
    @usableFromInline
    func row<R>(for type: R.Type, _ names: [String]) throws -> Row {
        if let order = columnOrder, order.type == ObjectIdentifier(type), areNamesKnown { return Row(self, in: order) }
        let order = try ColumnOrder(of: names, in: type, from: self)
        columnOrder = order
        areNamesKnown = true
        return Row(self, in: order)
    }
}
