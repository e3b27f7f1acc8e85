import Strongroom

/// The objects of a store that are in memory only, in a database of their own.
///
/// They change only in a write of the store, whose writer thereby orders the changes; what has moved to the file is
/// removed after the commit. Until then, and if another process writes a row with the key of an object, the row in the
/// file is the one that counts.
final class ObjectsInMemory: Sendable {
    private let store: Store
    private let tables = Locked<[String: RowsInMemory]>([:])

    private init(_ store: Store) { self.store = store }

    /// Those of a store, if it has had any since it was opened.
    static func of(_ store: Store) -> ObjectsInMemory? { store.attachment.withLock { $0 as? ObjectsInMemory } }

    static func make(of store: Store) async throws -> ObjectsInMemory {
        if let found = of(store) { return found }
        let made = ObjectsInMemory(try await store.emptyInMemory())
        return store.attachment.withLock { attachment in
            if let found = attachment as? ObjectsInMemory { return found }
            attachment = made
            return made
        }
    }

    /// The tables that have objects.
    var rows: [RowsInMemory] { tables.withLock { Array($0.values) }.filter { !$0.isEmpty } }

    /// The indices of the objects that are in memory and not in the file.
    func indices<Source: Table>(
        of objects: [Source], in db: borrowing WriteTransaction
    ) throws -> Set<Int> where Source.RecordType == Source {
        guard tables.withLock({ $0[Source.schema.name] }) != nil else { return [] }
        var found: Set<Int> = []
        for (index, object) in objects.enumerated() {
            guard let key = Source.key(of: object), try Source.find(key, in: db) == nil else { continue }
            if try store.read({ memory in try Source.find(key, in: memory) != nil }) { found.insert(index) }
        }
        return found
    }

    /// Changes objects, as the last step of a write of the store.
    ///
    /// - Throws: `StrongroomError` with `constraint` if a row of the file has the key of an object; nothing is changed
    ///   then.
    func write<T>(
        _ types: [any Table.Type], in db: borrowing WriteTransaction,
        _ body: (borrowing WriteTransaction) throws -> T
    ) throws -> T {
        try remove(keys(in: db))
        return try change { memory, tables in
            for type in types where tables[type.schema.name] == nil {
                let table = try RowsInMemory(of: type.schema)
                try table.createTable(in: memory)
                tables[type.schema.name] = table
            }
            let result = try body(memory)
            for type in types {
                guard let keys = try tables[type.schema.name]?.read(in: memory).keys(alsoIn: db), !keys.isEmpty else {
                    continue
                }
                throw Self.isInFile(type.schema.name)
            }
            return result
        }
    }

    /// The keys, by table, of what is in the file, too.
    func keys(in db: borrowing some Reading & ~Copyable) throws -> [String: [[Value]]] {
        var found: [String: [[Value]]] = [:]
        for (name, table) in tables.withLock({ $0 }) where !table.isEmpty { found[name] = try table.keys(alsoIn: db) }
        return found.filter { !$0.value.isEmpty }
    }

    /// The keys of the objects of a query.
    func keys<Source: Table>(
        of query: Query<Source>, in db: borrowing WriteTransaction
    ) throws -> [String: [[Value]]] {
        let name = Source.schema.name
        guard let table = tables.withLock({ $0[name] }), !table.isEmpty else { return [:] }
        return try db.withRows(rows) { db in [name: try table.keys(where: query.condition?.sql, in: db)] }
    }

    func remove(_ keys: [String: [[Value]]]) throws {
        guard !keys.isEmpty else { return }
        try change { memory, tables in
            for (name, keys) in keys { try tables[name]?.delete(keys, in: memory) }
        }
    }

    private func change<T>(
        _ body: (borrowing WriteTransaction, inout [String: RowsInMemory]) throws -> T
    ) throws -> T {
        try store.write { memory in
            var changed = tables.withLock { $0 }
            let result = try body(memory, &changed)
            let after = try changed.mapValues { try $0.read(in: memory) }
            tables.withLock { $0 = after }
            return result
        }
    }

    private static func isInFile(_ table: String) -> StrongroomError {
        StrongroomError(
            .constraint,
            """
            An object of table "\(table)" that is to be saved in memory, by itself or with a related one, has a row in \
            the file, and would be there twice. Save it with `persistence: .disk`, or delete it first.
            """)
    }
}
