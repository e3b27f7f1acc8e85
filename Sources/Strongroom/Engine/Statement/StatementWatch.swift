/// Told of a statement before it runs, and whether it is the library's own; what it throws is thrown in the statement's
/// place.
///
/// For the kit with which users test their work: it writes down what is run, and interrupts it.
package typealias StatementWatch = (_ sql: String, _ isOwn: Bool) throws -> Void

extension Reading where Self: ~Copyable {
    /// Runs work and tells of each of its statements: all that the user's code asks for, and of the library's own those
    /// that change something.
    package func watchingStatements<T>(_ watch: @escaping StatementWatch, _ work: () throws -> T) throws -> T {
        let connection = handle.connection
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

    /// Whether a statement of the library's own changes the database, and does not begin or end something or ask.
    private static func isChange(_ sql: String) -> Bool {
        let changes = ["ALTER", "CREATE", "DELETE", "DROP", "INSERT", "REPLACE", "UPDATE"]
        return changes.contains { sql.hasPrefix($0) }
    }
}
