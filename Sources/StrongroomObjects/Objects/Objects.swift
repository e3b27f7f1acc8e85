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
        try await write { db in
            try query.delete(in: db)
        } both: { db, memory, tables in
            let hasObjects = tables.hasObjects(of: Source.self)
            // Both before a row is deleted that the condition may ask for.
            let (inFile, inMemory) = try db.withRows(tables.rows) { db in
                (
                    try db.identities(of: query, inMemory: false),
                    hasObjects ? try db.identities(of: query, inMemory: true) : []
                )
            }
            let count = try db.delete(inFile, of: Source.schema)
            let countInMemory = try memory.delete(inMemory, of: Source.schema)
            try tables.read([Source.self], in: memory)
            return count + countInMemory
        }
    }

    /// Deletes all objects.
    static func truncate() async throws -> Int {
        try await write { db in
            try Source.truncate(in: db)
        } both: { db, memory, tables in
            let count = try Source.truncate(in: db)
            guard tables.hasObjects(of: Source.self) else { return count }
            let inMemory = try Source.truncate(in: memory)
            try tables.read([Source.self], in: memory)
            return count + inMemory
        }
    }

    /// Writes in the file alone if nothing is in memory, otherwise in the file and in memory.
    private static func write<T: Sendable>(
        _ reach: Reach = .own, _ keys: [[SQLValue]]? = nil,
        file: @escaping @Sendable (borrowing WriteTransaction) throws -> T,
        both:
            @escaping @Sendable (
                borrowing WriteTransaction, borrowing WriteTransaction, inout MemoryTables
            ) throws -> T
    ) async throws -> T {
        // Not `Void`, whose variables have no address for the thread sanitizer to check.
        var unchanged = false
        return try await write(
            &unchanged, reach, keys, needsMemory: false, file: { db, _ in try file(db) },
            both: { db, memory, tables, _ in try both(db, memory, &tables) })
    }

    /// As ``write(_:_:file:both:)``, with a value that the work may change.
    fileprivate static func write<Changed: Sendable, T: Sendable>(
        _ value: inout Changed, _ reach: Reach, _ keys: [[SQLValue]]?, needsMemory: Bool,
        file: @escaping @Sendable (borrowing WriteTransaction, inout Changed) throws -> T,
        both:
            @escaping @Sendable (
                borrowing WriteTransaction, borrowing WriteTransaction, inout MemoryTables, inout Changed
            ) throws -> T
    ) async throws -> T {
        let store = try await store(reach)
        let types = try tables(reach)
        let memory = needsMemory ? try await ObjectsInMemory.make(of: store) : ObjectsInMemory.of(store)
        if let memory, needsMemory || !memory.rows.isEmpty {
            return try await store.write(&value, as: .immediate) { db, value in
                try memory.write(types, keys, with: db) { db, memory, tables in try both(db, memory, &tables, &value) }
            }
        }
        do {
            return try await store.write(&value) { db, value in
                // Only now is no other write saving objects in memory.
                guard ObjectsInMemory.of(store)?.rows.isEmpty ?? true else { throw IsInMemory() }
                return try file(db, &value)
            }
        } catch is IsInMemory {
            return try await write(&value, reach, keys, needsMemory: true, file: file, both: both)
        }
    }
}

/// There are objects in memory when a write begins, and were none when it was requested.
private struct IsInMemory: Error {}

