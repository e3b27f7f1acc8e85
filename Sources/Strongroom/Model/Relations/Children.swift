/// The records that reference those of a table.
struct Children<Source: Table, Child: Table>: ChildRelation
where
    Source.RecordType == Source, Child.RecordType == Child, Source.Key: ColumnValue, Child.Key: ColumnValue
{
    let path: any PartialKeyPath<Source> & Sendable
    let get: @Sendable (Source) -> Related<Child>
    let set: @Sendable (inout Source, Related<Child>) -> Void
    let reference: ForeignKey<Child, Source.Key>
    let orphans: OrphanRule
    /// Nil for an only child, and for a list without a stored order.
    let position: Position<Child>?
    let isOnly: Bool

    var table: any Table.Type { Child.self }

    func collect(from records: [Source], into keys: inout KeySets) throws {
        try Child.collect(records.flatMap { get($0).values }, into: &keys)
    }

    func rows(_ keys: KeySet<Child>) throws -> Query<Child> {
        let key = try Column<Child.Key>(Child.schema.primaryKey().name, in: Child.schema)
        return Child.where { _ in key.isIn(keys.all) }
    }

    /// The condition for rows that reference one of the parents, with the collation of the parents' key, as the engine
    /// resolves references.
    func refer(to keys: some Sequence<Source.Key>) throws -> Condition {
        let column = try reference.column()
        guard let collation = Source.keyCollation else { return column.isIn(keys) }
        return Computed<Source.Key>("\(column.sql)\(SQL(verbatim: collation.sql))").isIn(keys)
    }

    /// The assignment that sets a row's reference to NULL; nil if the reference is not optional.
    func cleared(_ column: Column<Source.Key>) -> Assignment? {
        reference.clear == nil ? nil : Column<Source.Key?>(column.definition.name).set(nil)
    }

    // MARK: Deleting

    func deletion(below parents: [Source], _ cascade: Cascade) throws -> (any Deletion)? {
        let column = try reference.column()
        let keys = parents.compactMap(Source.key(of:))
        let spared = try cascade.present(Child.self)
        let refersToThem = try refer(to: keys)
        var referring = Child.where { _ in refersToThem }
        if !spared.isEmpty {
            // Saved rows are kept. If their reference cannot be set to NULL, the engine rejects the deletion.
            if let cleared = cleared(column) {
                try rows(spared).where { _ in refersToThem }.update(with: [cleared], in: cascade.db)
            }
            let key = try Column<Child.Key>(Child.schema.primaryKey().name, in: Child.schema)
            referring = referring.where { _ in !key.isIn(spared.all) }
        }
        guard Child.hooks != nil || Child.relations?.children.isEmpty == false else {
            try referring.delete(in: cascade.db)
            return nil
        }
        let found = try referring.fetch(in: cascade.db)
        let indices = try cascade.enter(Child.self, found)
        let inCircle = Set(found.indices).subtracting(indices)
        // These rows are already being deleted, and must not reference rows that are deleted before them.
        if let cleared = cleared(column), !inCircle.isEmpty {
            try rows(KeySet(inCircle.compactMap { Child.key(of: found[$0]) })).update(with: [cleared], in: cascade.db)
        }
        return indices.isEmpty ? nil : DeletionOf<Child>(indices.map { found[$0] })
    }

    // MARK: Loading

    func load(into records: inout [Source], on connection: Connection) throws {
        let keys = try KeySet<Source>(records.compactMap(Source.key(of:)))
        var children: [[Value]: [Child]] = [:]
        if !keys.isEmpty {
            let order = try position?.column()
            let refersToThem = try refer(to: keys.all)
            let query = Child.where { _ in refersToThem }
            let sorted = order.map { column in query.order { _ in column.ascending } } ?? query
            for child in try sorted.orderedByKey(descending: false).fetch(in: ReadTransaction(connection)) {
                if let key = reference.key(child) { try children[Source.identity(of: key), default: []].append(child) }
            }
        }
        for index in records.indices {
            let found = try Source.key(of: records[index]).flatMap { try children[Source.identity(of: $0)] } ?? []
            try set(&records[index], Related(written: isOnly ? Array(found.prefix(1)) : found, isComplete: true))
        }
    }
}
