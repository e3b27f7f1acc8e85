/// Keeps what a migration does: its statements, so far as they do not depend on the rows that it finds.
///
/// Every statement that changes something counts once, whatever its bound values, comments, spaces and quotes. What
/// depends on rows does not count: an insert, update or delete after the step has read rows, and which of its
/// statements an operation of a table chose. Changes of the schema count always, also those that the library makes up
/// of many statements, which differ from engine to engine.
final class StatementRecorder: StatementObserver {
    private(set) var lines: [String] = []
    private var seen: Set<String> = []
    private var hasReadRows = false
    /// Whether another run of the step may do otherwise for a reason that does not lie in its statements.
    var isIncomparable = false

    /// Notes a change of the schema that is the library's own.
    func note(_ change: String) {
        let line = Self.withPlainDecimals(change)
        if seen.insert(line).inserted { lines.append(line) }
    }

    /// A line as a version of the library would note it that stored the digits of decimals alone, so that files which
    /// went through a step under that version have the same fingerprint.
    private static func withPlainDecimals(_ line: String) -> String {
        let tokens = [SQLToken](sql: line).map { token in
            var plain = token
            switch token.kind {
            case .word where token.text.asciiFolded == SortedDecimal.declaredType.asciiFolded:
                plain.text = token.text == SortedDecimal.declaredType ? "TEXT" : "text"
            case .literal where token.text.hasPrefix("'p") || token.text.hasPrefix("'-n"):
                if let digits = SortedDecimal.plain(SQLToken.unquoted(token.text)) { plain.text = "'\(digits)'" }
            default: break
            }
            return plain
        }
        return tokens.sql
    }

    func didUse(_ statement: Statement) {
        let tokens = [SQLToken](sql: statement.sql).filter { $0.kind != .space }
        let isSchema = tokens.first?.isWord("CREATE", "DROP", "ALTER") ?? false
        // Old engines call `CREATE TABLE IF NOT EXISTS` read-only where the table is there: the file was, before its
        // history.
        guard isSchema || !statement.isReadOnly else {
            // What a step does that looks at the schema first may be another thing on a file that was there before its
            // history.
            let isOfSchema = tokens.contains { $0.isNamed("sqlite_master") || $0.isNamed("pragma") }
            if isOfSchema { isIncomparable = true } else { hasReadRows = true }
            return
        }
        guard isSchema || !hasReadRows else { return }
        note(statement.isOperation ? "write \(statement.tables.writes.sorted())" : tokens.normalised)
    }
}

extension Connection {
    /// Runs work and keeps what it does.
    ///
    /// The statements are prepared anew: which tables one writes depends on what there is when it is.
    func recording<T>(_ recorder: StatementRecorder, _ work: () throws -> T) rethrows -> T {
        clearStatements()
        observers.add(recorder)
        defer { observers.remove(recorder) }
        return try work()
    }

    /// What keeps the running work's statements.
    var recorder: StatementRecorder? { observers.first(StatementRecorder.self) }

    /// Runs work of which the recorder, if there is one, keeps nothing.
    func withoutRecording<T>(_ work: () throws -> T) rethrows -> T {
        guard let recorder else { return try work() }
        observers.remove(recorder)
        defer { observers.add(recorder) }
        return try work()
    }
}
