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

    func rows(_ keys: KeySet<Child>) throws -> Query<Child> { Query(try Child.keyColumn().isIn(keys.all)) }

    /// The rows that reference one of the parents, with the collation of the parents' key, as the engine resolves
    /// references.
    func rows(referringTo keys: some Sequence<Source.Key>) throws -> Query<Child> {
        let column = try reference.column()
        guard let collation = Source.keyCollation else { return Query(column.isIn(keys)) }
        return Query(Computed<Source.Key>("\(column.sql)\(SQL(verbatim: collation.sql))").isIn(keys))
    }

    /// The assignment that sets a row's reference to NULL; nil if the reference is not optional.
    func cleared(_ column: Column<Source.Key>) -> Assignment? {
        reference.clear == nil ? nil : Column<Source.Key?>(column.definition.name).set(nil)
    }

    // MARK: Deleting

    func deletion(below parents: [Source], _ cascade: Cascade) throws -> (any Deletion)? {
        let column = try reference.column()
        let keys = parents.compactMap(Source.key(of:))
        let spared = try cascade.present.keys(of: Child.self)
        var referring = try rows(referringTo: keys)
        if !spared.isEmpty {
            // Saved rows are kept. If their reference cannot be set to NULL, the engine rejects the deletion, or would
            // delete them with what refers to them.
            let kept = try rows(spared).and(referring)
            if let cleared = cleared(column) {
                try kept.update(with: [cleared], in: cascade.db)
            } else if Child.schema.cascades(column.definition.name), try kept.exists(in: cascade.db) {
                throw RelationFailure.deletedWithParent(Child.schema)
            }
            let key = try Child.keyColumn()
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

    func referring(to parents: [Source], _ cascade: Cascade) throws -> CascadeStep? {
        let found = try rows(referringTo: parents.compactMap(Source.key(of:))).fetch(in: cascade.db)
        let records = try cascade.enter(Child.self, found).map { found[$0] }
        return records.isEmpty ? nil : CascadeStep(records, of: Child.self)
    }

    // MARK: Loading

    func load(into records: inout [Source], on connection: Connection) throws {
        let keys = try KeySet<Source>(records.compactMap(Source.key(of:)))
        var children: [[SQLValue]: [Child]] = [:]
        if !keys.isEmpty {
            let order = try position?.column()
            let query = try rows(referringTo: keys.all)
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

extension Children {
    func save(of parents: inout [Source], _ saved: [Saved], _ cascade: Cascade) throws {
        let column = try reference.column()
        try handleOrphans(of: parents, column, cascade)
        var children: [Child] = []
        var owners: [Int] = []
        var moved: Set<Int> = []
        for index in parents.indices {
            guard let key = Source.key(of: parents[index]) else { throw Source.schema.missingKey }
            let related = get(parents[index])
            var next = try firstPosition(in: related, of: key, isNew: saved[index] == .inserted, column, cascade)
            for given in related.values {
                var child = given
                let known = Child.key(of: child)
                // A child in two lists belongs to the first.
                if let known, try !cascade.link(Child.self, known, by: column.definition.name) { continue }
                reference.set(&child, key)
                if let numbering = next {
                    if numbering.counts(known) { position?.set(&child, try numbering.number(in: Child.schema)) }
                    next?.advance(known)
                }
                for relation in Child.relations?.parents ?? [] {
                    try relation.clearOtherParent(of: &child, by: column.definition.name)
                }
                let stays = try reference.key(given).map { try Self.isWritten($0, as: key) } ?? false
                if !stays || position.map({ $0.get(given) != $0.get(child) }) ?? false {
                    moved.insert(children.count)
                }
                children.append(child)
                owners.append(index)
            }
        }
        let indices = try cascade.enter(Child.self, children)
        let outcomes = try Child.saveTrees(&children, at: indices, cascade, without: reference.name)
        // A child that is saved elsewhere in the cycle belongs to this list, too.
        for index in moved.subtracting(indices) where outcomes[index] != .deleted {
            try link(children[index], column, cascade)
        }
        var left = [[Child]](repeating: [], count: parents.count)
        for (index, owner) in owners.enumerated() where outcomes[index] != .deleted {
            left[owner].append(children[index])
        }
        for index in parents.indices {
            let isComplete = saved[index] == .inserted || get(parents[index]).isComplete
            try set(&parents[index], Related(written: left[index], isComplete: isComplete))
        }
    }

    private static func isWritten(_ key: Source.Key, as other: Source.Key) throws -> Bool {
        try Source.plainValues(of: key).map(\.exact) == Source.plainValues(of: other).map(\.exact)
    }

    private func link(_ child: Child, _ column: Column<Source.Key>, _ cascade: Cascade) throws {
        guard let key = Child.key(of: child), let parent = reference.key(child) else { return }
        let row = try rows(KeySet([key]))
        cascade.atTheEnd {
            var assignments = [column.set(parent)]
            if let position { assignments.append(try position.column().set(position.get(child))) }
            try row.update(with: assignments, in: cascade.db)
        }
    }

    // MARK: Order

    private struct Numbering {
        /// Nil after the largest number.
        var next: Int?
        /// Whether the list contains all children; otherwise children with a row keep their numbers, and new ones are
        /// added at the end.
        let isComplete: Bool

        func counts(_ key: Child.Key?) -> Bool { isComplete || key == nil }
        mutating func advance(_ key: Child.Key?) { if counts(key) { next = next?.successor } }

        func number(in schema: TableSchema) throws -> Int {
            guard let next else { throw RelationFailure.noPosition(schema) }
            return next
        }
    }

    private func firstPosition(
        in related: Related<Child>, of parent: Source.Key, isNew: Bool, _ column: Column<Source.Key>, _ cascade: Cascade
    ) throws -> Numbering? {
        guard let position, !related.values.isEmpty else { return nil }
        guard !related.isComplete, !isNew else { return Numbering(next: 0, isComplete: true) }
        let ordered = try position.column()
        let last = try rows(referringTo: [parent]).order { _ in ordered.descending }.first(in: cascade.db)
        return Numbering(next: last.map { position.get($0).successor } ?? 0, isComplete: false)
    }

    // MARK: Orphans

    /// Handles the rows that were removed from the lists.
    ///
    /// A row that is saved elsewhere in the tree is not an orphan. The others are deleted after everything is saved, so
    /// that rows which were moved away from them are kept; only if a reference is unique are they detached before, or
    /// deleted where it cannot be NULL, since other rows take their position.
    private func handleOrphans(of parents: [Source], _ column: Column<Source.Key>, _ cascade: Cascade) throws {
        let isUnique = Child.schema.isUnique(column.definition.name)
        guard orphans != .keep || isUnique else { return }
        let present = try cascade.present.keys(of: Child.self)
        let hidden = try hiddenRows(of: parents, cascade)
        for parent in parents {
            guard let key = Source.key(of: parent) else { continue }
            let related = get(parent)
            let left = try KeySet<Child>(related.values.compactMap(Child.key(of:)))
            let gone = try related.known.union(hidden[Source.identity(of: key)] ?? KeySet()).subtracting(left)
            guard !gone.isEmpty else { continue }
            // A row that has another parent by now is not an orphan of this one.
            let own = try rows(referringTo: [key])
            let moved = try rows(gone.intersection(present)).and(own)
            let lost = try rows(gone.subtracting(present)).and(own)
            let deleted = orphans == .delete ? try lost.fetch(in: cascade.db) : []
            if let cleared = cleared(column) {
                if isUnique { try moved.update(with: [cleared], in: cascade.db) }
                if orphans == .detach || orphans == .delete && isUnique {
                    let assignments = try Child.completed([cleared], isNew: false, on: cascade.connection)
                    try lost.update(with: assignments, in: cascade.db)
                }
            }
            guard !deleted.isEmpty else { continue }
            if isUnique, cleared(column) == nil {
                try Child.deleteTrees(deleted, cascade.deletion)
            } else {
                cascade.atTheEnd { try Child.deleteTrees(deleted, cascade.deletion) }
            }
        }
    }

    func orphans(
        of parents: [Source], _ cascade: Cascade, _ hasRows: (any Table.Type) -> Bool
    ) throws -> [CascadeStep] {
        var found = try Child.orphans(of: parents.flatMap { get($0).values }, cascade, hasRows)
        guard orphans != .keep, hasRows(Child.self) else { return found }
        let (column, present) = (try reference.column(), try cascade.present.keys(of: Child.self))
        for parent in parents {
            guard let key = Source.key(of: parent) else { continue }
            let related = get(parent)
            let left = try KeySet<Child>(related.values.compactMap(Child.key(of:))).union(present)
            let gone = related.known.subtracting(left)
            guard !gone.isEmpty else { continue }
            let lost = try rows(gone).and(rows(referringTo: [key]))
            if orphans == .delete {
                found.append(CascadeStep(try lost.fetch(in: cascade.db), of: Child.self))
            } else if let cleared = cleared(column) {
                let assignments = try Child.completed([cleared], isNew: false, on: cascade.connection)
                try lost.update(with: assignments, in: cascade.db)
            }
        }
        return found
    }

    /// The existing rows in the position of a new only child.
    private func hiddenRows(of parents: [Source], _ cascade: Cascade) throws -> [[SQLValue]: KeySet<Child>] {
        guard isOnly, orphans != .keep else { return [:] }
        let keys = parents.filter { !get($0).values.isEmpty }.compactMap(Source.key(of:))
        guard !keys.isEmpty else { return [:] }
        var found: [[SQLValue]: KeySet<Child>] = [:]
        for child in try rows(referringTo: keys).fetch(in: cascade.db) {
            guard let parent = reference.key(child), let key = Child.key(of: child) else { continue }
            try found[Source.identity(of: parent), default: KeySet()].insert(key)
        }
        return found
    }
}

extension Int {
    fileprivate var successor: Int? { self == .max ? nil : self + 1 }
}

extension TableSchema {
    fileprivate func cascades(_ column: String) -> Bool {
        columns.contains { Identifier.areSame($0.name, column) && $0.references?.onDelete == .cascade }
    }

    /// Whether a column is unique, or part of a unique constraint.
    fileprivate func isUnique(_ column: String) -> Bool {
        columns.contains { Identifier.areSame($0.name, column) && $0.isUnique }
            || indexes.contains { $0.isUnique && Identifier.index(of: column, in: $0.columns) != nil }
    }
}

/// How a cascading save treats the row of a child that was removed from its parent's list.
///
/// Only children that the list is known to have contained are orphans: they were loaded into it, or saved with it. Rows
/// that another task or process has added since, and rows that have another parent by now, are not changed.
public struct Orphans<Reference: KeyReference>: Sendable, Hashable {
    let rule: OrphanRule

    /// The row is kept and continues to reference the parent.
    public static var keep: Orphans { Orphans(rule: .keep) }

    /// The row is deleted with its own children.
    public static var delete: Orphans { Orphans(rule: .delete) }
}

enum OrphanRule: Sendable {
    case keep, detach, delete
}

extension Orphans where Reference: ExpressibleByNilLiteral {
    /// The row is kept, and its reference is set to NULL.
    public static var detach: Orphans { Orphans(rule: .detach) }
}
