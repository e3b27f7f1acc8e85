/// What holds for every kind of relation.
protocol Relation<Source>: Sendable {
    associatedtype Source: Record
    /// The property, by which the relation is found.
    var path: any PartialKeyPath<Source> & Sendable { get }
    /// The table at its other end.
    var table: any Table.Type { get }

    /// Notes the rows of the records that the relation leads to, and of those that these lead to.
    func collect(from records: [Source], into keys: inout KeySets) throws

    /// Reads what the relation leads to, with one statement for all records.
    func load(into records: inout [Source], on connection: Connection) throws
}

/// A relation to records that refer to this one.
protocol ChildRelation<Source>: Relation {
    /// - Parameter saved: What was done with each of the parents.
    func save(of parents: inout [Source], _ saved: [Saved], _ cascade: Cascade) throws

    /// Whether one of the rows below the records is among what is saved.
    ///
    /// - Parameter seen: The rows that it has come to, so that circles end.
    func holdsPresent(below parents: [Source], _ cascade: Cascade, _ seen: inout KeySets) throws -> Bool

    /// Deletes what has to be deleted before the records are, or says what else that takes; nil for nothing.
    func deletion(below parents: [Source], _ cascade: Cascade) throws -> (any Deletion)?
}

/// A relation to a record that this one refers to.
protocol ParentRelation<Source>: Relation {
    /// The column of the reference.
    var column: String? { get }

    func save(of children: inout [Source], _ cascade: Cascade) throws

    /// Lets go of a parent that is not the one to which a record refers by a column: saved by itself, the record would
    /// go back to it.
    func letGoOfOther(of record: inout Source, by column: String) throws
}
