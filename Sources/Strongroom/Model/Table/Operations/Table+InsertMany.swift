extension Table {
    /// Inserts a list of records, atomically: several rows per statement, which is faster, or single rows in a table
    /// with foreign keys, where these are.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - db: A write transaction.
    /// - Returns: The rows' keys, in the order of the records.
    /// - Throws: As `insert`; no record of the list is inserted then.
    @inlinable
    @discardableResult
    public static func insert(
        contentsOf records: some Sequence<RecordType>,
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Key] {
        let connection = db._handle.connection
        guard let hooks else { return try insert(contentsOf: records, on: connection) }
        return try withHooks(contentsOf: records, hooks, on: connection) { records in
            let keys = try insert(contentsOf: records, on: connection)
            for (index, key) in zip(records.indices, keys) {
                adopt(key, .inserted, in: &records[index], on: connection)
            }
            return keys
        }
    }

    @inlinable
    static func insert(contentsOf records: some Sequence<RecordType>, on connection: Connection) throws -> [Key] {
        if connection.makesRowIDs || Key.generate() != nil {
            let keyed = withGeneratedKeys(records, on: connection)
            return try keyed.withUnsafeBufferPointer { try insert($0, on: connection) }
        }
        // An array's records are inserted where they are, without a copy of each.
        if let keys = try records.withContiguousStorageIfAvailable({ try insert($0, on: connection) }) { return keys }
        return try ContiguousArray(records).withUnsafeBufferPointer { try insert($0, on: connection) }
    }

    /// The records, each with a key, of a type whose keys the library generates.
    @inlinable
    static func withGeneratedKeys(
        _ records: some Sequence<RecordType>, on connection: Connection
    ) -> ContiguousArray<RecordType> {
        var records = ContiguousArray(records)
        for index in records.indices where key(of: records[index]) == nil {
            if let key = generatedKey(on: connection) { setKey(key, of: &records[index]) }
        }
        return records
    }

    /// Inserts records, with the keys that they have; the engine generates the others.
    ///
    /// - Parameter records: The memory of a list, valid until the function returns, as in the functions below, which
    ///   do not store the pointer.
    @inlinable
    static func insert(_ records: UnsafeBufferPointer<RecordType>, on connection: Connection) throws -> [Key] {
        let rows = RowsPerStatement.count(columns: RecordType.columnNames.count)
        if rows > 1, records.count > rows, try !connection.hasForeignKeys(schema.name) {
            do {
                return try connection.inSavepoint { try insert(records, rows: rows, on: connection) }
            } catch let error where RowsPerStatement.isSolvedOneByOne(error) && connection.canGoOn {
                // The single inserts below determine which record is at fault, if any.
            }
        }
        return try connection.inSavepoint {
            try records.map { try insert($0, on: connection) }
        }
    }

    @inlinable
    static func insert(
        _ records: UnsafeBufferPointer<RecordType>,
        rows: Int,
        on connection: Connection
    ) throws -> [Key] {
        var keys: [Key] = []
        keys.reserveCapacity(records.count)
        var next = records.startIndex
        while next < records.endIndex {
            let hasKeys = key(of: records[next]) != nil
            let end = min(next + rows, records.endIndex)
            // The first record is inserted alone, so that the following row ids are known; so is a record that differs
            // from those before in having a key or not.
            guard end - next == rows, hasKeys || !keys.isEmpty,
                records[next..<end].allSatisfy({ (key(of: $0) != nil) == hasKeys })
            else {
                keys.append(try insert(records[next], on: connection))
                next += 1
                continue
            }
            keys += try insertTogether(records, next..<end, hasKeys: hasKeys, on: connection)
            next = end
        }
        return keys
    }

    @inlinable
    static func insertTogether(
        _ records: UnsafeBufferPointer<RecordType>,
        _ range: Range<Int>,
        hasKeys: Bool,
        on connection: Connection
    ) throws -> [Key] {
        let width = RecordType.columnNames.count
        let last = connection.lastInsertedRowID
        let operation = OperationKey(Self.self, hasKeys ? Operation.insertManyWithKey : Operation.insertMany)
        let statement = try Self.statement(operation, on: connection, isInsert: true) { statements in
            if !hasKeys { try requireGeneratedKeys(on: connection) }
            return try statements.insert(withKey: hasKeys, rows: range.count)
        }
        defer { statement.finish() }
        var base = 0
        if let upkeep = RecordType._upkeep {
            for index in range {
                let record = try stamped(records[index], upkeep, on: connection)
                try validateInsert(record)
                try record.encode(to: Bindings(statement, from: base, width: width))
                base += width
            }
        } else {
            for index in range {
                try records.withElement(at: index) { record in
                    try validateInsert(record)
                    try record.encode(to: Bindings(statement, from: base, width: width))
                }
                base += width
            }
        }
        statement.dropUnsetParameters()
        try statement.run()
        guard connection.changes == range.count else { throw RowsPerStatement.Unforeseen() }
        if hasKeys { return range.compactMap { key(of: records[$0]) } }
        let first = last &+ 1
        guard connection.lastInsertedRowID == last &+ Int64(range.count),
            let keys = RowsPerStatement.keys(Key.self, from: first, count: range.count)
        else { throw RowsPerStatement.Unforeseen() }
        return keys
    }
}

extension UnsafeBufferPointer where Element: ~Copyable {
    /// Passes an element to a closure where it is.
    // Without the constraint the compiler copies an element of a generic type before it calls a function with it.
    @inlinable
    func withElement<T>(at index: Int, _ body: (borrowing Element) throws -> T) rethrows -> T {
        try body(self[index])
    }
}

@usableFromInline
enum RowsPerStatement {
    /// More records per statement are hardly faster.
    private static let most = 32

    /// Every engine supports 999 parameters.
    private static let parameters = 900

    @usableFromInline
    static func count(columns: Int) -> Int {
        columns == 0 ? 1 : min(most, parameters / columns)
    }

    /// The row ids of the new rows are not the expected ones.
    @usableFromInline
    struct Unforeseen: Error {
        @usableFromInline init() {}
    }

    @usableFromInline
    static func isSolvedOneByOne(_ error: any Error) -> Bool {
        error is Unforeseen || (error as? StrongroomError)?.code == .constraint
    }

    @inlinable
    static func keys<Key: TableKey>(_ type: Key.Type, from first: Int64, count: Int) -> [Key]? {
        var keys: [Key] = []
        keys.reserveCapacity(count)
        for index in 0..<count {
            guard let key = Key.generated(rowID: first &+ Int64(index)) else { return nil }
            keys.append(key)
        }
        return keys
    }
}
