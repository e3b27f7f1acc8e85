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
public struct Relations<Source: Record>: Sendable {
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
        adding(property, reference, orphans.rule, position: nil)
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
        adding(property, reference, orphans.rule, position: Position(position))
    }

    private func adding<Child: Table, Reference: KeyReference>(
        _ property: any WritableKeyPath<Source, HasMany<Child>> & Sendable,
        _ reference: any WritableKeyPath<Child, Reference> & Sendable, _ orphans: OrphanRule, position: Position<Child>?
    ) -> Relations where Child.RecordType == Child, Child.Key: ColumnValue, Reference.Referred == Source.Key {
        var copy = self
        copy.children.append(
            Children<Source, Child>(
                path: property, get: { $0[keyPath: property].related }, set: { $0[keyPath: property].related = $1 },
                reference: ForeignKey(reference), orphans: orphans, position: position, isOnly: false))
        return copy
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
        var copy = self
        copy.children.append(
            Children<Source, Child>(
                path: property, get: { $0[keyPath: property].related }, set: { $0[keyPath: property].related = $1 },
                reference: ForeignKey(reference), orphans: orphans.rule, position: nil, isOnly: true))
        return copy
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
        var copy = self
        copy.parents.append(Parents<Source, Parent>(property: property, reference: ForeignKey(reference)))
        return copy
    }
}
