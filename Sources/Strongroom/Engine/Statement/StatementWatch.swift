/// Called before each statement, with whether it is the library's own; an error that it throws is thrown in place of
/// the statement.
///
/// For the testing library, which records and interrupts statements.
package typealias StatementWatch = (_ sql: String, _ isOwn: Bool) throws -> Void

extension Reading where Self: ~Copyable {
    /// Runs work and reports its statements: all of the user's, and those of the library that change something.
    package func watchingStatements<T>(_ watch: @escaping StatementWatch, _ work: () throws -> T) throws -> T {
        let connection = _handle.connection
        let observer = WatchObserver(watch)
        connection.observers.add(observer)
        defer { connection.observers.remove(observer) }
        return try work()
    }
}

private final class WatchObserver: StatementObserver {
    private let watch: StatementWatch

    init(_ watch: @escaping StatementWatch) {
        self.watch = watch
    }

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
