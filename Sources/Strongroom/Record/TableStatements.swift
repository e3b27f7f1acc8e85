/// The SQL of a table's operations; made once for each connection, then known by ``OperationKey``.
@usableFromInline
struct TableStatements {
    /// The operations, as the statement cache knows them.
    @usableFromInline
    enum Operation {
        @usableFromInline static let insert = 0
        @usableFromInline static let insertWithKey = 1
        @usableFromInline static let find = 2
        @usableFromInline static let update = 3
        @usableFromInline static let delete = 4
        /// An upsert's update; one for each way to treat nil.
        @usableFromInline static let overwrite = 5
        @usableFromInline static let keep = 6
    }

    private let schema: TableSchema
    private let columnNames: [String]

    @usableFromInline
    init(_ schema: TableSchema, _ columnNames: [String]) {
        self.schema = schema
        self.columnNames = columnNames
    }

    private var table: String { Identifier.quote(schema.name) }

    private var columnList: String { columnNames.map(Identifier.quote).joined(separator: ", ") }

    /// - Parameter withKey: Whether the record has a key. A key that the engine is to make is left out: given as NULL, it
    ///   would be looked up before the row is inserted.
    @usableFromInline
    func insert(withKey: Bool) throws -> String {
        let leftOut = withKey ? nil : placeOfMadeKey
        let places = columnNames.indices.filter { $0 != leftOut }
        let columns = places.map { Identifier.quote(columnNames[$0]) }.joined(separator: ", ")
        let parameters = places.map { "?\($0 + 1)" }.joined(separator: ", ")
        return "INSERT INTO \(table) (\(columns)) VALUES (\(parameters))"
    }

    /// The place of the key that the engine makes. Not the last place: the statement must have a parameter for each column that
    /// the record binds, and the last one's number is their count.
    private var placeOfMadeKey: Int? {
        guard
            let key = schema.columns.first(where: \.isRowID), key.defaultValue == nil,
            let place = columnNames.firstIndex(of: key.name)
        else { return nil }
        return place == columnNames.indices.last ? nil : place
    }

    @usableFromInline
    func select() -> String {
        "SELECT \(columnList) FROM \(table)"
    }

    @usableFromInline
    func find() throws -> String {
        "\(select()) WHERE \(try quotedKey()) = ?1"
    }

    @usableFromInline
    func delete() throws -> String {
        "DELETE FROM \(table) WHERE \(try quotedKey()) = ?1"
    }

    /// Sets all columns of the record but the key, in the row whose key is the parameter after the record's own.
    ///
    /// - Parameter keepingNil: Whether nil leaves what the row has.
    @usableFromInline
    func update(keepingNil: Bool) throws -> String {
        let key = try schema.primaryKey().name
        let assignments = columnNames.enumerated()
            .filter { $0.element != key }
            .map { place, name in
                let column = Identifier.quote(name)
                return keepingNil ? "\(column) = ifnull(?\(place + 1), \(column))" : "\(column) = ?\(place + 1)"
            }
        guard !assignments.isEmpty else {
            // Nothing but a key: the row stays, and the statement tells whether it is there.
            let column = Identifier.quote(key)
            return "UPDATE \(table) SET \(column) = \(column) WHERE \(column) = ?\(keyParameter + 1)"
        }
        return """
            UPDATE \(table) SET \(assignments.joined(separator: ", ")) \
            WHERE \(Identifier.quote(key)) = ?\(keyParameter + 1)
            """
    }

    /// The place of an update's key among its parameters: after the record's columns.
    @usableFromInline var keyParameter: Int { columnNames.count }

    /// Gives the key of the row in which a unique column has the record's value, and one row of NULL when that value is nil.
    @usableFromInline
    func keyByUnique(_ column: String) throws -> String {
        guard
            let place = columnNames.firstIndex(of: column),
            let definition = schema.columns.first(where: { $0.name == column })
        else {
            throw StrongroomError(.notUnique, "Table «\(schema.name)» and its record have no column «\(column)».")
        }
        let hasIndex = schema.indexes.contains { $0.isUnique && $0.columns == [column] }
        guard definition.isUnique || hasIndex else {
            throw StrongroomError(
                .notUnique,
                "Column «\(column)» of table «\(schema.name)» is not unique; upsert by the primary key or a unique column."
            )
        }
        // The record binds all its columns, so the statement must have a parameter for the last of them, too.
        return """
            SELECT \(try quotedKey()) FROM \(table) WHERE \(Identifier.quote(column)) = ?\(place + 1) \
            UNION ALL SELECT NULL WHERE ?\(place + 1) IS NULL AND ?\(columnNames.count) IS ?\(columnNames.count)
            """
    }

    /// What an insert binds in place of NULL, by place; empty when no column has a default.
    @usableFromInline
    func defaults() throws -> [Value] {
        let byName = try Dictionary(
            schema.columns.map { ($0.name, try $0.defaultValue?.get() ?? .null) },
            uniquingKeysWith: { first, _ in first }
        )
        let values = columnNames.map { byName[$0] ?? .null }
        return values.contains { $0 != .null } ? values : []
    }

    private func quotedKey() throws -> String {
        Identifier.quote(try schema.primaryKey().name)
    }
}
