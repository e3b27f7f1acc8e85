/// The types whose tables match their declarations, in a file whose schema no migrator maintains.
final class AutomaticTables: Sendable {
    let isKept: Bool
    private let known = Locked<[ObjectIdentifier: TableSchema]>([:])
    /// Those that differ from their declarations in what reading them does not need.
    private let readable = Locked<Set<ObjectIdentifier>>([])
    private let present = Locked<[SQLName: TableSchema]>([:])
    /// Serializes comparisons; a later caller finds that its table has already been compared.
    let mutex = AsyncMutex()

    /// - Parameter isKept: Whether a migrator maintains the schema, so that no table is compared.
    init(isKept: Bool) {
        self.isKept = isKept
    }

    /// Whether the table of a type need not be compared any more.
    ///
    /// - Parameter isReading: Whether it is only read.
    func isKnown(_ table: any Table.Type, isReading: Bool = false) -> Bool {
        isKept || known.withLock { $0[ObjectIdentifier(table)] != nil }
            || isReading && readable.withLock { $0.contains(ObjectIdentifier(table)) }
    }

    /// The declarations of tables that are in the file, as far as this process has used them, if no migrator maintains
    /// the schema.
    var schemas: [TableSchema] { known.withLock { Array($0.values) } + present.withLock { Array($0.values) } }

    /// Whether a table is in the file, whether or not it matches a declaration.
    func isPresent(_ table: String) -> Bool { present.withLock { $0[SQLName(table)] != nil } }

    /// Called when a transaction that has changed the schema is committed: a table may have been dropped.
    func forgetPresent(on connection: Connection) {
        guard !isKept else { return }
        present.withLock { $0.removeAll() }
        readable.withLock { $0.removeAll() }
        // A table is looked for when its statements are prepared.
        connection.forgetUserStatements()
    }

    /// Records that a table is in the file, as committed.
    func recordPresent(_ table: TableSchema) {
        present.withLock { $0[SQLName(table.name)] = table }
    }

    /// Records that a table is in the file and matches its declaration, as committed.
    func record(_ table: any Table.Type) {
        known.withLock { $0[ObjectIdentifier(table)] = table.schema }
    }

    /// Records that a table in the file has every column of its declaration.
    func recordReadable(_ table: any Table.Type) {
        _ = readable.withLock { $0.insert(ObjectIdentifier(table)) }
    }
}
