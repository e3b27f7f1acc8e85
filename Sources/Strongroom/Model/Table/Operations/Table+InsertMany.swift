extension Table {
    /// Inserts a list of records; all of them or none.
    ///
    /// Several rows go to the engine with one statement, which is faster than one by one; into a table with foreign
    /// keys each goes by itself, which is faster there.
    ///
    /// ```swift
    /// let keys = try Contact.insert(contentsOf: contacts, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - db: A write transaction.
    /// - Returns: The rows' keys, in the order of the records.
    /// - Throws: As `insert`; then no record of the list is inserted.
    @inlinable
    @discardableResult
    public static func insert(
        contentsOf records: some Sequence<RecordType>,
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Key] {
        try insert(contentsOf: records, on: db.handle.connection)
    }

    @inlinable
    static func insert(contentsOf records: some Sequence<RecordType>, on connection: Connection) throws -> [Key] {
        let records = withMadeKeys(ContiguousArray(records))
        let rows = RowsPerStatement.count(columns: RecordType.columnNames.count)
        if rows > 1, records.count > rows, try !connection.hasForeignKeys(schema.name) {
            do {
                return try connection.inSavepoint { try insert(records, rows: rows, on: connection) }
            } catch let error where RowsPerStatement.isSolvedOneByOne(error) && connection.canGoOn {
                // Which record it was, and whether it is one at all, is seen one by one.
            }
        }
        return try connection.inSavepoint {
            try records.map { try insert($0, on: connection) }
        }
    }

    /// The records, of which none is without a key if the library makes keys of its type.
    @inlinable
    static func withMadeKeys(_ records: ContiguousArray<RecordType>) -> ContiguousArray<RecordType> {
        guard Key.made() != nil else { return records }
        var records = records
        for place in records.indices where key(of: records[place]) == nil {
            if let made = Key.made() { setKey(made, of: &records[place]) }
        }
        return records
    }

    /// Inserts records, several with each statement.
    @inlinable
    static func insert(
        _ records: ContiguousArray<RecordType>,
        rows: Int,
        on connection: Connection
    ) throws -> [Key] {
        var keys: [Key] = []
        keys.reserveCapacity(records.count)
        var next = records.startIndex
        while next < records.endIndex {
            let hasKeys = key(of: records[next]) != nil
            let end = min(next + rows, records.endIndex)
            // The first of all goes alone, so that the ids that follow are known; so does a record that is unlike those
            // before it.
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

    /// Inserts records with one statement.
    @inlinable
    static func insertTogether(
        _ records: ContiguousArray<RecordType>,
        _ range: Range<Int>,
        hasKeys: Bool,
        on connection: Connection
    ) throws -> [Key] {
        let width = RecordType.columnNames.count
        let last = connection.lastInsertedRowID
        let statement = try connection.statement(
            OperationKey(Self.self, hasKeys ? Operation.insertManyWithKey : Operation.insertMany)
        ) {
            try connection.requireSortedDecimals(of: schema)
            if !hasKeys { try requireMadeKeys(on: connection) }
            let statements = TableStatements(schema, RecordType.columnNames)
            return (try statements.insert(withKey: hasKeys, rows: range.count), try statements.defaults())
        }
        defer { statement.finish() }
        for place in range {
            try validateInsert(records[place])
            let base = (place - range.lowerBound) * width
            try records[place].encode(to: Bindings(statement, from: base, width: width))
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

/// How many records one INSERT takes.
@usableFromInline
enum RowsPerStatement {
    /// More gain little: the engine's work for each statement is spread thin enough.
    private static let most = 32

    /// Every engine takes 999 parameters.
    private static let parameters = 900

    @usableFromInline
    static func count(columns: Int) -> Int {
        columns == 0 ? 1 : min(most, parameters / columns)
    }

    /// The ids of the new rows are not those that were to be expected.
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
        for place in 0..<count {
            guard let key = Key.generated(rowID: first &+ Int64(place)) else { return nil }
            keys.append(key)
        }
        return keys
    }
}
