/// A save or a delete that follows relations: which rows it has come to, each once.
final class Cascade {
    private var seen: [ObjectIdentifier: Set<AnyHashable>] = [:]
    let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    var db: WriteTransaction { WriteTransaction(connection) }

    /// Notes a row.
    ///
    /// - Returns: Whether it is come to for the first time.
    func enter<Source: Table>(_ table: Source.Type, _ key: Source.Key) -> Bool {
        seen[ObjectIdentifier(table), default: []].insert(key).inserted
    }

    /// The places of records that it has not come to, which it now has; those without a key among them.
    func enter<Source: Table>(_ table: Source.Type, _ records: [Source.RecordType]) -> [Int] {
        records.indices.filter { place in
            guard let key = Source.key(of: records[place]) else { return true }
            return enter(table, key)
        }
    }
}

/// What holds for every kind of relation.
protocol Relation<Source>: Sendable {
    associatedtype Source: Record
    /// The property, by which the relation is found.
    var path: any PartialKeyPath<Source> & Sendable { get }
    /// The table at its other end.
    var table: any Table.Type { get }

    /// Reads what the relation leads to, with one statement for all records.
    func load(into records: inout [Source], on connection: Connection) throws
}

/// A relation to records that refer to this one.
protocol ChildRelation<Source>: Relation {
    func save(of parents: inout [Source], _ cascade: Cascade) throws

    /// What has to be deleted before the records are; nil for nothing.
    func deletion(below parents: [Source], _ cascade: Cascade) throws -> (any Deletion)?
}

/// A relation to a record that this one refers to.
protocol ParentRelation<Source>: Relation {
    /// The column of the reference.
    var column: String? { get }

    func save(of children: inout [Source], _ cascade: Cascade) throws
}
