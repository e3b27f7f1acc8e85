/// The SQL of a table's operations, built once for each connection and then cached by ``OperationKey``.
@usableFromInline
struct TableStatements {
    /// The operations in the keys of the statement cache.
    @usableFromInline
    enum Operation {
        @usableFromInline static let insert = 0
        @usableFromInline static let insertWithKey = 1
        @usableFromInline static let insertMany = 2
        @usableFromInline static let insertManyWithKey = 3
        @usableFromInline static let find = 4
        @usableFromInline static let delete = 5
        /// An update by key; one for each treatment of nil.
        @usableFromInline static let overwrite = 6
        @usableFromInline static let keep = 7
        /// The key of the row that unique columns identify.
        @usableFromInline static let lookUp = 8
        @usableFromInline static let select = 11
        @usableFromInline static let deleteMany = 12
        /// The keys of the rows that columns which need not be unique identify.
        static let lookUpAll = 13
        /// Added to an update that is part of a list.
        @usableFromInline static let listed = 32
    }

    private let schema: TableSchema
    private let columnNames: [String]
    private let table: String

    @usableFromInline
    init(_ schema: TableSchema, _ columnNames: [String]) {
        self.schema = schema
        self.columnNames = columnNames
        table = schema.quotedName
    }

    /// - Parameters:
    ///   - withKey: Whether the record has a key. A key that the engine generates is omitted: given as NULL, it would
    ///     be looked up before the insert.
    ///   - rows: The number of records. With several, a failure leaves the records before it in the table: the engine
    ///     then needs no statement journal, and the caller rolls the list back.
    @usableFromInline
    func insert(withKey: Bool, rows: Int = 1) throws -> String {
        let leftOut = withKey ? nil : generatedKeyIndex
        let indices = columnNames.indices.filter { $0 != leftOut && isWritten($0) }
        let columns = indices.map { Identifier.quote(columnNames[$0]) }.joined(separator: ", ")
        let values = (0..<rows).map { row in
            let first = row * columnNames.count + 1
            return "(\(indices.map { "?\(first + $0)" }.joined(separator: ", ")))"
        }
        let verb = rows == 1 ? "INSERT" : "INSERT OR FAIL"
        return "\(verb) INTO \(table) (\(columns)) VALUES \(values.joined(separator: ", "))"
    }

    /// The index of the generated key. Not the last index: the statement must have a parameter for each column that the
    /// record binds, and the last number is their count.
    private var generatedKeyIndex: Int? {
        guard
            let key = schema.rowIDColumn, key.defaultValue == nil,
            let index = Identifier.index(of: key.name, in: columnNames)
        else { return nil }
        return index == columnNames.indices.last ? nil : index
    }

    /// The SELECT and FROM clauses of a query.
    @usableFromInline
    func select(distinct: Bool = false) -> String {
        let columns = columnNames.map(Identifier.quote).joined(separator: ", ")
        return "SELECT \(distinct ? "DISTINCT " : "")\(columns) FROM \(table)"
    }

    @usableFromInline
    func find() throws -> String {
        "\(select()) WHERE \(try keyCondition(from: 1))"
    }

    @usableFromInline
    func delete() throws -> String {
        "DELETE FROM \(table) WHERE \(try keyCondition(from: 1))"
    }

    /// The parameter is the list of keys; see ``ListTable``.
    func deleteMany() throws -> String {
        "DELETE FROM \(table) WHERE \(Identifier.quote(try schema.primaryKey().name)) IN (\(ListTable.query("?1")))"
    }

    /// Sets the columns of the record except the key, in the row whose key is in the parameters after the record's own.
    ///
    /// - Parameters:
    ///   - keepingNil: Whether nil keeps the value of the row.
    ///   - leftOut: The indices of further columns that are not set.
    ///   - compared: For an update in a list, which is rolled back completely (see ``Connection/inList(of:_:)``), the
    ///     indices of columns that are compared instead of written, so that the engine has no foreign key to check: a
    ///     row in which they differ does not match. Nil for an update by itself.
    ///   - version: The index of the version: the row must have the version before that of the record.
    @usableFromInline
    func update(
        keepingNil: Bool, except leftOut: [Int] = [], comparing compared: [Int]? = nil, version: Int? = nil
    ) throws -> String {
        let verb = compared == nil ? "UPDATE" : "UPDATE OR FAIL"
        let compared = compared ?? []
        let keys = try schema.keyColumns().map(\.name)
        let indices = columnNames.indices.filter { index in
            !leftOut.contains(index) && isWritten(index)
                && Identifier.index(of: columnNames[index], in: keys) == nil
        }
        let assignments = indices.filter { !compared.contains($0) }.map { index in
            let column = Identifier.quote(columnNames[index])
            return keepingNil ? "\(column) = ifnull(?\(index + 1), \(column))" : "\(column) = ?\(index + 1)"
        }
        let comparisons = indices.filter(compared.contains).map { index in
            // Byte by byte, regardless of the column's collation.
            let comparison = "\(Identifier.quote(columnNames[index])) IS ?\(index + 1) COLLATE BINARY"
            return keepingNil ? " AND (?\(index + 1) IS NULL OR \(comparison))" : " AND \(comparison)"
        }
        let previous = version.flatMap { index in
            leftOut.contains(index) ? nil : " AND \(Identifier.quote(columnNames[index])) = ?\(index + 1) - 1"
        }
        let condition = try keyCondition(from: columnNames.count + 1) + (previous ?? "") + comparisons.joined()
        guard !assignments.isEmpty else {
            // Only the key is given: the row is not changed, and the statement reports whether it exists.
            let column = Identifier.quote(keys.first ?? "rowid")
            return "\(verb) \(table) SET \(column) = \(column) WHERE \(condition)"
        }
        return "\(verb) \(table) SET \(assignments.joined(separator: ", ")) WHERE \(condition)"
    }

