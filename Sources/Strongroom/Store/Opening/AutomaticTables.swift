/// Which types' tables are as they are declared in a file whose schema no migrator keeps.
final class AutomaticTables: Sendable {
    private let isKept: Bool
    private let known = Locked<Set<ObjectIdentifier>>([])
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

    /// Notes that a table is in the file as it is declared, in what has been committed.
    func note(_ table: any Table.Type) {
        _ = known.withLock { $0.insert(ObjectIdentifier(table)) }
    }
}