extension Objects where Source.RecordType == Source {
    /// Saves objects, all or none: each where it is, or all in memory or all in the file.
    static func save(
        _ objects: inout [Source], _ rule: WriteRule<Source>, _ persistence: Persistence?, _ cascading: Bool
    ) async throws -> [Saved] {
        if persistence != nil { try rule.requireKey("persistence") }
        let types = try tables(.init(cascading))
        let keys = try concerned(objects, cascading)
        return try await write(&objects, .init(cascading), keys, needsMemory: persistence == .memory) { db, objects in
            try Source.save(contentsOf: &objects, rule, cascading: cascading, in: db)
        } both: { db, memory, tables, objects in
            let inMemory = try tables.indices(of: objects, in: memory)
            let chosen = persistence.map { $0 == .memory ? Set(objects.indices) : [] } ?? (rule.isKey ? inMemory : [])
            var outcomes = [Saved](repeating: .updated, count: objects.count)
            func save(_ indices: [Int], in db: borrowing WriteTransaction) throws {
                guard !indices.isEmpty else { return }
                var part = indices.map { objects[$0] }
                let saved = try Source.save(contentsOf: &part, rule, cascading: cascading, in: db)
                for (index, (object, outcome)) in zip(indices, zip(part, saved)) {
                    objects[index] = object
                    // An object that moves to the file is not new.
                    let isMoved = outcome == .inserted && rule.isKey && inMemory.contains(index)
                    outcomes[index] = isMoved ? .updated : outcome
                }
            }
            let inFile = objects.indices.filter { !chosen.contains($0) }
            // The cascade in the file finds no orphans in memory.
            let orphans = cascading && !inFile.isEmpty ? try tables.orphans(of: objects, in: memory) : []
            try save(inFile, in: db)
            try tables.removeRows(of: types, concerned(objects, cascading), alsoIn: db, in: memory)
            if !orphans.isEmpty {
                let found = try db.withRows(tables.rows) { db in try orphans.flatMap { try $0.reach(in: db) } }
                _ = try deleteTrees(found, db, memory, tables)
            }
            if cascading { try tables.read(types, in: memory) }
            guard !chosen.isEmpty else { return outcomes }
            try tables.prepare(types, creating: true, in: memory)
            try save(chosen.sorted(), in: memory)
            try tables.read(types, in: memory)
            let saved = try concerned(chosen.map { objects[$0] }, cascading)
            try tables.requireNotInFile(types, saved, db)
            return outcomes
        }
    }

    /// The keys of the objects that a call concerns; nil where it may reach any of the types.
    private static func concerned(_ objects: [Source], _ cascading: Bool) throws -> [[SQLValue]]? {
        cascading ? nil : try RowsInMemory.keys(of: objects, in: Source.self)
    }

    /// Deletes objects, all or none.
    static func delete(_ objects: [Source], _ cascading: Bool) async throws -> Int {
        let types = try tables(.init(cascading))
        return try await write(.init(cascading), concerned(objects, cascading)) { db in
            try Source.delete(contentsOf: objects, cascading: cascading, in: db)
        } both: { db, memory, tables in
            guard types.contains(where: { tables.hasObjects(of: $0) }) else {
                return try Source.delete(contentsOf: objects, cascading: cascading, in: db)
            }
            let count =
                cascading
                ? try deleteTrees(
                    db.withRows(tables.rows) { db in try Source.reach(of: objects, in: db) }, db, memory, tables)
                : try deleteEach(objects, db, memory, tables)
            try tables.read(types, in: memory)
            return count
        }
    }

    private static func deleteEach(
        _ objects: [Source], _ db: borrowing WriteTransaction, _ memory: borrowing WriteTransaction,
        _ tables: MemoryTables
    ) throws -> Int {
        let inMemory = try tables.indices(of: objects, in: memory)
        let inFile = objects.indices.filter { !inMemory.contains($0) }.map { objects[$0] }
        let count = try Source.delete(contentsOf: inFile, in: db)
        guard !inMemory.isEmpty else { return count }
        return try count + Source.delete(contentsOf: inMemory.sorted().map { objects[$0] }, in: memory)
    }

    /// Deletes objects and what refers to them, which may be in the other database than what it refers to.
    private static func deleteTrees(
        _ found: [CascadeStep], _ db: borrowing WriteTransaction, _ memory: borrowing WriteTransaction,
        _ tables: MemoryTables
    ) throws -> Int {
        var count = 0
        // What is deleted with an object is gone when the loop reaches it.
        for (index, records) in found.enumerated() {
            let deleted = try records.delete(cascading: true, in: db)
            if index == 0 { count += deleted }
        }
        // No reference is checked in memory.
        for (index, records) in found.enumerated().reversed() where tables.hasObjects(of: records.table) {
            let deleted = try records.delete(cascading: false, in: memory)
            if index == 0 { count += deleted }
        }
        return count
    }
}
