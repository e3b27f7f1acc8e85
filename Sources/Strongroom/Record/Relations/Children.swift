/// The records that refer to those of a table.
struct Children<Source: Table, Child: Table>: ChildRelation
where
    Source.RecordType == Source, Child.RecordType == Child, Source.Key: ColumnValue, Child.Key: ColumnValue
{
    let path: any PartialKeyPath<Source> & Sendable
    let get: @Sendable (Source) -> Related<Child>
    let set: @Sendable (inout Source, Related<Child>) -> Void
    let reference: ForeignKey<Child, Source.Key>
    let orphans: OrphanRule
    let position: Position<Child>?

    var table: any Table.Type { Child.self }

    // MARK: Saving

    func save(of parents: inout [Source], _ cascade: Cascade) throws {
        let column = try reference.column()
        try dealWithOrphans(of: parents, column, cascade)
        var children: [Child] = []
        var relinked: [Int] = []
        for parent in parents {
            guard let key = Source.key(of: parent) else { throw TableFailure.missingKey(Source.schema) }
            for (place, child) in get(parent).values.enumerated() {
                var child = child
                if reference.key(child) != key { relinked.append(children.count) }
                reference.set(&child, key)
                position?.set(&child, place)
                children.append(child)
            }
        }
        let places = cascade.enter(Child.self, children)
        let outcomes = try Child.saveTrees(&children, at: places, cascade, without: reference.name)
        // What another place in the circle has saved belongs here all the same.
        for place in Set(relinked).subtracting(places) {
            guard let key = Child.key(of: children[place]), let parent = reference.key(children[place]) else {
                continue
            }
            try rows([key]).update(in: cascade.db) { _ in [column.set(parent)] }
        }
        var next = 0
        for place in parents.indices {
            let end = next + get(parents[place]).values.count
            let left = (next..<end).filter { outcomes[$0] != .deleted }.map { children[$0] }
            set(&parents[place], Related(values: left, known: Set(left.compactMap(Child.key(of:)))))
            next = end
        }
    }

    /// Before the children are saved, since a new one may take the place of an old one that is unique.
    private func dealWithOrphans(of parents: [Source], _ column: Column<Source.Key>, _ cascade: Cascade) throws {
        guard orphans != .keep else { return }
        let present = Set(parents.flatMap { get($0).values.compactMap(Child.key(of:)) })
        for parent in parents {
            guard let known = get(parent).known?.subtracting(present), !known.isEmpty,
                let key = Source.key(of: parent)
            else { continue }
            // One that has another parent by now is none of this one's orphans.
            let rows = try rows(known).where { _ in column == key }
            if orphans == .detach {
                try rows.update(in: cascade.db) { _ in [Column<Source.Key?>(column.definition.name).set(nil)] }
            } else {
                // It may be saved again below another parent, so that this counts for nothing there.
                try Child.deleteTrees(try rows.fetch(cascade.db), Cascade(cascade.connection))
            }
        }
    }

    private func rows(_ keys: Set<Child.Key>) throws -> Query<Child> {
        let key = Column<Child.Key>(try Child.schema.primaryKey().name)
        return Child.where { _ in key.isIn(keys) }
    }

    // MARK: Deleting

    func deletion(below parents: [Source], _ cascade: Cascade) throws -> (any Deletion)? {
        let column = try reference.column()
        let found = try Child.where { _ in column.isIn(parents.compactMap(Source.key(of:))) }.fetch(cascade.db)
        let places = cascade.enter(Child.self, found)
        let inCircle = Set(found.indices).subtracting(places)
        // It is being deleted already, and must not refer to what goes before it.
        if reference.clear != nil, !inCircle.isEmpty {
            try rows(Set(inCircle.compactMap { Child.key(of: found[$0]) }))
                .update(in: cascade.db) { _ in [Column<Source.Key?>(column.definition.name).set(nil)] }
        }
        return places.isEmpty ? nil : DeletionOf<Child>(places.map { found[$0] })
    }

    // MARK: Loading

    func load(into records: inout [Source], on connection: Connection) throws {
        let column = try reference.column()
        let keys = Set(records.compactMap(Source.key(of:)))
        var children: [Source.Key: [Child]] = [:]
        if !keys.isEmpty {
            let order = try position?.column()
            let query = Child.where { _ in column.isIn(keys) }
            let sorted = order.map { place in query.order { _ in place.ascending } } ?? query
            for child in try sorted.orderedByKey(descending: false).fetch(ReadTransaction(connection)) {
                if let key = reference.key(child) { children[key, default: []].append(child) }
            }
        }
        for place in records.indices {
            let found = Source.key(of: records[place]).flatMap { children[$0] } ?? []
            set(&records[place], Related(values: found, known: Set(found.compactMap(Child.key(of:)))))
        }
    }
}
