/// Receives the statements of a connection.
protocol StatementObserver: AnyObject {
    /// Called before a statement runs: any of the user's, or of the library's own.
    func willRun(_ statement: Statement, isOwn: Bool) throws

    /// Called when a transaction first uses a statement of the user's.
    func didUse(_ statement: Statement)
}

extension StatementObserver {
    func willRun(_ statement: Statement, isOwn: Bool) {}
    func didUse(_ statement: Statement) {}
}

extension [any StatementObserver] {
    mutating func remove(_ observer: any StatementObserver) { removeAll { $0 === observer } }

    func first<Observer: StatementObserver>(_ type: Observer.Type) -> Observer? {
        for case let observer as Observer in self { return observer }
        return nil
    }

    func willRun(_ statement: Statement, isOwn: Bool) throws {
        for observer in self { try observer.willRun(statement, isOwn: isOwn) }
    }
}

/// Called before each statement, with whether it is the library's own; if it throws, the statement
/// does not run.
///
/// For the testing library, which records and interrupts statements.
package typealias StatementWatch = (_ sql: String, _ isOwn: Bool) throws -> Void

extension Reading where Self: ~Copyable {
    /// Runs work and reports its statements: all of the user's, and those of the library that change something.
    package func watchingStatements<T>(_ watch: @escaping StatementWatch, _ work: () throws -> T) throws -> T {
        let connection = _handle.connection
        let observer = WatchObserver(watch)
        connection.observers.append(observer)
        defer { connection.observers.remove(observer) }
        return try work()
    }

    /// Prepares a statement of a user's, and does not run it.
    ///
    /// - Throws: ``StrongroomError`` with `sql` or `notAuthorized`.
    package func prepare(_ sql: String) throws {
        _ = try _handle.connection.prepare(sql)
    }
}

private final class WatchObserver: StatementObserver {
    private let watch: StatementWatch

    init(_ watch: @escaping StatementWatch) { self.watch = watch }

    func willRun(_ statement: Statement, isOwn: Bool) throws {
        let sql = statement.sql
        if !isOwn || Self.isChange(sql) { try watch(sql, isOwn) }
    }

    /// Whether a statement of the library changes the database, rather than beginning or ending a transaction or
    /// reading.
    private static func isChange(_ sql: String) -> Bool {
        let changes = ["ALTER", "CREATE", "DELETE", "DROP", "INSERT", "REPLACE", "UPDATE"]
        return changes.contains { sql.hasPrefix($0) }
    }
}

/// Records the statements of a migration, as far as they do not depend on the rows that it finds.
///
/// Every statement that changes something is recorded once, regardless of its bound values, comments, whitespace and
/// quotation marks. Statements that depend on rows are not recorded: an insert, update or delete after the step has
/// read rows, and which of its statements a table's operation chose. Schema changes are always recorded, also those
/// that the library composes of several statements, which differ between engines.
final class StatementRecorder: StatementObserver {
    private(set) var lines: [String] = []
    private var seen: Set<String> = []
    private var hasReadRows = false
    /// Whether another run of the step may differ for a reason that is not in its statements.
    var isIncomparable = false

    /// Records a schema change that the library makes.
    func record(_ change: String) {
        let line = Self.withPlainDecimals(change)
        if seen.insert(line).inserted { lines.append(line) }
    }

    /// The line as recorded by versions of the library that stored only the digits of decimals, so that files migrated
    /// under such a version have the same fingerprint.
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
        // Old engines report `CREATE TABLE IF NOT EXISTS` as read-only if the table exists: the file existed before its
        // history.
        guard isSchema || !statement.isReadOnly else {
            // A step that first inspects the schema may act differently on a file that existed before its history.
            let isOfSchema = tokens.contains { $0.isNamed("sqlite_master") || $0.isNamed("pragma") }
            if isOfSchema { isIncomparable = true } else { hasReadRows = true }
            return
        }
        guard isSchema || !hasReadRows else { return }
        record(statement.isOperation ? "write \(statement.tables.writes.sorted())" : tokens.normalised)
    }
}

extension Connection {
    /// Runs work and records its statements.
    ///
    /// Statements are prepared anew: the tables that one writes depend on the schema at that time.
    func recording<T>(_ recorder: StatementRecorder, _ work: () throws -> T) rethrows -> T {
        clearStatements()
        observers.append(recorder)
        defer { observers.remove(recorder) }
        return try work()
    }

    /// The recorder of the running work; nil if there is none.
    var recorder: StatementRecorder? { observers.first(StatementRecorder.self) }

    /// Runs work whose statements are not recorded.
    func withoutRecording<T>(_ work: () throws -> T) rethrows -> T {
        guard let recorder else { return try work() }
        observers.remove(recorder)
        defer { observers.append(recorder) }
        return try work()
    }
}