    /// Returns the key of the row in which unique columns have the record's values, and whether they are equal byte by
    /// byte: an update without them saves the engine the update of their index.
    @usableFromInline
    func keyByUnique(_ indices: [Int]) throws -> String {
        let names = indices.map { columnNames[$0] }
        try schema.checkUnique(names)
        let same = equalities(indices) { _ in " COLLATE BINARY" }
        // With the collation of the index: with that of the column, other rows could match.
        let equal = equalities(indices) { schema.uniqueCollation(of: $0, among: names)?.sql ?? "" }
        return "SELECT \(try keyNames()), \(same) FROM \(table) WHERE \(equal) AND \(lastParameter)"
    }

    /// Returns the keys of the rows in which columns have the record's values, smallest first.
    func keys(matching indices: [Int]) throws -> String {
        let (keys, equal) = (try keyNames(), equalities(indices) { _ in "" })
        return "SELECT \(keys) FROM \(table) WHERE \(equal) AND \(lastParameter) ORDER BY \(keys)"
    }

    private func keyNames() throws -> String {
        try schema.keyColumns().map { Identifier.quote($0.name) }.joined(separator: ", ")
    }

    private func equalities(_ indices: [Int], _ collation: (String) -> String) -> String {
        indices.map { "\(Identifier.quote(columnNames[$0])) = ?\($0 + 1)\(collation(columnNames[$0]))" }
            .joined(separator: " AND ")
    }

    /// The record binds all its columns, so the statement must also have a parameter for the last one.
    private var lastParameter: String { "?\(columnNames.count) IS ?\(columnNames.count)" }

    /// The values that an insert binds in place of NULL, by index; empty if no column has a default.
    @usableFromInline
    func defaults() throws -> [SQLValue] {
        var values = columnNames.map { _ in SQLValue.null }
        for column in schema.columns where column.replacesNil {
            guard let value = try column.defaultValue?.get() else { continue }
            if let index = Identifier.index(of: column.name, in: columnNames) { values[index] = value }
        }
        return values.contains { $0 != .null } ? values : []
    }

    private func keyCondition(from parameter: Int) throws -> String {
        try schema.keyColumns().enumerated()
            .map { "\(Identifier.quote($1.name)) = ?\(parameter + $0)" }
            .joined(separator: " AND ")
    }

    /// Whether a record's column is written; generated columns are not.
    private func isWritten(_ index: Int) -> Bool {
        !schema.columns.contains { $0.generated != nil && Identifier.areSame($0.name, columnNames[index]) }
    }
}

extension TableSchema {
    /// The columns of the primary key.
    ///
    /// - Throws: ``StrongroomError`` with `notDeclared` if there is no primary key.
    package func keyColumns() throws -> [ColumnDefinition] {
        if !hasKey { _ = try primaryKey() }
        return primaryKeys
    }

    package var hasKey: Bool { !primaryKeys.isEmpty }

    @usableFromInline
    func checkKey() throws {
        if !hasKey { _ = try keyColumns() }
    }

    func checkUnique(_ names: [String]) throws {
        guard !isUnique(names) else { return }
        throw StrongroomError(
            .notDeclared,
            """
            \(names.listed) of table "\(name)" is not unique; upsert by the primary key, by the columns of a unique \
            index, or with `.matching` in place of `.by`.
            """
        )
    }

    func isUnique(_ names: [String]) -> Bool {
        isUniqueByItself(names) || uniqueIndex(on: names) != nil
    }

    /// The collation of a column in a unique index; nil for that of the column.
    func uniqueCollation(of name: String, among names: [String]) -> Collation? {
        guard !isUniqueByItself(names) else { return nil }
        return uniqueIndex(on: names)?.parts.first { Identifier.areSame($0.column ?? "", name) }?.collation
    }

    private func isUniqueByItself(_ names: [String]) -> Bool {
        if names.count == 1, columns.contains(where: { Identifier.areSame($0.name, names[0]) && $0.isUnique }) {
            return true
        }
        return Identifier.areSame(names, primaryKeys.map(\.name))
    }

    /// Partial indexes and indexes on expressions do not make columns unique.
    private func uniqueIndex(on names: [String]) -> TableIndex? {
        indexes.first { index in
            index.isUnique && index.condition == nil && index.columns.count == index.parts.count
                && Identifier.areSame(index.columns, names)
        }
    }
}
