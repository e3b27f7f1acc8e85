extension Table {
    @usableFromInline
    static func saveTrees(_ records: inout [RecordType], on connection: Connection) throws -> [Saved] {
        try requireOneDatabase()
        // The caller's records are not changed until everything has succeeded.
        var saved = records
        let outcomes = try connection.inSavepoint { () throws -> [Saved] in
            var present = KeySets()
            try collect(saved, into: &present)
            let cascade = Cascade(connection, present: present)
            // Two records of a list may have one key, as in a save without children.
            _ = try cascade.enter(Self.self, saved)
            let outcomes = try saveTrees(&saved, at: Array(saved.indices), cascade)
            try cascade.finish()
            return outcomes
        }
        records = saved
        return outcomes
    }

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
    ///   - indices: The indices of the records to save. The others were already visited.
    ///   - reference: The column of a reference whose parent is being saved.
    /// - Returns: The outcome for each record of the list; `deleted` or `updated` for the others.
    static func saveTrees(
        _ records: inout [RecordType], at indices: [Int], _ cascade: Cascade, without reference: String? = nil
    ) throws -> [Saved] {
        var outcomes = [Saved](repeating: .updated, count: records.count)
        try deleteMarked(records, at: indices, &outcomes, cascade)
        let kept = indices.filter { outcomes[$0] != .deleted }
        // The relations of a table that references itself never end.
        guard !kept.isEmpty else { return outcomes }
        var list = kept.map { records[$0] }
        for relation in relations?.parents ?? [] where reference == nil || relation.column != reference {
            try relation.save(of: &list, cascade)
        }
        let saved = try save(contentsOf: &list, in: cascade.db)
        _ = try cascade.enter(Self.self, list)
        for relation in relations?.children ?? [] { try relation.save(of: &list, saved, cascade) }
        for (index, (record, outcome)) in zip(kept, zip(list, saved)) {
            records[index] = record
            outcomes[index] = outcome
        }
        return outcomes
    }

    /// Deletes the marked records; those that may have children after everything is saved, so that children which were
    /// moved away from them are kept.
    private static func deleteMarked(
        _ records: [RecordType], at indices: [Int], _ outcomes: inout [Saved], _ cascade: Cascade
    ) throws {
        guard let hooks else { return }
        var gone: [RecordType] = []
        for index in indices where hooks.isMarked(records[index]) {
            outcomes[index] = .deleted
            guard let key = key(of: records[index]) else { continue }
            _ = try cascade.marked.insert(key, of: Self.self)
            gone.append(records[index])
        }
        for index in records.indices where outcomes[index] != .deleted {
            guard let key = key(of: records[index]) else { continue }
            if try cascade.marked.contains(key, of: Self.self) { outcomes[index] = .deleted }
        }
        guard !gone.isEmpty else { return }
        if relations?.children.isEmpty ?? true {
            try delete(contentsOf: gone, in: cascade.db)
        } else {
            cascade.atTheEnd { try deleteTrees(gone, cascade.deletion) }
        }
    }

    /// Collects the keys of records and of all related records. Children of a marked record are deleted with it.
    static func collect(_ records: [RecordType], into keys: inout KeySets) throws {
        guard !records.isEmpty else { return }
        let kept = hooks.map { hooks in records.filter { !hooks.isMarked($0) } } ?? records
        for record in kept {
            if let key = key(of: record) { _ = try keys.insert(key, of: Self.self) }
        }
        for relation in relations?.all ?? [] { try relation.collect(from: kept, into: &keys) }
    }

    /// The tables that a cascading call may visit, beginning with this one.
    ///
    /// - Parameter isStrict: Whether a table without a database name is considered to be in another database than one
    ///   with a name.
    /// - Throws: ``StrongroomError`` with `otherStore` if one of them is in another database.
    package static func tablesInReach(isStrict: Bool) throws -> [any Table.Type] {
        var found: [any Table.Type] = [Self.self]
        var next = 0
        while next < found.count {
            for table in found[next].relatedTables where !found.contains(where: { $0 == table }) {
                try requireSameDatabase(table, isStrict: isStrict)
                found.append(table)
            }
            next += 1
        }
        return found
    }

    static func requireOneDatabase() throws { _ = try tablesInReach(isStrict: false) }

    fileprivate static func requireSameDatabase(_ table: any Table.Type, isStrict: Bool) throws {
        let (own, other) = (databaseName, table.databaseName)
        guard own != other, isStrict || own != nil && other != nil else { return }
        func title(_ name: String?) -> String { name.map { "\"\($0)\"" } ?? "an unnamed database" }
        throw StrongroomError(
            .otherStore,
            """
            The relations of table "\(schema.name)" in \(title(own)) include table "\(table.schema.name)" in \
            \(title(other)); a transaction cannot span two databases. Declare both in one database \
            (`@Table(_, in:)`), or save them one after the other.
            """)
    }

    private static var relatedTables: [any Table.Type] { relations?.all.map(\.table) ?? [] }
}

