/// The relations of a table's records to those of other tables.
///
/// ```swift
/// extension Contact {
///     static let relations: Relations<Contact>? = Relations()
///         .hasMany(\.$phones, by: \.contact, orphans: .delete)
///         .hasOne(\.$photo, by: \.contact)
///         .belongsTo(\.$employer, by: \.company)
/// }
/// ```
///
/// Cascading calls follow relations in one transaction and visit each row once, so that cycles end. If two values have
/// the same key, the first is used, and the record itself precedes its children.
///
/// - `save(cascading: true)` saves parents before the record, which gets their keys, then the record, then its
///   children, which get its key.
/// - `delete(cascading: true)` deletes every row that references the record, loaded or not, and the rows that reference
///   those, before the record. Parents are kept.
/// - `load` reads the children, or parents, of any number of records with one statement.
///
/// Without `cascading`, only the row of the record is written. After a rollback, load the values that were saved in the
/// transaction again.
public struct Relations<Source: Record>: Sendable, Refinable {
    private(set) var children: [any ChildRelation<Source>] = []
    private(set) var parents: [any ParentRelation<Source>] = []

    /// No relations.
    public init() {}

    var all: [any Relation<Source>] { children + parents }
}

extension Relations where Source: Table, Source.RecordType == Source, Source.Key: ColumnValue {
    /// Adds a list of children, which are sorted by key when they are loaded.
    ///
    /// - Parameters:
    ///   - property: The property, with its dollar sign: `\.$phones`.
    ///   - reference: The child's property with the key of the record; it must be stored in a column.
    ///   - orphans: How a cascading save treats children that were removed from the list.
    /// - Returns: The relations with this one added.
    public func hasMany<Child: Table, Reference: KeyReference>(
        _ property: any WritableKeyPath<Source, HasMany<Child>> & Sendable,
        by reference: any WritableKeyPath<Child, Reference> & Sendable, orphans: Orphans<Reference> = .keep
    ) -> Relations where Child.RecordType == Child, Child.Key: ColumnValue, Reference.Referred == Source.Key {
        adding(property, reference, orphans)
    }

    /// Adds an ordered list of children.
    ///
    /// - Parameters:
    ///   - property: The property, with its dollar sign: `\.$phones`.
    ///   - reference: The child's property with the key of the record; it must be stored in a column.
    ///   - orphans: How a cascading save treats children that were removed from the list.
    ///   - position: The child's property that a cascading save sets to the child's index in the list, counted from 0,
    ///     and by which the children are sorted when they are loaded; it must be stored in a column.
    /// - Returns: The relations with this one added.
    public func hasMany<Child: Table, Reference: KeyReference>(
        _ property: any WritableKeyPath<Source, HasMany<Child>> & Sendable,
        by reference: any WritableKeyPath<Child, Reference> & Sendable, orphans: Orphans<Reference> = .keep,
        position: any WritableKeyPath<Child, Int> & Sendable
    ) -> Relations where Child.RecordType == Child, Child.Key: ColumnValue, Reference.Referred == Source.Key {
        adding(property, reference, orphans, position: Position(position))
    }

    private func adding<Property: ChildProperty, Reference: KeyReference>(
        _ property: any WritableKeyPath<Source, Property> & Sendable,
        _ reference: any WritableKeyPath<Property.Child, Reference> & Sendable, _ orphans: Orphans<Reference>,
        position: Position<Property.Child>? = nil, isOnly: Bool = false
    ) -> Relations where Property.Child.Key: ColumnValue, Reference.Referred == Source.Key {
        let added = Children<Source, Property.Child>(
            path: property, get: { $0[keyPath: property].related }, set: { $0[keyPath: property].related = $1 },
            reference: ForeignKey(reference), orphans: orphans.rule, position: position, isOnly: isOnly)
        return refined { $0.children.append(added) }
    }

