extension Table {
    /// Saves records with their parents and children; all of them or none.
    @usableFromInline
    static func saveTrees(_ records: inout [RecordType], on connection: Connection) throws -> [Saved] {
        // The caller's records stay as they are until all has gone well.
        var saved = records
        let outcomes = try connection.inSavepoint { () throws -> [Saved] in
            let cascade = Cascade(connection)
            // Two of a list may have one key, as in a list that is saved without its children.
            _ = cascade.enter(Self.self, saved)
            return try saveTrees(&saved, at: Array(saved.indices), cascade)
        }
        records = saved
        return outcomes
    }

    /// Saves a record with its parents and children; all of them or none.
    @usableFromInline
    static func saveTree(_ record: inout RecordType, on connection: Connection) throws -> Saved {
        var list = [record]
        let outcomes = try saveTrees(&list, on: connection)
        record = list[0]
        return outcomes[0]
    }

    /// Saves some of a list's records.
    ///
    /// - Parameters:
    ///   - places: Those to save. The others have been come to already.
    ///   - reference: The column of a reference whose parent is being saved.
    /// - Returns: What was done with each of the whole list; `updated` for the others.
    static func saveTrees(
        _ records: inout [RecordType], at places: [Int], _ cascade: Cascade, without reference: String? = nil
    ) throws -> [Saved] {
        var outcomes = [Saved](repeating: .updated, count: records.count)
        let marked = places.filter { hooks?.isMarked(records[$0]) ?? false }
        for place in marked { outcomes[place] = .deleted }
        let gone = marked.map { records[$0] }.filter { key(of: $0) != nil }
        if !gone.isEmpty { try deleteTrees(gone, Cascade(cascade.connection)) }
        let kept = places.filter { outcomes[$0] != .deleted }
        // A table that refers to itself has relations without end.
        guard !kept.isEmpty else { return outcomes }
        var list = kept.map { records[$0] }
        for relation in relations?.parents ?? [] where reference == nil || relation.column != reference {
            try relation.save(of: &list, cascade)
        }
        let saved = try save(contentsOf: &list, in: cascade.db)
        _ = cascade.enter(Self.self, list)
        for relation in relations?.children ?? [] { try relation.save(of: &list, cascade) }
        for (place, (record, outcome)) in zip(kept, zip(list, saved)) {
            records[place] = record
            outcomes[place] = outcome
        }
        return outcomes
    }

    /// The tables that a cascading call may come to, this one first.
    static var tablesInReach: [any Table.Type] {
        var found: [any Table.Type] = [Self.self]
        var next = 0
        while next < found.count {
            for table in found[next].relatedTables where !found.contains(where: { $0 == table }) { found.append(table) }
            next += 1
        }
        return found
    }

    private static var relatedTables: [any Table.Type] { relations?.all.map(\.table) ?? [] }
}
