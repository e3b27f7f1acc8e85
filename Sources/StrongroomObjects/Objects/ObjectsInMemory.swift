import Strongroom

/// The objects of a store that are in memory only, in a database of their own.
///
/// They change only in a write of the store, in a transaction of their own inside it, and are shown once the store's is
/// committed. If another process writes a row with the key of an object, the row in the file is the one that counts.
final class ObjectsInMemory: Sendable {
    private struct State {
        /// As of the last commit of the store.
        var tables = MemoryTables()
        /// Whether the database in memory may have changes that were not committed with the file's.
        var isAhead = false
    }

    private let store: Store
    private let state = Locked(State())

    private init(_ store: Store) { self.store = store }

    /// Those of a store, if it has had any since it was opened.
    static func of(_ store: Store) -> ObjectsInMemory? { store.attachment.withLock { $0 as? ObjectsInMemory } }

    static func make(of store: Store) async throws -> ObjectsInMemory {
        if let found = of(store) { return found }
        let created = ObjectsInMemory(try await store.emptyInMemory())
        return store.attachment.withLock { attachment in
            if let found = attachment as? ObjectsInMemory { return found }
            attachment = created
            return created
        }
    }

    /// The tables that have objects.
    var rows: [RowsInMemory] { state.withLock { $0.tables }.rows }

    /// Changes objects together with the file, as the last step of a write of the store that shares its transaction
    /// with no other.
    ///
    /// - Parameters:
    ///   - types: The types that may be used in memory.
    ///   - keys: The keys of the objects that the work concerns, which are all of one table; nil for all objects of the
    ///     types.
    ///   - body: Receives the transactions of the file and of the memory. Both are undone if one is.
    func write<T>(
        _ types: [any Table.Type], _ keys: [[SQLValue]]?, with db: borrowing WriteTransaction,
        _ body: (borrowing WriteTransaction, borrowing WriteTransaction, inout MemoryTables) throws -> T
    ) throws -> T {
        var (tables, isAhead) = state.withLock { state in
            defer { state.isAhead = true }
            return (state.tables, state.isAhead)
        }
        let result = try store.write { memory in
            if isAhead { try tables.restore(in: memory) }
            try tables.removeRows(of: types, keys, alsoIn: db, in: memory)
            try tables.prepare(types, creating: false, in: memory)
            let result = try body(db, memory, &tables)
            if memory.isRollbackRequested { try db.rollBack() }
            return result
        }
        let changed = tables
        db.whenCommitted { [self] in state.withLock { $0 = State(tables: changed) } }
        return result
    }
}

/// The tables in memory, by the names that the engine compares.
struct MemoryTables: Sendable {
    private var tables: [String: RowsInMemory] = [:]

    /// Those that have objects.
    var rows: [RowsInMemory] { tables.values.filter { !$0.isEmpty } }

    func hasObjects(of type: any Table.Type) -> Bool {
        tables[RowsInMemory.name(of: type.schema)].map { !$0.isEmpty } ?? false
    }

    /// The indices of the objects that are in memory.
    func indices<Source: Table>(
        of objects: [Source], in memory: borrowing WriteTransaction
    ) throws -> Set<Int> where Source.RecordType == Source {
        guard hasObjects(of: Source.self) else { return [] }
        var found: Set<Int> = []
        for (index, object) in objects.enumerated() {
            guard let key = Source.key(of: object), try Source.find(key, in: memory) != nil else { continue }
            found.insert(index)
        }
        return found
    }

    /// The orphans of a cascading save that are in memory.
    func orphans<Source: Table>(
        of objects: [Source], in memory: borrowing WriteTransaction
    ) throws -> [CascadeStep] where Source.RecordType == Source {
        try Source.orphans(of: objects, in: memory) { hasObjects(of: $0) }
    }

    /// Makes the database in memory as it was; what else it has is replaced when it is needed.
    func restore(in memory: borrowing WriteTransaction) throws {
        for table in tables.values { try table.createTable(in: memory) }
    }

    /// Removes what is in the file, too: objects with some keys, or all of some types.
    mutating func removeRows(
        of types: [any Table.Type], _ keys: [[SQLValue]]?, alsoIn db: borrowing WriteTransaction,
        in memory: borrowing WriteTransaction
    ) throws {
        for name in types.map({ RowsInMemory.name(of: $0.schema) }) {
            guard let table = tables[name], !table.isEmpty else { continue }
            let keys = try table.keys(keys, alsoIn: db)
            guard !keys.isEmpty else { continue }
            try table.delete(keys, in: memory)
            tables[name] = try table.read(in: memory)
        }
    }

    /// Gives the tables the columns of all types that use them, and creates those that are missing.
    mutating func prepare(
        _ types: [any Table.Type], creating: Bool, in memory: borrowing WriteTransaction
    ) throws {
        for schema in types.map({ $0.schema }) {
            let name = RowsInMemory.name(of: schema)
            if let table = tables[name] {
                if let wider = try table.table(for: schema, in: memory) { tables[name] = wider }
            } else if creating {
                let table = try RowsInMemory(of: schema)
                try table.createTable(in: memory)
                tables[name] = table
            }
        }
    }

    /// Reads the tables of types again, after a change.
    mutating func read(_ types: [any Table.Type], in memory: borrowing WriteTransaction) throws {
        for type in types {
            let name = RowsInMemory.name(of: type.schema)
            if let table = tables[name] { tables[name] = try table.read(in: memory) }
        }
    }

    /// - Throws: `StrongroomError` with `constraint` if a row of the file has the key of an object.
    func requireNotInFile(
        _ types: [any Table.Type], _ keys: [[SQLValue]]?, _ db: borrowing WriteTransaction
    ) throws {
        for type in types {
            let table = tables[RowsInMemory.name(of: type.schema)]
            guard let table, try !table.keys(keys, alsoIn: db).isEmpty else { continue }
            throw StrongroomError(
                .constraint,
                """
                An object of table "\(type.schema.name)" that is to be saved in memory, by itself or with a related \
                one, has a row in the file, and would be there twice. Save it with `persistence: .disk`, or delete it \
                first.
                """)
        }
    }
}
