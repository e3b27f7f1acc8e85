/// The records that those of a table reference.
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

    func save(of children: inout [Source], _ cascade: Cascade) throws {
        let indices = children.indices.filter { children[$0][keyPath: property].wrappedValue != nil }
        var parents = indices.compactMap { children[$0][keyPath: property].wrappedValue }
        guard !parents.isEmpty else { return try updateKeys(of: &children, cascade) }
        let outcomes = try Parent.saveTrees(&parents, at: cascade.enter(Parent.self, parents), cascade)
        // Of two copies of a parent, the first is saved, and its key may have changed.
        for index in parents.indices { try cascade.updateKey(Parent.self, of: &parents[index]) }
        for (index, (parent, outcome)) in zip(indices, zip(parents, outcomes)) {
            children[index][keyPath: property].wrappedValue = outcome == .deleted ? nil : parent
            if outcome == .deleted {
                reference.clear?(&children[index])
            } else if let key = Parent.key(of: parent) {
                try Parent.requireOnDisk(key, referencedBy: Source.self, Source.key(of: children[index]), cascade)
                reference.set(&children[index], key)
            }
        }
        try updateKeys(of: &children, cascade)
    }

    /// Makes references follow the parents that have moved to the file.
    private func updateKeys(of children: inout [Source], _ cascade: Cascade) throws {
        for index in children.indices {
            guard let key = reference.key(children[index]) else { continue }
            let current = try cascade.currentKey(Parent.self, key)
            if current != key { reference.set(&children[index], current) }
        }
    }

    func clearOtherParent(of record: inout Source, by column: String) throws {
        guard column == reference.name, let parent = record[keyPath: property].wrappedValue,
            try !Parent.isSame(Parent.key(of: parent), reference.key(record))
        else { return }
        record[keyPath: property].wrappedValue = nil
    }

    func load(into records: inout [Source], on connection: Connection) throws {
        let key = try Column<Parent.Key>(Parent.schema.primaryKey().name, in: Parent.schema)
        let wanted = try KeySet<Parent>(records.compactMap(reference.key))
        guard !wanted.isEmpty else {
            for index in records.indices { records[index][keyPath: property].wrappedValue = nil }
            return
        }
        let found = try Parent.where { _ in key.isIn(wanted.all) }.fetch(in: ReadTransaction(connection))
        var parents: [[Value]: Parent] = [:]
        for parent in found {
            if let key = Parent.key(of: parent) { try parents[Parent.identity(of: key)] = parent }
        }
        for index in records.indices {
            let referred = try reference.key(records[index]).map { try Parent.identity(of: $0) }
            records[index][keyPath: property].wrappedValue = referred.flatMap { parents[$0] }
        }
    }
}

extension Table {
    /// Throws if the parent is in memory only and the record that references it is not.
    static func requireOnDisk<Other: Table>(
        _ key: Key, referencedBy other: Other.Type, _ otherKey: Other.Key?, _ cascade: Cascade
    ) throws {
        guard cascade.connection.hasRecordsInMemory, try isInMemory(key, in: cascade.db) else { return }
        if let otherKey, try Other.isInMemory(otherKey, in: cascade.db) { return }
        // A new one is saved in memory, too.
        if cascade.persistence == .memory,
            try otherKey.map({ try !Other.isPresent($0, on: cascade.connection) }) ?? true
        {
            return
        }
        throw StrongroomError(
            .inMemory,
            """
            A record of table "\(schema.name)" is in memory only, and a row of table "\(Other.schema.name)" in the \
            file cannot reference it. Move it to the file with `persist`, or with `persistence: .disk` in the \
            cascading save, or save without `cascading`.
            """)
    }
}
