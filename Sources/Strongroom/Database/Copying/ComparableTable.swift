/// A table and its indexes, each of which is compared with the rows by its entries: both are read in their own order,
/// in place of a look-up of each row in each index.
struct ComparableTable {
    /// An index, whose entries depend on nothing but the values of its columns.
    struct Index {
        /// The root page.
        let root: Int
        let isUnique: Bool
        let terms: [IndexEntries.Term]
        /// The columns of its entries in ``ComparableTable/statement``.
        let columns: [Int32]
        /// Reads the entries in their order.
        let statement: String
    }

    let indexes: [Index]
    /// Reads the rows; its last column says whether one of the columns that must not be NULL is.
    let statement: String
    /// The number of the statement's columns.
    let columns: Int32
}

extension ComparableTable.Index {
    /// Reads the entries.
    ///
    /// - Returns: Their sum, and whether it is certain that they are in the order of the index, and that none occurs
    ///   twice in a unique index.
    func entries(_ connection: Connection) throws -> (sum: IndexEntries.Sum, isCertain: Bool) {
        let entries = IndexEntries()
        let columns = 0..<Int32(self.columns.count)
        var isInOrder = true
        try connection.withOwnStatement(statement) { statement in
            while try isInOrder && statement.step() {
                entries.add(statement, columns)
                isInOrder = entries.isInOrder(terms, isUnique: isUnique)
            }
        }
        return (entries.sum, isInOrder && entries.areExact)
    }
}

extension ComparableTable {
    /// Reads the rows.
    ///
    /// - Returns: For each index the sum of the entries that it should have; nil if a row has NULL where it must not.
    func expectedEntries(_ connection: Connection) throws -> [IndexEntries.Sum]? {
        let entry = IndexEntries()
        var sums = indexes.map { _ in IndexEntries.Sum() }
        return try connection.withOwnStatement(statement) { statement in
            while try statement.step() {
                if statement.isTrue(at: columns - 1) { return nil }
                for (place, index) in indexes.enumerated() { sums[place].add(entry.hash(statement, index.columns)) }
            }
            return sums
        }
    }
}

extension Connection {
    /// The tables of `main` that have indexes.
    ///
    /// - Returns: Nil if an index depends on more than the values of its columns, as with conditions, expressions and
    ///   collations in Swift, or if a table has no row ids: then only the engine can check them.
    func comparableTables() throws -> [ComparableTable]? {
        guard try ownValue("PRAGMA main.encoding")?.asText == "UTF-8" else { return nil }
        var roots: [SQLName: Int] = [:]
        var (names, indexes): ([String], Int) = ([], 0)
        // The engine goes by the statements; the kinds and names in the other columns of the schema may be others.
        let trees = "rootpage IS NOT NULL AND rootpage IS NOT 0"
        for object in try ownRows("SELECT type, name, rootpage FROM main.sqlite_master WHERE \(trees)") {
            guard case .text(let kind) = object[0], case .text(let name) = object[1],
                case .integer(let root) = object[2], kind == "table" || kind == "index",
                roots.updateValue(Int(root), forKey: SQLName(name)) == nil
            else { return nil }
            if kind == "table" { names.append(name) } else { indexes += 1 }
        }
        var tables: [ComparableTable] = []
        for name in names {
            guard let table = try comparableTable(name, roots) else { return nil }
            tables.append(table)
        }
        // Otherwise there is one on another table, such as that of the schema.
        guard Set(tables.flatMap(\.indexes).map(\.root)).count == indexes else { return nil }
        return tables.filter { !$0.indexes.isEmpty }
    }

    private func comparableTable(_ name: String, _ roots: [SQLName: Int]) throws -> ComparableTable? {
        let quoted = Identifier.quote(name)
        let columns = try columnInfos(of: name)
        guard columns.allSatisfy({ $0.generated == nil }), let rowID = rowIDName(quoted, columns.map(\.name))
        else { return nil }
        var selected = [rowID]
        var indexes: [ComparableTable.Index] = []
        for listed in try ownRows("PRAGMA main.index_list(\(quoted))") {
            let isPartial = listed[4].exact != .integer(0)
            guard !isPartial, let name = listed[1].asText, let root = roots[SQLName(name)],
                let terms = try terms(ofIndex: name, columns.map { Identifier.quote($0.name) })
            else { return nil }
            let values = terms.map(\.column) + [rowID]
            // Without an order, an engine of version 3 does not read an index whose entries are as long as the rows.
            let statement =
                "SELECT \(values.joined(separator: ", ")) FROM main.\(quoted) INDEXED BY \(Identifier.quote(name)) "
                + "ORDER BY \(terms.map(\.sql).joined(separator: ", "))"
            guard try reads(statement, only: root, values: terms.count) else { return nil }
            selected += values.filter { !selected.contains($0) }
            indexes.append(
                ComparableTable.Index(
                    root: root, isUnique: listed[2].exact == .integer(1), terms: terms,
                    columns: values.compactMap { selected.firstIndex(of: $0) }.map(Int32.init), statement: statement))
        }
        // An engine of version 3 checks them only together with the indexes.
        let required = columns.filter { !$0.isNullable }.map { "\(Identifier.quote($0.name)) IS NULL" }
        selected.append(required.isEmpty ? "0" : required.joined(separator: " OR "))
        let statement = "SELECT \(selected.joined(separator: ", ")) FROM main.\(quoted) NOT INDEXED"
        guard let root = roots[SQLName(name)], try reads(statement, only: root) else { return nil }
        return ComparableTable(indexes: indexes, statement: statement, columns: Int32(selected.count))
    }

    /// The terms of an index, which the row id follows in its entries; nil if they are not all columns of the table,
    /// with collations of the engine.
    ///
    /// - Parameter columns: The columns of the table, quoted.
    private func terms(ofIndex name: String, _ columns: [String]) throws -> [IndexEntries.Term]? {
        var terms: [IndexEntries.Term] = []
        for row in try ownRows("PRAGMA main.index_xinfo(\(Identifier.quote(name)))") {
            let isTerm = row[5].exact == .integer(1)
            guard case .integer(let number) = row[1].exact else { return nil }
            // The row id has the number -1.
            guard isTerm || number != -1 else { continue }
            guard isTerm, columns.indices ~= Int(number), let collation = row[4].asText?.uppercased(),
                let collation = IndexEntries.Term.Collation(rawValue: collation)
            else { return nil }
            terms.append(
                IndexEntries.Term(
                    column: columns[Int(number)], isDescending: row[3].exact == .integer(1), collation: collation))
        }
        return terms
    }

    /// Whether a statement is accepted, and reads a b-tree, and no other one.
    ///
    /// - Parameter values: The number of values that it reads from each record, all of them; nil for any. The engine
    ///   reads a column only once if the index has it twice, and an INTEGER PRIMARY KEY from the row id.
    private func reads(_ statement: String, only root: Int, values: Int? = nil) throws -> Bool {
        guard objection(to: statement) == nil else { return false }
        let instructions = try ownRows("EXPLAIN \(statement)")
        let opened = instructions.filter { $0[1].asText?.contains("Open") ?? true }
        guard opened.count == 1, opened[0][1].asText == "OpenRead", opened[0][3].exact == .integer(Int64(root))
        else { return false }
        let read = instructions.filter { $0[1].asText == "Column" }.map(\.[3].exact)
        return values.map { Set(read) == Set((0..<Int64($0)).map(Value.integer)) } ?? true
    }
}

extension IndexEntries.Term {
    fileprivate var sql: String { "\(column) COLLATE \(collation.rawValue)\(isDescending ? " DESC" : "")" }
}