extension Table where RecordType == Self {
    /// The tables at both ends of a relation, this one first.
    ///
    /// - Parameter isStrict: Whether a table without a database name is considered to be in another database than one
    ///   with a name.
    /// - Throws: ``StrongroomError`` with `notDeclared` for a property that is not among the relations, `otherStore`
    ///   if the tables are in different databases.
    package static func tables<Property: _RelatedProperty>(
        of relation: any WritableKeyPath<Self, Property> & Sendable, isStrict: Bool
    ) throws -> [any Table.Type] {
        let table = try self.relation(relation).table
        try requireSameDatabase(table, isStrict: isStrict)
        return [Self.self, table]
    }
}

struct Parents<Source: Table, Parent: Table>: ParentRelation
where Source.RecordType == Source, Parent.RecordType == Parent, Parent.Key: ColumnValue {
    let property: any WritableKeyPath<Source, BelongsTo<Parent>> & Sendable
    let reference: ForeignKey<Source, Parent.Key>

    var path: any PartialKeyPath<Source> & Sendable { property }
    var table: any Table.Type { Parent.self }
    var column: String? { reference.name }

    func collect(from records: [Source], into keys: inout KeySets) throws {
        try Parent.collect(records.compactMap { $0[keyPath: property].wrappedValue }, into: &keys)
    }

    func orphans(
        of records: [Source], _ cascade: Cascade, _ hasRows: (any Table.Type) -> Bool
    ) throws -> [CascadeStep] {
        try Parent.orphans(of: records.compactMap { $0[keyPath: property].wrappedValue }, cascade, hasRows)
    }

    func save(of children: inout [Source], _ cascade: Cascade) throws {
        let indices = children.indices.filter { children[$0][keyPath: property].wrappedValue != nil }
        var parents = indices.compactMap { children[$0][keyPath: property].wrappedValue }
        guard !parents.isEmpty else { return }
        let outcomes = try Parent.saveTrees(&parents, at: cascade.enter(Parent.self, parents), cascade)
        for (index, (parent, outcome)) in zip(indices, zip(parents, outcomes)) {
            children[index][keyPath: property].wrappedValue = outcome == .deleted ? nil : parent
            if outcome == .deleted {
                reference.clear?(&children[index])
            } else if let key = Parent.key(of: parent) {
                reference.set(&children[index], key)
            }
        }
    }

    func clearOtherParent(of record: inout Source, by column: String) throws {
        guard column == reference.name, let parent = record[keyPath: property].wrappedValue,
            try !Parent.isSame(Parent.key(of: parent), reference.key(record))
        else { return }
        record[keyPath: property].wrappedValue = nil
    }

    func load(into records: inout [Source], on connection: Connection) throws {
        let key = try Parent.keyColumn()
        let wanted = try KeySet<Parent>(records.compactMap(reference.key))
        guard !wanted.isEmpty else {
            for index in records.indices { records[index][keyPath: property].wrappedValue = nil }
            return
        }
        let found = try Parent.where { _ in key.isIn(wanted.all) }.fetch(in: ReadTransaction(connection))
        var parents: [[SQLValue]: Parent] = [:]
        for parent in found {
            if let key = Parent.key(of: parent) { try parents[Parent.identity(of: key)] = parent }
        }
        for index in records.indices {
            let referred = try reference.key(records[index]).map { try Parent.identity(of: $0) }
            records[index][keyPath: property].wrappedValue = referred.flatMap { parents[$0] }
        }
    }
}