    /// Adds an only child. If several rows reference the record, the one with the lowest key is loaded; saving a child
    /// makes the others orphans.
    ///
    /// - Parameters:
    ///   - property: The property, with its dollar sign: `\.$photo`.
    ///   - reference: The child's property with the key of the record; it must be stored in a column.
    ///   - orphans: How a cascading save treats a child that was replaced or set to nil.
    /// - Returns: The relations with this one added.
    public func hasOne<Child: Table, Reference: KeyReference>(
        _ property: any WritableKeyPath<Source, HasOne<Child>> & Sendable,
        by reference: any WritableKeyPath<Child, Reference> & Sendable, orphans: Orphans<Reference> = .keep
    ) -> Relations where Child.RecordType == Child, Child.Key: ColumnValue, Reference.Referred == Source.Key {
        adding(property, reference, orphans, isOnly: true)
    }
}

extension Relations where Source: Table, Source.RecordType == Source {
    /// Adds a parent.
    ///
    /// - Parameters:
    ///   - property: The property, with its dollar sign: `\.$employer`.
    ///   - reference: The record's property with the key of the parent; it must be stored in a column.
    /// - Returns: The relations with this one added.
    public func belongsTo<Parent: Table, Reference: KeyReference>(
        _ property: any WritableKeyPath<Source, BelongsTo<Parent>> & Sendable,
        by reference: any WritableKeyPath<Source, Reference> & Sendable
    ) -> Relations where Parent.RecordType == Parent, Parent.Key: ColumnValue, Reference.Referred == Parent.Key {
        refined { $0.parents.append(Parents<Source, Parent>(property: property, reference: ForeignKey(reference))) }
    }
}

protocol Relation<Source>: Sendable {
    associatedtype Source: Record
    var path: any PartialKeyPath<Source> & Sendable { get }
    var table: any Table.Type { get }

    /// Collects the keys of the related records, and of the records related to these.
    func collect(from records: [Source], into keys: inout KeySets) throws

    /// The orphans, also of related records, in the database of the cascade; see ``Table/orphans(of:in:where:)``.
    func orphans(
        of records: [Source], _ cascade: Cascade, _ hasRows: (any Table.Type) -> Bool
    ) throws -> [CascadeStep]

    /// Reads the related records, with one statement for all records.
    func load(into records: inout [Source], on connection: Connection) throws
}

protocol ChildRelation<Source>: Relation {
    func save(of parents: inout [Source], _ saved: [Saved], _ cascade: Cascade) throws

    /// Deletes the rows that must be deleted before the records, or returns the deletion that must come first; nil if
    /// there is none.
    func deletion(below parents: [Source], _ cascade: Cascade) throws -> (any Deletion)?

    /// The records that reference the parents and were not visited before; nil if there are none.
    func referring(to parents: [Source], _ cascade: Cascade) throws -> CascadeStep?
}

protocol ParentRelation<Source>: Relation {
    var column: String? { get }

    func save(of children: inout [Source], _ cascade: Cascade) throws

    /// Clears a parent that differs from the one that the record's column references: otherwise saving the record by
    /// itself would restore the reference.
    func clearOtherParent(of record: inout Source, by column: String) throws
}

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
        name = Source._columnName(of: property)
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

    func column() throws -> Column<Key> { try RelationFailure.column(name, Source.schema) }
}

/// The property and the column with a record's position in a list.
struct Position<Source: Table>: Sendable where Source.RecordType == Source {
    private let name: String?
    let get: @Sendable (Source) -> Int
    let set: @Sendable (inout Source, Int) -> Void

    init(_ property: any WritableKeyPath<Source, Int> & Sendable) {
        name = Source._columnName(of: property)
        get = { $0[keyPath: property] }
        set = { $0[keyPath: property] = $1 }
    }

    func column() throws -> Column<Int> { try RelationFailure.column(name, Source.schema) }
}

enum RelationFailure {
    /// The column of a property, or the error for one without a column.
    static func column<V>(_ name: String?, _ schema: TableSchema) throws -> Column<V> {
        if let name { return Column(name, in: schema) }
        throw StrongroomError(
            .invalidDeclaration,
            """
            A property that a relation uses for the rows of table "\(schema.name)" has no column; use a stored \
            property of a table that is declared with @Table.
            """)
    }

    static func deletedWithParent(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .constraint,
            """
            Rows of table "\(schema.name)" that are saved elsewhere would be deleted with the row that they leave. \
            Save their move first, then remove that row; nothing was changed.
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
