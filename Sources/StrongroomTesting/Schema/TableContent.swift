import Strongroom

/// The rows of every table, to be compared with those of another file.
struct TableContent: Sendable {
    struct Rows: Sendable {
        let columns: [String]
        let rows: [[Value]]
    }

    /// By the tables' names.
    private(set) var tables: [String: Rows] = [:]

    /// Reads the rows, in the order of their keys; a table that is an engine's module has none of its own.
    init(in db: borrowing some Reading & ~Copyable) throws {
        for table in try db.tableNames() {
            let sql = try db.value(
                "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = \(table)", as: String.self)
            guard let text = CreateTableText(sql ?? "") else { continue }
            let columns = try db.columns(of: table)
            let keys = columns.filter { $0.keyPlace != nil }.sorted { ($0.keyPlace ?? 0) < ($1.keyPlace ?? 0) }
            let order: SQL = text.isWithoutRowID ? Self.list(keys.map(\.name)) : "rowid"
            // By name: the order of the columns does not count.
            let names = columns.map(\.name).sorted()
            var rows: [[Value]] = []
            try db.forEachRow("SELECT \(Self.list(names)) FROM \(name: table) ORDER BY \(order)") { row in
                rows.append(try (0..<row.count).map { try row.value(at: $0) })
            }
            tables[table] = Rows(columns: names, rows: rows)
        }
    }

    private static func list(_ names: [String]) -> SQL {
        var list: SQL = ""
        for (place, name) in names.enumerated() {
            list = place == 0 ? "\(name: name)" : "\(list), \(name: name)"
        }
        return list
    }

    /// What another file's rows have different.
    struct Difference: Hashable, Sendable {
        let table: String
        /// Nil where the numbers of rows differ.
        let column: String?
        /// What messages say.
        let text: String
    }

    /// What is different in another file; the values themselves are not told.
    ///
    /// - Parameters:
    ///   - other: The other file's rows; tables that only one has are the schema's matter.
    ///   - here: How messages call this file.
    ///   - there: How they call the other.
    func differences(from other: TableContent, here: String, there: String) -> [Difference] {
        tables.keys.sorted().flatMap { table -> [Difference] in
            guard let rows = tables[table], let others = other.tables[table] else { return [] }
            guard rows.rows.count == others.rows.count else {
                let text = "table \"\(table)\" has \(rows.rows.count) rows in \(here), \(others.rows.count) in \(there)"
                return [Difference(table: table, column: nil, text: text)]
            }
            guard rows.columns == others.columns else { return [] }
            return rows.columns.indices.compactMap { place in
                let isSame = zip(rows.rows, others.rows).allSatisfy { $0[place] == $1[place] }
                let name = rows.columns[place]
                let text = "column \"\(table).\(name)\" has other values in \(here) than in \(there)"
                return isSame ? nil : Difference(table: table, column: name, text: text)
            }
        }
    }
}
