/// The state of a cascading save or deletion: the rows that it has visited, each once, and the work deferred to its
/// end.
final class Cascade {
    let connection: Connection
    private var entered = KeySets()
    /// The rows whose records are among the saved values. A saved row is never deleted with another one.
    let present: KeySets
    /// The rows of records that are marked for deletion.
    var marked = KeySets()
    /// The rows that already belong to a list, by the column of their reference.
    private var linked: [String: KeySets] = [:]
    private var remaining: [() throws -> Void] = []

    init(_ connection: Connection, present: KeySets = KeySets()) {
        self.connection = connection
        self.present = present
    }

    var db: WriteTransaction { WriteTransaction(connection) }

    var deletion: Cascade { Cascade(connection, present: present) }

    /// Records a visited row; true if it is visited for the first time.
    func enter<Source: Table>(_ table: Source.Type, _ key: Source.Key) throws -> Bool {
        try entered.insert(key, of: table)
    }

    /// Marks records as visited, and returns the indices of those that were not visited before, including records
    /// without a key.
    func enter<Source: Table>(_ table: Source.Type, _ records: [Source.RecordType]) throws -> [Int] {
        try records.indices.filter { index in
            guard let key = Source.key(of: records[index]) else { return true }
            return try enter(table, key)
        }
    }

    /// Records that a row belongs to a list; true if it did not belong to one before.
    func link<Source: Table>(_ table: Source.Type, _ key: Source.Key, by column: String) throws -> Bool {
        try linked[column, default: KeySets()].insert(key, of: table)
    }

    func atTheEnd(_ work: @escaping () throws -> Void) {
        remaining.append(work)
    }

    func finish() throws {
        for work in remaining { try work() }
    }
}

/// Keys of several tables, compared as the engine does.
struct KeySets {
    private var sets: [ObjectIdentifier: [[SQLValue]: any TableKey]] = [:]

    mutating func insert<Source: Table>(_ key: Source.Key, of table: Source.Type) throws -> Bool {
        try sets[ObjectIdentifier(table), default: [:]].updateValue(key, forKey: table.identity(of: key)) == nil
    }

    func contains<Source: Table>(_ key: Source.Key, of table: Source.Type) throws -> Bool {
        guard let set = sets[ObjectIdentifier(table)] else { return false }
        return try set[table.identity(of: key)] != nil
    }

    func keys<Source: Table>(of table: Source.Type) throws -> KeySet<Source> {
        try KeySet(sets[ObjectIdentifier(table), default: [:]].values.compactMap { $0 as? Source.Key })
    }
}

/// The deletion of some records of one table, which waits for the deletion of the rows that reference them.
protocol Deletion: AnyObject {
    /// Deletes the records, or returns the deletion that must come first.
    func proceed(_ cascade: Cascade) throws -> (any Deletion)?
}

final class DeletionOf<Source: Table>: Deletion {
    private let records: [Source.RecordType]
    private var relations: ArraySlice<any ChildRelation<Source.RecordType>>
    private(set) var count = 0

    init(_ records: [Source.RecordType]) {
        self.records = records
        relations = Source.relations?.children[...] ?? []
    }

    func proceed(_ cascade: Cascade) throws -> (any Deletion)? {
        while let relation = relations.popFirst() {
            if let below = try relation.deletion(below: records, cascade) { return below }
        }
        count = try Source.delete(contentsOf: records, in: cascade.db)
        return nil
    }
}

extension Table {
    /// Deletes records and all rows that reference them, referencing rows first. The depth of the rows does not affect
    /// the depth of the stack.
    ///
    /// - Returns: The number of rows of these records that existed.
    @discardableResult
    static func deleteTrees(_ records: [RecordType], _ cascade: Cascade) throws -> Int {
        _ = try cascade.enter(Self.self, records)
        let first = DeletionOf<Self>(records)
        var open: [any Deletion] = [first]
        while let last = open.last {
            if let below = try last.proceed(cascade) { open.append(below) } else { open.removeLast() }
        }
        return first.count
    }

