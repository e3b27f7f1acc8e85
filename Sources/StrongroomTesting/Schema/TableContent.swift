import Strongroom

/// The rows of every table, for comparison with those of another file.
struct TableContent: Sendable {
    struct Rows: Sendable {
        /// Sorted by name.
        let infos: [ColumnInfo]
        let rows: [[Value]]

        var columns: [String] { infos.map(\.name) }
    }

    /// The rows by table name.
    private(set) var tables: [String: Rows] = [:]

    /// Reads the rows, in the order of their keys; virtual tables are skipped.
    init(in db: borrowing some Reading & ~Copyable) throws {
        for table in try db.tableNames() {
            let sql = try db.value(
                "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = \(table)", as: String.self)
            guard let text = CreateTableText(sql ?? "") else { continue }
            let columns = try db.columns(of: table)
            let keys = columns.filter { $0.keyPlace != nil }.sorted { ($0.keyPlace ?? 0) < ($1.keyPlace ?? 0) }
            let order: SQL = text.isWithoutRowID ? Self.list(keys.map(\.name)) : "rowid"
            // By name: the order of the columns is ignored.
            let sorted = columns.sorted { $0.name < $1.name }
            let names = sorted.map(\.name)
            var rows: [[Value]] = []
            try db.forEachRow("SELECT \(Self.list(names)) FROM \(name: table) ORDER BY \(order)") { row in
                rows.append(try (0..<row.count).map { try row.value(at: $0) })
            }
            tables[table] = Rows(infos: sorted, rows: rows)
        }
    }

    private static func list(_ names: [String]) -> SQL {
        var list: SQL = ""
        for (index, name) in names.enumerated() {
            list = index == 0 ? "\(name: name)" : "\(list), \(name: name)"
        }
        return list
    }

    /// A difference to the rows of another file.
    struct Difference: Hashable, Sendable {
        let table: String
        /// Nil if the numbers of rows differ.
        let column: String?
        /// The text for messages.
        let text: String
    }

    /// The differences to another file, without the values.
    ///
    /// - Parameters:
    ///   - other: The rows of the other file; tables that only one of them has are differences of the schema.
    ///   - here: The name of this file for messages.
    ///   - there: The name of the other file.
    func differences(from other: TableContent, here: String, there: String) -> [Difference] {
        tables.keys.sorted().flatMap { table -> [Difference] in
            guard let rows = tables[table], let others = other.tables[table] else { return [] }
            guard rows.rows.count == others.rows.count else {
                let text = "table \"\(table)\" has \(rows.rows.count) rows in \(here), \(others.rows.count) in \(there)"
                return [Difference(table: table, column: nil, text: text)]
            }
            guard rows.columns == others.columns else { return [] }
            return rows.columns.indices.compactMap { index in
                let isSame = zip(rows.rows, others.rows).allSatisfy { $0[index] == $1[index] }
                let name = rows.columns[index]
                let text = "column \"\(table).\(name)\" has other values in \(here) than in \(there)"
                return isSame ? nil : Difference(table: table, column: name, text: text)
            }
        }
    }
}
