/// The requirements for every kind of relation.
protocol Relation<Source>: Sendable {
    associatedtype Source: Record
    /// The property that identifies the relation.
    var path: any PartialKeyPath<Source> & Sendable { get }
    /// The related table.
    var table: any Table.Type { get }

    /// Collects the keys of the related records, and of the records related to these.
    func collect(from records: [Source], into keys: inout KeySets) throws

    /// Reads the related records, with one statement for all records.
    func load(into records: inout [Source], on connection: Connection) throws
}

/// A relation to records that reference this one.
protocol ChildRelation<Source>: Relation {
    /// - Parameter saved: The outcome for each of the parents.
    func save(of parents: inout [Source], _ saved: [Saved], _ cascade: Cascade) throws

    /// Whether one of the rows below the records is among the saved rows.
    ///
    /// - Parameter seen: The visited rows, so that cycles end.
    func holdsPresent(below parents: [Source], _ cascade: Cascade, _ seen: inout KeySets) throws -> Bool

    /// Deletes the rows that must be deleted before the records, or returns the deletion that must come first; nil if
    /// there is none.
    func deletion(below parents: [Source], _ cascade: Cascade) throws -> (any Deletion)?
}

/// A relation to a record that this one references.
protocol ParentRelation<Source>: Relation {
    /// The column of the reference.
    var column: String? { get }

    func save(of children: inout [Source], _ cascade: Cascade) throws

    /// Clears a parent that differs from the one that the record's column references: otherwise saving the record by
    /// itself would restore the reference.
    func clearOtherParent(of record: inout Source, by column: String) throws
}
