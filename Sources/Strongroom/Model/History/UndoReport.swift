/// What undoing a transaction has put back, and what it could not.
public struct UndoReport: Sendable, Equatable {
    /// The number of rows that were inserted, updated or deleted, by table.
    public internal(set) var rows: [String: Int] = [:]
    /// The columns that the histories omit, by table, of the tables with such rows. They keep their present values; in
    /// a row that is inserted again they have their default or are NULL.
    public internal(set) var omittedColumns: [String: [String]] = [:]
    /// The tables without a history that reference rows which the transaction has deleted, by `ON DELETE CASCADE`,
    /// `SET NULL` or `SET DEFAULT`: their rows that were deleted or changed with them are not put back.
    public internal(set) var tablesWithoutHistory: [String] = []

    /// The number of rows that were inserted, updated or deleted.
    public var count: Int { rows.values.reduce(0, +) }
}

/// What an undoing cannot put back.
struct UndoLosses {
    /// By table.
    private(set) var omitted: [String: [String]] = [:]
    private(set) var tables: [String] = []

    /// - Parameter restored: The histories of the rows that are inserted again.
    init(_ restored: [StoredHistory], among histories: [StoredHistory], _ connection: Connection) throws {
        for history in restored where !history.others.isEmpty { omitted[history.table] = history.others }
        let acting: [DeclaredReference.Action] = [.cascade, .setNull, .setDefault]
        let references = try connection.declaredReferences().filter { acting.contains($0.onDelete) }
        let recorded = Set(histories.map { SQLName($0.table) })
        var deleted = Set(restored.map { SQLName($0.table) })
        var waiting = Array(deleted)
        while let parent = waiting.popLast() {
            for reference in references where SQLName(reference.parent) == parent {
                let child = SQLName(reference.child)
                // Of a table with a history, the deleted rows are known.
                guard !recorded.contains(child), !tables.contains(reference.child) else { continue }
                tables.append(reference.child)
                if reference.onDelete == .cascade, deleted.insert(child).inserted { waiting.append(child) }
            }
        }
        tables.sort()
    }

    /// A description for an error; nil if nothing is lost.
    var words: String? {
        let columns = omitted.sorted { $0.key < $1.key }.map { table, columns in
            "the history of table \"\(table)\" omits \(columns.map { "\"\($0)\"" }.joined(separator: ", "))"
        }
        let children = tables.map { "table \"\($0)\" has no history, and references a deleted row" }
        let all = columns + children
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }
}
