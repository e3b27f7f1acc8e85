import Strongroom

/// The rows of every table, for comparison with those of another file.
struct TableContent: Sendable {
    struct Rows: Sendable {
        /// Sorted by name.
        let infos: [ColumnInfo]
        let rows: [[SQLValue]]

        var columns: [String] { infos.map(\.name) }
    }

    /// The rows by table name.
    private(set) var tables: [String: Rows] = [:]

    /// Reads the rows, in the order of their keys; virtual tables are skipped.
    init(in db: borrowing some Reading & ~Copyable) throws {
        for table in try db.tableNames() {
            guard let text = try db.tableText(table).flatMap(CreateTableText.init) else { continue }
            let columns = try db.columns(of: table)
            let keys = columns.filter { $0.keyPosition != nil }.sorted { ($0.keyPosition ?? 0) < ($1.keyPosition ?? 0) }
            let order: SQL = text.isWithoutRowID ? Self.list(keys.map(\.name)) : "rowid"
            // By name: the order of the columns is ignored.
            let sorted = columns.sorted { $0.name < $1.name }
            let names = sorted.map(\.name)
            var rows: [[SQLValue]] = []
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
                let count = rows.rows.count.counting("row")
                let text = "table \"\(table)\" has \(count) in \(here), \(others.rows.count) in \(there)"
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

    /// What another file of the same rows has changed in them, without the values: the columns with other values or
    /// that are missing, by table and name, and the tables with other rows or that are missing. Rows are found by their
    /// keys, or where a table has none, by their order.
    func changes(in other: TableContent) -> [String] {
        tables.keys.sorted().flatMap { table -> [String] in
            guard let before = tables[table] else { return [] }
            guard let after = other.tables[table] else { return ["table \"\(table)\", which is missing"] }
            let missing = before.columns.filter { !after.columns.contains($0) }
            let pairs = before.pairs(with: after)
            let changed = before.columns.enumerated().filter { index, name in
                guard let position = after.columns.firstIndex(of: name) else { return false }
                return pairs.contains { $0[index] != $1[position] }
            }
            let hasOtherRows = pairs.count != before.rows.count || pairs.count != after.rows.count
            return changed.map { "column \"\(table).\($0.element)\"" }
                + missing.map { "column \"\(table).\($0)\", which is missing" }
                + (hasOtherRows ? ["the rows of table \"\(table)\""] : [])
        }
    }
}

extension TableContent.Rows {
    /// The same rows in both files.
    fileprivate func pairs(with other: Self) -> [([SQLValue], [SQLValue])] {
        let keys = infos.indices.filter { infos[$0].keyPosition != nil }
        let others = keys.compactMap { other.columns.firstIndex(of: columns[$0]) }
        guard !keys.isEmpty, others.count == keys.count else {
            return rows.count == other.rows.count ? Array(zip(rows, other.rows)) : []
        }
        let found = Dictionary(
            other.rows.map { row in (others.map { row[$0] }, row) }, uniquingKeysWith: { first, _ in first })
        return rows.compactMap { row in found[keys.map { row[$0] }].map { (row, $0) } }
    }
}
