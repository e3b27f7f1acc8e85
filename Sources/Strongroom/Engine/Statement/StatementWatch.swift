/// Called before each statement, with whether it is the library's own; an error that it throws is thrown in place of
/// the statement.
///
/// For the testing library, which records and interrupts statements.
package typealias StatementWatch = (_ sql: String, _ isOwn: Bool) throws -> Void

extension Reading where Self: ~Copyable {
    /// Runs work and reports its statements: all of the user's, and those of the library that change something.
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
    /// Whether a statement of the library changes the database, rather than beginning or ending a transaction or
    /// reading.
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
