import Strongroom

/// The store of a type's objects.
enum Objects<Source: Table> {
    /// The tables that an operation accesses.
    enum Reach {
        case own
        /// The tables of the relations, recursively.
        case cascading
        /// The table of one relation.
        case relation([any Table.Type])

        init(_ cascading: Bool) { self = cascading ? .cascading : .own }
    }

    static var database: String { Source.databaseName ?? Stores.defaultDatabaseName }

    /// The store, opened if necessary, with the type's table.
    ///
    /// - Parameters:
    ///   - reach: The other tables that are needed.
    ///   - isReading: Whether they are only read.
    static func store(_ reach: Reach = .own, isReading: Bool = false) async throws -> Store {
        let store = try await Stores.current.open(database)
        try await store.prepare(try tables(reach), isReading: isReading)
        return store
    }

    private static func tables(_ reach: Reach) throws -> [any Table.Type] {
        switch reach {
        case .own: return [Source.self]
        case .cascading: return try Source.tablesInReach(isStrict: true)
        case .relation(let tables): return tables
        }
    }

    static func read<T: Sendable>(
        _ reach: Reach = .own, _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> T
    ) async throws -> T {
        let store = try await store(reach, isReading: true)
        // Before the snapshot of the file: what moves there meanwhile is in both, and counts once.
        guard let rows = ObjectsInMemory.of(store)?.rows, !rows.isEmpty else {
            return try await store.read { db in try body(db) }
        }
        return try await store.read { db in try db.withRows(rows) { db in try body(db) } }
    }

    /// Deletes the objects of a query, without reading them.
    static func delete(_ query: Query<Source>) async throws -> Int {
        let store = try await store()
        let memory = ObjectsInMemory.of(store)
        return try await store.write { db in
            let keys = try memory?.keys(of: query, in: db) ?? [:]
            let count = try query.delete(in: db)
            try memory?.remove(keys)
            return count + keys.values.reduce(0) { $0 + $1.count }
        }
    }
}

extension Objects where Source.RecordType == Source {
    /// Saves objects, all or none: each where it is, or all in one place.
    static func save(
        _ objects: inout [Source], _ rule: WriteRule<Source>, _ persistence: Persistence?, _ cascading: Bool
    ) async throws -> [Saved] {
        if persistence != nil { try rule.requireKey("persistence") }
        let store = try await store(.init(cascading))
        let found = persistence == .memory ? try await ObjectsInMemory.make(of: store) : ObjectsInMemory.of(store)
        guard let memory = found, persistence == .memory || rule.isKey && !memory.rows.isEmpty else {
            return try await store.write(&objects) { db, objects in
                try Source.save(contentsOf: &objects, rule, cascading: cascading, in: db)
            }
        }
        let tables = try tables(.init(cascading))
        let (outcomes, moved) = try await store.write(&objects) { db, objects in
            let inMemory = try memory.indices(of: objects, in: db)
            let chosen: Set<Int> = persistence.map { $0 == .memory ? Set(objects.indices) : [] } ?? inMemory
            var outcomes = [Saved](repeating: .updated, count: objects.count)
            func save(_ indices: [Int], in db: borrowing WriteTransaction) throws {
                guard !indices.isEmpty else { return }
                var part = indices.map { objects[$0] }
                let saved = try Source.save(contentsOf: &part, cascading: cascading, in: db)
                for (index, (object, outcome)) in zip(indices, zip(part, saved)) {
                    objects[index] = object
                    // An object that moves to the file is not new.
                    outcomes[index] = outcome == .inserted && inMemory.contains(index) ? .updated : outcome
                }
            }
            try save(objects.indices.filter { !chosen.contains($0) }, in: db)
            let moved = try memory.keys(in: db)
            if !chosen.isEmpty { try memory.write(tables, in: db) { try save(chosen.sorted(), in: $0) } }
            return (outcomes, moved)
        }
        try memory.remove(moved)
        return outcomes
    }

    /// Deletes objects, all or none.
    static func delete(_ objects: [Source], _ cascading: Bool) async throws -> Int {
        let store = try await store(.init(cascading))
        guard let memory = ObjectsInMemory.of(store), !memory.rows.isEmpty else {
            return try await store.write { db in
                try Source.delete(contentsOf: objects, cascading: cascading, in: db)
            }
        }
        let tables = try tables(.init(cascading))
        return try await store.write { db in
            let inMemory = try memory.indices(of: objects, in: db)
            let (theirs, others) = (inMemory.map { objects[$0] }, objects.indices.filter { !inMemory.contains($0) })
            // With a cascade, objects in memory may refer to one in the file.
            let inFile = cascading ? objects : others.map { objects[$0] }
            let count = try Source.delete(contentsOf: inFile, cascading: cascading, in: db)
            return try count
                + memory.write(tables, in: db) {
                    try Source.delete(contentsOf: cascading ? objects : theirs, cascading: cascading, in: $0)
                }
        }
    }
}
