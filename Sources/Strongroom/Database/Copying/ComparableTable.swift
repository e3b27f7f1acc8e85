/// A table and its indexes, each of which is compared with the rows by its entries: both are read in their own order,
/// in place of a look-up of each row in each index.
struct ComparableTable {
    /// An index, whose entries depend on nothing but the values of its columns.
    struct Index {
        let name: String
        let isUnique: Bool
        /// Its columns before the row id.
        let terms: [IndexEntries.Term]
        /// The columns of its entries in ``ComparableTable/statement``.
        let columns: [Int32]
        /// Reads the entries in their order.
        let statement: String
    }

    let indexes: [Index]
    /// Reads the rows.
    let statement: String
}

extension ComparableTable.Index {
    /// Reads the entries.
    ///
    /// - Returns: Their sum; nil if they are not in the order of the index, or one occurs twice in a unique index.
    func entries(_ connection: Connection) throws -> IndexEntries.Sum? {
        let entries = IndexEntries()
        let columns = 0..<Int32(self.columns.count)
        return try connection.withOwnStatement(statement) { statement in
            while try statement.step() {
                entries.add(statement, columns)
                guard entries.isInOrder(terms, isUnique: isUnique) else { return nil }
            }
            return entries.sum
        }
    }
}

extension ComparableTable {
    /// Reads the rows.
    ///
    /// - Returns: For each index the sum of the entries that it should have.
    func expectedEntries(_ connection: Connection) throws -> [IndexEntries.Sum] {
        let entries = indexes.map { _ in IndexEntries() }
        try connection.withOwnStatement(statement) { statement in
            while try statement.step() {
                for (index, entries) in zip(indexes, entries) { entries.add(statement, index.columns) }
            }
        }
        return entries.map(\.sum)
    }
}

extension Connection {
    /// The tables of `main` that have indexes.
    ///
    /// - Returns: Nil if an index depends on more than the values of its columns, as with conditions, expressions and
    ///   collations in Swift, or if a table has no row ids: then only the engine can check them.
    func comparableTables() throws -> [ComparableTable]? {
        guard try ownValue("PRAGMA main.encoding")?.asText == "UTF-8" else { return nil }
        let objects = try ownRows("SELECT type, name, rootpage FROM main.sqlite_master WHERE rootpage > 0")
        var roots: [SQLName: Value] = [:]
        for case (.text, .text(let name), let root) in objects.map({ ($0[0], $0[1], $0[2]) }) {
            roots[SQLName(name)] = root
        }
        var tables: [ComparableTable] = []
        for case (.text("table"), .text(let name)) in objects.map({ ($0[0], $0[1]) }) {
            guard let table = try comparableTable(name, roots) else { return nil }
            if !table.indexes.isEmpty { tables.append(table) }
        }
        return tables
    }

    private func comparableTable(_ name: String, _ roots: [SQLName: Value]) throws -> ComparableTable? {
        let quoted = Identifier.quote(name)
        let columns = try columnInfos(of: name)
        guard columns.allSatisfy({ $0.generated == nil }), let rowID = rowIDName(quoted, columns.map(\.name))
        else { return nil }
        /// The position of each column of the table in the statement, by its number.
        var positions: [Int64: Int32] = [Self.rowID: 0]
        var selected = [rowID]
        var indexes: [ComparableTable.Index] = []
        for listed in try ownRows("PRAGMA main.index_list(\(quoted))") {
            guard let index = listed[1].asText, listed[4].exact == .integer(0) else { return nil }
            var terms: [IndexEntries.Term] = []
            var (names, entry): ([String], [Int32]) = ([], [])
            for column in try ownRows("PRAGMA main.index_xinfo(\(Identifier.quote(index)))") {
                guard case .integer(let number) = column[1].exact, number >= Self.rowID,
                    let collation = IndexEntries.Term.Collation(column[4].asText ?? "")
                else { return nil }
                // The last one is the row id.
                if column[5].exact == .integer(1) {
                    terms.append(IndexEntries.Term(isDescending: column[3].exact == .integer(1), collation: collation))
                }
                let name = number == Self.rowID ? rowID : Identifier.quote(columns[Int(number)].name)
                if positions[number] == nil {
                    positions[number] = Int32(selected.count)
                    selected.append(name)
                }
                names.append(name)
                entry.append(positions[number] ?? 0)
            }
            guard names.count == terms.count + 1 else { return nil }
            let statement =
                "SELECT \(names.joined(separator: ", ")) FROM main.\(quoted) INDEXED BY \(Identifier.quote(index))"
            guard try reads(statement, only: roots[SQLName(index)]) else { return nil }
            indexes.append(
                ComparableTable.Index(
                    name: index, isUnique: listed[2].exact == .integer(1), terms: terms, columns: entry,
                    statement: statement))
        }
        let statement = "SELECT \(selected.joined(separator: ", ")) FROM main.\(quoted) NOT INDEXED"
        guard try reads(statement, only: roots[SQLName(name)]) else { return nil }
        return ComparableTable(indexes: indexes, statement: statement)
    }

    /// The engine's number of the row id among the columns of a table.
    private static var rowID: Int64 { -1 }

    /// Whether a statement reads no other b-tree.
    private func reads(_ statement: String, only root: Value?) throws -> Bool {
        let opened = try ownRows("EXPLAIN \(statement)").filter { $0[1].asText == "OpenRead" }
        return opened.count == 1 && opened[0][3].exact == root?.exact
    }
}

extension IndexEntries.Term.Collation {
    fileprivate init?(_ name: String) {
        if name.isSameName(as: "BINARY") {
            self = .binary
        } else if name.isSameName(as: "NOCASE") {
            self = .noCase
        } else {
            return nil
        }
    }
}
