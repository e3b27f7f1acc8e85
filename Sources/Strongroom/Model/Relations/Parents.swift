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
