/// The deletion of some records of one table, which waits for the deletion of the rows that reference them.
protocol Deletion: AnyObject {
    /// Deletes the records, or returns the deletion that must come first.
    func proceed(_ cascade: Cascade) throws -> (any Deletion)?
}

final class DeletionOf<Source: Table>: Deletion {
    private let records: [Source.RecordType]
    private var relations: ArraySlice<any ChildRelation<Source.RecordType>>
    /// The number of rows that existed.
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
        let whole = DeletionOf<Self>(records)
        var open: [any Deletion] = [whole]
        while let last = open.last {
            if let below = try last.proceed(cascade) { open.append(below) } else { open.removeLast() }
        }
        return whole.count
    }

    @usableFromInline
    static func deleteTrees(_ records: [RecordType], on connection: Connection) throws -> Int {
        guard records.allSatisfy({ key(of: $0) != nil }) else { throw TableFailure.missingKey(schema) }
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
