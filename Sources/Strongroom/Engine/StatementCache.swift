/// A statement that a table runs again and again, known without its text.
@usableFromInline
struct OperationKey: Hashable {
    @usableFromInline let type: ObjectIdentifier
    @usableFromInline let operation: Int

    @usableFromInline
    init(_ type: Any.Type, _ operation: Int) {
        self.type = ObjectIdentifier(type)
        self.operation = operation
    }
}

/// The prepared statements of one connection.
struct StatementCache {
    private static let capacity = 256

    private var bySQL: [String: Statement] = [:]
    private var byOperation: [OperationKey: Statement] = [:]
    /// The operation that was asked for last, so that a loop finds its statement without hashing.
    private var latest: (key: OperationKey, statement: Statement)?
    private var clock: UInt64 = 0

    /// The statement for a text, marked as in use; one that is in use already is left alone.
    mutating func statement(for sql: String, prepare: (String) throws -> Statement) throws -> Statement {
        clock += 1
        if let place = bySQL.index(forKey: sql) {
            let (text, cached) = bySQL[place]
            // Swift takes texts for equal that differ only in how their letters are composed; the engine does not.
            if text.utf8.elementsEqual(sql.utf8) { return try checkOut(cached) { try prepare(sql) } }
            bySQL.remove(at: place)
        }
        let statement = try prepare(sql)
        statement.lastUse = clock
        statement.isInUse = true
        if bySQL.count >= Self.capacity { dropOldest() }
        bySQL[sql] = statement
        return statement
    }

    /// The statement of the operation that was asked for last, marked as in use; nil when another one is wanted or it is in use.
    func latest(for key: OperationKey) -> Statement? {
        guard let (latestKey, statement) = latest, latestKey == key, !statement.isInUse else { return nil }
        statement.isInUse = true
        return statement
    }

    /// The statement for a table's operation, marked as in use.
    mutating func statement(for key: OperationKey, prepare: () throws -> Statement) throws -> Statement {
        if let cached = byOperation[key] {
            latest = (key, cached)
            return try checkOut(cached, prepare: prepare)
        }
        let statement = try prepare()
        statement.isInUse = true
        byOperation[key] = statement
        latest = (key, statement)
        return statement
    }

    private func checkOut(_ cached: Statement, prepare: () throws -> Statement) throws -> Statement {
        guard cached.isInUse else {
            cached.lastUse = clock
            cached.isInUse = true
            return cached
        }
        let another = try prepare()
        another.isInUse = true
        return another
    }

    private mutating func dropOldest() {
        let kept = bySQL.sorted { $0.value.lastUse > $1.value.lastUse }.prefix(Self.capacity / 2)
        bySQL = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }

    mutating func removeAll() {
        bySQL.removeAll()
        byOperation.removeAll()
        latest = nil
    }
}
