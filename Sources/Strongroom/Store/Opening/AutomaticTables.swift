/// Which types' tables are as they are declared in a file whose schema no migrator keeps.
final class AutomaticTables: Sendable {
    let isKept: Bool
    private let known = Locked<Set<ObjectIdentifier>>([])
    private let present = Locked<Set<SQLName>>([])
    /// Those who compare a table; the others wait for the first one, and find that it has been done.
    let turns = AsyncMutex()

    /// - Parameter isKept: Whether a migrator keeps the schema, so that nothing is to be compared.
    init(isKept: Bool) {
        self.isKept = isKept
    }

    /// Whether the table of a type need not be looked at any more.
    func isKnown(_ table: any Table.Type) -> Bool {
        isKept || known.withLock { $0.contains(ObjectIdentifier(table)) }
    }

    /// Whether a table is in the file, as it is declared or not.
    func isPresent(_ table: String) -> Bool { present.withLock { $0.contains(SQLName(table)) } }

    /// Called when a transaction that has changed the schema is committed: a table may have been dropped.
    func forgetPresent() { present.withLock { $0.removeAll() } }

    /// Records that a table is in the file, in what has been committed.
    func notePresent(_ table: String) {
        _ = present.withLock { $0.insert(SQLName(table)) }
    }

    /// Notes that a table is in the file as it is declared, in what has been committed.
    func note(_ table: any Table.Type) {
        _ = known.withLock { $0.insert(ObjectIdentifier(table)) }
    }
}
