extension Connection {
    /// The columns of a table of `main` that a copy of its rows needs, as SQL: the row id if it has a name, and all
    /// columns that are not generated.
    func storedColumns(of table: String) throws -> String {
        let quoted = Identifier.quote(table)
        let columns = try columnInfos(of: table)
        var list = columns.filter { $0.generated == nil }.map { Identifier.quote($0.name) }
        if let rowID = rowIDName(quoted, columns.map(\.name)) { list.insert(rowID, at: 0) }
        return list.joined(separator: ", ")
    }

    /// A name of the row id that no column uses; nil for a table without row ids.
    ///
    /// - Parameter quoted: The table, as SQL.
    func rowIDName(_ quoted: String, _ columns: [String]) -> String? {
        ColumnInfo.rowIDNames.first { name in
            !columns.contains { $0.isSameName(as: name) }
                && objection(to: "SELECT \(name) FROM main.\(quoted)") == nil
        }
    }
}
