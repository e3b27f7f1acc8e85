/// How the records of a table belong together with those of others.
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
/// Calls that are told to cascade follow them, in one transaction and once for each row, so that records which refer to
/// each other in a circle come to an end: of two values with one key the first counts, the record itself before its
/// children.
///
/// - `save(cascading: true)` saves parents before the record, which gets their keys, then the record, then its
///   children, which get its key.
/// - `delete(cascading: true)` deletes every row that refers to the record, loaded or not, and what refers to those,
///   before the record. Parents stay.
/// - `load` reads the children, or parents, of any number of records with one statement.
///
/// Without `cascading` the row of the record alone is written. A value that was saved in a transaction that is undone
/// afterwards is to be loaded anew.
public struct Relations<Source: Record>: Sendable {
    private(set) var children: [any ChildRelation<Source>] = []
    private(set) var parents: [any ParentRelation<Source>] = []

    /// No relations.
    public init() {}

    var all: [any Relation<Source>] { children + parents }
}

extension Relations where Source: Table, Source.RecordType == Source, Source.Key: ColumnValue {
    /// Adds a list of children, which are sorted by their keys when they are loaded.
    ///
    /// - Parameters:
    ///   - property: The property, with its dollar sign: `\.$phones`.
    ///   - reference: The child's property with the key of the record; it is a column.
    ///   - orphans: What a cascading save does with children that were taken out of the list.
    /// - Returns: The relations with this one.
    public func hasMany<Child: Table, Reference: KeyReference>(
        _ property: any WritableKeyPath<Source, HasMany<Child>> & Sendable,
        by reference: any WritableKeyPath<Child, Reference> & Sendable, orphans: Orphans<Reference> = .keep
    ) -> Relations where Child.RecordType == Child, Child.Key: ColumnValue, Reference.Referred == Source.Key {
        adding(property, reference, orphans.rule, position: nil)
    }

    /// Adds a list of children whose order is kept.
    ///
    /// - Parameters:
    ///   - property: The property, with its dollar sign: `\.$phones`.
    ///   - reference: The child's property with the key of the record; it is a column.
    ///   - orphans: What a cascading save does with children that were taken out of the list.
    ///   - position: The child's property that a cascading save sets to the child's place in the list, counted from 0,
    ///     and by which the children are sorted when they are loaded; it is a column.
    /// - Returns: The relations with this one.
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

    /// Adds an only child. Of several rows that refer to the record, the one with the lowest key is loaded; saving one
    /// makes orphans of the others.
    ///
    /// - Parameters:
    ///   - property: The property, with its dollar sign: `\.$photo`.
    ///   - reference: The child's property with the key of the record; it is a column.
    ///   - orphans: What a cascading save does with a child that was replaced or set to nil.
    /// - Returns: The relations with this one.
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
    ///   - reference: The record's property with the key of the parent; it is a column.
    /// - Returns: The relations with this one.
    public func belongsTo<Parent: Table, Reference: KeyReference>(
        _ property: any WritableKeyPath<Source, BelongsTo<Parent>> & Sendable,
        by reference: any WritableKeyPath<Source, Reference> & Sendable
    ) -> Relations where Parent.RecordType == Parent, Parent.Key: ColumnValue, Reference.Referred == Parent.Key {
        var copy = self
        copy.parents.append(Parents<Source, Parent>(property: property, reference: ForeignKey(reference)))
        return copy
    }
}
