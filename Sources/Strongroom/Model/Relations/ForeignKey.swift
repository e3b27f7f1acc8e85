/// The property and the column with which a record references a row of another table.
struct ForeignKey<Source: Table, Key: TableKey & ColumnValue>: Sendable where Source.RecordType == Source {
    /// The column's name; nil if the record does not provide it.
    let name: String?
    let key: @Sendable (Source) -> Key?
    let set: @Sendable (inout Source, Key) -> Void
    /// Sets the reference to nil; nil for a property that is not optional.
    let clear: (@Sendable (inout Source) -> Void)?

    init<Reference: KeyReference>(_ property: any WritableKeyPath<Source, Reference> & Sendable)
    where Reference.Referred == Key {
        name = Source.columnName(of: property)
        key = { $0[keyPath: property]._referredKey }
        set = { $0[keyPath: property] = Reference(_referringTo: $1) }
        guard Reference._noReference != nil else {
            clear = nil
            return
        }
        clear = { source in
            if let none = Reference._noReference { source[keyPath: property] = none }
        }
    }

    func column() throws -> Column<Key> {
        guard let name else { throw RelationFailure.noColumn(Source.schema) }
        return Column(name, in: Source.schema)
    }
}

/// The property and the column with a record's position in a list.
struct Position<Source: Table>: Sendable where Source.RecordType == Source {
    private let name: String?
    let get: @Sendable (Source) -> Int
    let set: @Sendable (inout Source, Int) -> Void

    init(_ property: any WritableKeyPath<Source, Int> & Sendable) {
        name = Source.columnName(of: property)
        get = { $0[keyPath: property] }
        set = { $0[keyPath: property] = $1 }
    }

    func column() throws -> Column<Int> {
        guard let name else { throw RelationFailure.noColumn(Source.schema) }
        return Column(name, in: Source.schema)
    }
}

/// Errors in the declaration or use of relations.
enum RelationFailure {
    static func noColumn(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .invalidDeclaration,
            """
            A property that a relation uses for the rows of table "\(schema.name)" has no column; use a stored \
            property, and if the table is not declared with @Table, return the column from its `columnName(of:)`.
            """)
    }

    static func noPosition(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .limit,
            """
            A row of table "\(schema.name)" has the largest possible position, so no row can be added after it. \
            Load the complete list and save it: its rows are then renumbered.
            """)
    }

    static func notDeclared(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .notDeclared,
            "The relation to load is not among the `relations` of table \"\(schema.name)\"; add it there.")
    }
}
