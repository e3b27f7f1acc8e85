/// The references to rows that an undoing deletes.
struct UndoneReferences {
    private struct UndoneRow: Hashable {
        let table: SQLName
        let key: [Value]
    }

    private let connection: Connection
    private let references: [DeclaredReference]
    private let histories: [SQLName: StoredHistory]
    private let deleted: Set<UndoneRow>
    private let restored: Set<UndoneRow>

    /// What a deletion would do to the rows that reference the deleted one.
    enum Effect {
        /// Nothing that is not undone anyway.
        case none
        /// Rows that the undoing restores would be deleted or changed: restore them before.
        case onRestored
        /// Rows of a table that are not undone would be deleted or changed.
        case onOthers(table: String)
    }

    /// - Parameters:
    ///   - deleted: The rows that are deleted.
    ///   - restored: The other rows that are undone.
    init(
        deleting deleted: [(history: StoredHistory, key: [Value])],
        restoring restored: [(history: StoredHistory, key: [Value])], on connection: Connection
    ) throws {
        self.connection = connection
        let acting: [DeclaredReference.Action] = [.cascade, .setNull, .setDefault]
        references = try connection.declaredReferences().filter { acting.contains($0.onDelete) }
        let all = (deleted + restored).map { (SQLName($0.history.table), $0.history) }
        histories = Dictionary(all) { first, _ in first }
        self.deleted = Set(deleted.map { UndoneRow(table: SQLName($0.history.table), key: $0.key) })
        self.restored = Set(restored.map { UndoneRow(table: SQLName($0.history.table), key: $0.key) })
    }

    func effect(ofDeleting key: [Value], from parent: StoredHistory) throws -> Effect {
        var effect = Effect.none
        for reference in references where Identifier.areSame(reference.parent, parent.table) {
            let child = SQLName(reference.child)
            for key in try children(reference, key, of: parent) {
                let row = UndoneRow(table: child, key: key)
                if histories[child] != nil, deleted.contains(row) { continue }
                guard histories[child] != nil, restored.contains(row) else { return .onOthers(table: reference.child) }
                effect = .onRestored
            }
        }
        return effect
    }

    /// The keys of the rows that reference a row; one value for a row of a table that is not undone.
    private func children(
        _ reference: DeclaredReference, _ key: [Value], of parent: StoredHistory
    ) throws -> [[Value]] {
        let columns = try reference.parentColumns.isEmpty ? primaryKey(of: parent.table) : reference.parentColumns
        let same = zip(columns, reference.columns).map {
            "parent.\(Identifier.quote($0)) = child.\(Identifier.quote($1))"
        }
        let own = parent.keyNames.enumerated().map { "parent.\(Identifier.quote($1)) = ?\($0 + 1)" }
        let keys = histories[SQLName(reference.child)]?.keyNames.map { "child.\(Identifier.quote($0))" } ?? ["1"]
        let sql = """
            SELECT \(keys.joined(separator: ", ")) FROM main.\(parent.quotedTable) AS parent \
            JOIN main.\(Identifier.quote(reference.child)) AS child ON \(same.joined(separator: " AND ")) \
            WHERE \(own.joined(separator: " AND "))\(keys == ["1"] ? " LIMIT 1" : "")
            """
        var rows: [[Value]] = []
        try connection.withOwnStatement(sql, key) { statement in
            let row = Row(statement)
            while try statement.step() { rows.append(try keys.indices.map { try row.value(at: $0) }) }
        }
        return rows
    }

    private func primaryKey(of table: String) throws -> [String] {
        try connection.columnInfos(of: table).filter { $0.keyPlace != nil }
            .sorted { ($0.keyPlace ?? 0) < ($1.keyPlace ?? 0) }.map(\.name)
    }
}
