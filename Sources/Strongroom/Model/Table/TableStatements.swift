/// The SQL of a table's operations; made once for each connection, then known by ``OperationKey``.
@usableFromInline
struct TableStatements {
    /// The operations, as the statement cache knows them.
    @usableFromInline
    enum Operation {
        @usableFromInline static let insert = 0
        @usableFromInline static let insertWithKey = 1
        @usableFromInline static let insertMany = 2
        @usableFromInline static let insertManyWithKey = 3
        @usableFromInline static let find = 4
        @usableFromInline static let delete = 5
        /// An update by key; one for each way to treat nil.
        @usableFromInline static let overwrite = 6
        @usableFromInline static let keep = 7
        /// The key of the row that unique columns point to.
        @usableFromInline static let lookUp = 8
        /// An update that leaves the unique columns alone; one for each way to treat nil.
        @usableFromInline static let overwriteRest = 9
        @usableFromInline static let keepRest = 10
        /// The beginning of a query.
        @usableFromInline static let select = 11
        /// A deletion of a list of keys.
        @usableFromInline static let deleteMany = 12
        /// Is added to an update that is part of a list.
        @usableFromInline static let listed = 32
    }

    /// How an update is written.
    @usableFromInline
    enum UpdateForm {
        /// For one record.
        ///
        /// - part: The quoted name of the table's part in memory, for a row there.
        case alone(part: String?)
        /// For one of a list, which undoes it; see ``Connection/inList(of:_:)``. The columns in the places are compared
        /// instead of written, so that the engine has no foreign key to check: a row in which they differ is not there.
        case listed([Int])
    }

    private let schema: TableSchema
    private let columnNames: [String]
    /// The table's quoted name, or that of its part in memory.
    private let table: String

    @usableFromInline
    init(_ schema: TableSchema, _ columnNames: [String]) {
        self.init(schema, columnNames, table: schema.quotedName)
    }

    @usableFromInline
    init(_ schema: TableSchema, _ columnNames: [String], table: String) {
        self.schema = schema
        self.columnNames = columnNames
        self.table = table
    }

    /// - Parameters:
    ///   - withKey: Whether the record has a key. A key that the engine is to make is left out: given as NULL, it
    ///     would be looked up before the row is inserted.
    ///   - rows: The number of records. With several, a failure leaves those before it in the table: the engine then
    ///     needs no journal for the statement, and whoever runs it undoes the whole.
    @usableFromInline
    func insert(withKey: Bool, rows: Int = 1) throws -> String {
        let leftOut = withKey ? nil : placeOfMadeKey
        let places = columnNames.indices.filter { $0 != leftOut && isWritten($0) }
        let columns = places.map { Identifier.quote(columnNames[$0]) }.joined(separator: ", ")
        let values = (0..<rows).map { row in
            let first = row * columnNames.count + 1
            return "(\(places.map { "?\(first + $0)" }.joined(separator: ", ")))"
        }
        let verb = rows == 1 ? "INSERT" : "INSERT OR FAIL"
        return "\(verb) INTO \(table) (\(columns)) VALUES \(values.joined(separator: ", "))"
    }

    /// The place of the key that the engine makes. Not the last place: the statement must have a parameter for each
    /// column that the record binds, and the last one's number is their count.
    private var placeOfMadeKey: Int? {
        guard
            let key = schema.rowIDColumn, key.defaultValue == nil,
            let place = Identifier.place(of: key.name, in: columnNames)
        else { return nil }
        return place == columnNames.indices.last ? nil : place
    }

    /// The beginning of a query: what it selects, from where.
    ///
    /// - Parameter distinct: Whether duplicates are removed.
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

    /// Takes the list of keys as its parameter; see ``ListTable``.
    func deleteMany() throws -> String {
        "DELETE FROM \(table) WHERE \(Identifier.quote(try schema.primaryKey().name)) IN (\(ListTable.query("?1")))"
    }

