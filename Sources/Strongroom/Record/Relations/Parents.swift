/// The records that those of a table refer to.
struct Parents<Source: Table, Parent: Table>: ParentRelation
where Source.RecordType == Source, Parent.RecordType == Parent, Parent.Key: ColumnValue {
    let property: any WritableKeyPath<Source, BelongsTo<Parent>> & Sendable
    let reference: ForeignKey<Source, Parent.Key>

    var path: any PartialKeyPath<Source> & Sendable { property }
    var table: any Table.Type { Parent.self }
    var column: String? { reference.name }

    func save(of children: inout [Source], _ cascade: Cascade) throws {
        let places = children.indices.filter { children[$0][keyPath: property].wrappedValue != nil }
        var parents = places.compactMap { children[$0][keyPath: property].wrappedValue }
        guard !parents.isEmpty else { return }
        let outcomes = try Parent.saveTrees(&parents, at: cascade.enter(Parent.self, parents), cascade)
        for (place, (parent, outcome)) in zip(places, zip(parents, outcomes)) {
            children[place][keyPath: property].wrappedValue = outcome == .deleted ? nil : parent
            if outcome == .deleted {
                reference.clear?(&children[place])
            } else if let key = Parent.key(of: parent) {
                reference.set(&children[place], key)
            }
        }
    }

    func load(into records: inout [Source], on connection: Connection) throws {
        let key = Column<Parent.Key>(try Parent.schema.primaryKey().name)
        let wanted = Set(records.compactMap(reference.key))
        guard !wanted.isEmpty else {
            for place in records.indices { records[place][keyPath: property].wrappedValue = nil }
            return
        }
        let found = try Parent.where { _ in key.isIn(wanted) }.fetch(ReadTransaction(connection))
        var parents: [Parent.Key: Parent] = [:]
        for parent in found {
            if let key = Parent.key(of: parent) { parents[key] = parent }
        }
        for place in records.indices {
            records[place][keyPath: property].wrappedValue = reference.key(records[place]).flatMap { parents[$0] }
        }
    }
}
