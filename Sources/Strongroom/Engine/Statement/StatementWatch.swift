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
        let outer = connection.watch
        connection.watch = { sql, isOwn in
            try outer?(sql, isOwn)
            try watch(sql, isOwn)
        }
        defer { connection.watch = outer }
        return try work()
    }
}

extension Connection {
    /// Whether a statement of the library's own changes the database, and does not begin or end something or ask.
    static func isChange(_ sql: String) -> Bool {
        let changes = ["ALTER", "CREATE", "DELETE", "DROP", "INSERT", "REPLACE", "UPDATE"]
        return changes.contains { sql.hasPrefix($0) }
    }

    func tell(_ watch: StatementWatch, of statement: Statement) throws {
        do {
            try watch(statement.sql, false)
        } catch {
            statement.finish()
            throw error
        }
    }
}
