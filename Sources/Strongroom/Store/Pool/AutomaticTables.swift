/// The types whose tables match their declarations, in a file whose schema no migrator maintains.
final class AutomaticTables: Sendable {
    private struct State {
        /// The tables that match the declarations of their types.
        var known: [ObjectIdentifier: TableSchema] = [:]
        /// Those that differ from their declarations in what reading them does not need.
        var readable: Set<ObjectIdentifier> = []
        /// The tables that are in the file, whether or not they match a declaration.
        var present: [SQLName: TableSchema] = [:]
    }

    let isKept: Bool
    private let state = Locked(State())
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
        let type = ObjectIdentifier(table)
        return isKept || state.withLock { $0.known[type] != nil || isReading && $0.readable.contains(type) }
    }

    /// The declarations of tables that this process has found in the file, if no migrator maintains the schema.
    var schemas: [TableSchema] { state.withLock { Array($0.known.values) + Array($0.present.values) } }

    func isPresent(_ table: String) -> Bool { state.withLock { $0.present[SQLName(table)] != nil } }

    /// Called when a transaction that has changed the schema is committed: a table may have been dropped.
    func forgetPresent(on connection: Connection) {
        guard !isKept else { return }
        state.withLock { ($0.present, $0.readable) = ([:], []) }
        // A table is looked for when its statements are prepared.
        connection.forgetUserStatements()
    }

    func recordPresent(_ table: TableSchema) {
        state.withLock { $0.present[SQLName(table.name)] = table }
    }

    /// Records that a table is in the file and matches its declaration, as committed.
    func record(_ table: any Table.Type) {
        state.withLock { $0.known[ObjectIdentifier(table)] = table.schema }
    }

    /// Records that a table in the file has every column of its declaration.
    func recordReadable(_ table: any Table.Type) {
        _ = state.withLock { $0.readable.insert(ObjectIdentifier(table)) }
    }
}