    /// Sets the columns of the record but the key, in the row whose key is in the parameters after the record's own.
    ///
    /// - Parameters:
    ///   - keepingNil: Whether nil leaves what the row has.
    ///   - leftOut: The places that are not set either.
    @usableFromInline
    func update(keepingNil: Bool, except leftOut: [Int] = [], _ form: UpdateForm = .alone(part: nil)) throws -> String {
        var (verb, table, compared) = ("UPDATE", self.table, [Int]())
        switch form {
        case .alone(let part): table = part ?? table
        case .listed(let places): (verb, compared) = ("UPDATE OR FAIL", places)
        }
        let keys = try schema.keyColumns().map(\.name)
        let places = columnNames.indices.filter { place in
            !leftOut.contains(place) && isWritten(place)
                && Identifier.place(of: columnNames[place], in: keys) == nil
        }
        let assignments = places.filter { !compared.contains($0) }.map { place in
            let column = Identifier.quote(columnNames[place])
            return keepingNil ? "\(column) = ifnull(?\(place + 1), \(column))" : "\(column) = ?\(place + 1)"
        }
        let comparisons = places.filter(compared.contains).map { place in
            // To the last byte, whatever the column's collation takes for equal.
            let comparison = "\(Identifier.quote(columnNames[place])) IS ?\(place + 1) COLLATE BINARY"
            return keepingNil ? " AND (?\(place + 1) IS NULL OR \(comparison))" : " AND \(comparison)"
        }
        let condition = try keyCondition(from: columnNames.count + 1) + comparisons.joined()
        guard !assignments.isEmpty else {
            // Nothing but a key: the row stays, and the statement tells whether it is there.
            let column = Identifier.quote(keys.first ?? "rowid")
            return "\(verb) \(table) SET \(column) = \(column) WHERE \(condition)"
        }
        return "\(verb) \(table) SET \(assignments.joined(separator: ", ")) WHERE \(condition)"
    }

    /// Gives the key of the row in which unique columns have the record's values, and whether they are the same to the
    /// last byte: an update that does not touch them spares the engine their index.
    @usableFromInline
    func keyByUnique(_ places: [Int]) throws -> String {
        let names = places.map { columnNames[$0] }
        try schema.checkUnique(names)
        let columns = places.map { (Identifier.quote(columnNames[$0]), $0 + 1) }
        let keys = try schema.keyColumns().map { Identifier.quote($0.name) }.joined(separator: ", ")
        let same = columns.map { "\($0) = ?\($1) COLLATE BINARY" }.joined(separator: " AND ")
        // As the index compares them: by the column's collation others could be found.
        let equal = zip(columns, names).map { column, name in
            "\(column.0) = ?\(column.1)" + (schema.uniqueCollation(of: name, among: names)?.sql ?? "")
        }.joined(separator: " AND ")
        // The record binds all its columns, so the statement must have a parameter for the last of them, too.
        let last = "?\(columnNames.count) IS ?\(columnNames.count)"
        return "SELECT \(keys), \(same) FROM \(table) WHERE \(equal) AND \(last)"
    }

    /// What an insert binds in place of NULL, by place; empty when no column has a default.
    @usableFromInline
    func defaults() throws -> [Value] {
        var values = columnNames.map { _ in Value.null }
        for column in schema.columns {
            guard let value = try column.defaultValue?.get() else { continue }
            if let place = Identifier.place(of: column.name, in: columnNames) { values[place] = value }
        }
        return values.contains { $0 != .null } ? values : []
    }

    private func keyCondition(from parameter: Int) throws -> String {
        try schema.keyColumns().enumerated()
            .map { "\(Identifier.quote($1.name)) = ?\(parameter + $0)" }
            .joined(separator: " AND ")
    }

    /// Whether a record's column is written at all: the engine computes the others.
    private func isWritten(_ place: Int) -> Bool {
        !schema.columns.contains { $0.generated != nil && Identifier.areSame($0.name, columnNames[place]) }
    }
}

extension TableSchema {
    /// The columns of the primary key.
    ///
    /// - Throws: ``StrongroomError`` with `invalidName` when there is none.
    package func keyColumns() throws -> [ColumnDefinition] {
        if !hasKey { _ = try primaryKey() }
        return primaryKeys
    }

    package var hasKey: Bool { !primaryKeys.isEmpty }

    @usableFromInline
    func checkKey() throws {
        if !hasKey { _ = try keyColumns() }
    }

    /// Refuses columns in which two rows can have the same values.
    func checkUnique(_ names: [String]) throws {
        guard !isUnique(names) else { return }
        let list = names.joined(separator: "\", \"")
        throw StrongroomError(
            .notUnique,
            """
            "\(list)" of table "\(name)" is not unique; upsert by the primary key or by the columns of a unique index.
            """
        )
    }

    /// Whether no two rows can have the same values in some columns.
    func isUnique(_ names: [String]) -> Bool {
        isUniqueByItself(names) || uniqueIndex(on: names) != nil
    }

    /// How a unique index compares a column's texts; nil for the column's own way.
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

    /// An index on some of the rows, or on expressions, tells nothing of all rows.
    private func uniqueIndex(on names: [String]) -> TableIndex? {
        indexes.first { index in
            index.isUnique && index.condition == nil && index.columns.count == index.parts.count
                && Identifier.areSame(index.columns, names)
        }
    }
}