    @usableFromInline
    static func deleteTrees(_ records: [RecordType], on connection: Connection) throws -> Int {
        guard records.allSatisfy({ key(of: $0) != nil }) else { throw schema.missingKey }
        try requireOneDatabase()
        return try connection.inSavepoint {
            guard relations?.children.contains(where: { $0.table == Self.self }) ?? false else {
                return try deleteTrees(records, Cascade(connection))
            }
            return try deleteOneByOne(records, on: connection)
        }
    }

    /// Deletes records of a table that references itself: one of them may reference another.
    private static func deleteOneByOne(_ records: [RecordType], on connection: Connection) throws -> Int {
        let keys = try distinct(records.compactMap(key(of:)))
        let there = try keys.filter { try isPresent($0, on: connection) }
        var left = try KeySet<Self>(there)
        for record in records {
            guard let key = key(of: record) else { continue }
            // It was deleted with another record.
            if try left.remove(key), try !isPresent(key, on: connection) { continue }
            try deleteTrees([record], Cascade(connection))
        }
        return there.count
    }
}

/// Records of one table that a cascading deletion in two databases reaches.
package struct CascadeStep {
    package let table: any Table.Type
    /// The records that reference these, by table.
    fileprivate let below: (Cascade) throws -> [CascadeStep]
    private let deletion: (_ cascading: Bool, borrowing WriteTransaction) throws -> Int

    init<Source: Table>(_ records: [Source.RecordType], of source: Source.Type) {
        table = source
        below = { cascade in
            _ = try cascade.enter(source, records)
            return try (Source.relations?.children ?? []).compactMap { try $0.referring(to: records, cascade) }
        }
        deletion = { isCascading, db in
            let connection = db._handle.connection
            let there = try records.filter { record in
                guard let key = Source.key(of: record) else { throw Source.schema.missingKey }
                return try Source.isPresent(key, on: connection)
            }
            return there.isEmpty ? 0 : try Source.delete(contentsOf: there, cascading: isCascading, in: db)
        }
    }

    /// These records and all that reference them, each once: those that reference others after them.
    package func reach(in db: borrowing WriteTransaction) throws -> [CascadeStep] {
        let cascade = Cascade(db._handle.connection)
        var found = [self]
        var next = 0
        while next < found.count {
            found += try found[next].below(cascade)
            next += 1
        }
        return found
    }

    /// Deletes the records that have a row in a database, and returns their number.
    package func delete(cascading: Bool, in db: borrowing WriteTransaction) throws -> Int {
        try deletion(cascading, db)
    }
}

extension Table {
    /// Records and all that reference them, each once: those that reference others after them.
    package static func reach(of records: [RecordType], in db: borrowing WriteTransaction) throws -> [CascadeStep] {
        let first = try Cascade(db._handle.connection).enter(Self.self, records).map { records[$0] }
        return try CascadeStep(first, of: Self.self).reach(in: db)
    }

    /// The orphans of a cascading save that are in another database than the saved rows, and to be deleted; those to be
    /// detached are detached.
    ///
    /// - Parameter records: The records, before they are saved.
    package static func orphans(
        of records: [RecordType], in db: borrowing WriteTransaction, where hasRows: (any Table.Type) -> Bool
    ) throws -> [CascadeStep] {
        var present = KeySets()
        try collect(records, into: &present)
        return try orphans(of: records, Cascade(db._handle.connection, present: present), hasRows)
    }

    static func orphans(
        of records: [RecordType], _ cascade: Cascade, _ hasRows: (any Table.Type) -> Bool
    ) throws -> [CascadeStep] {
        guard !records.isEmpty else { return [] }
        return try (relations?.all ?? []).flatMap { try $0.orphans(of: records, cascade, hasRows) }
    }
}
