/// Which tables the running transaction has read and written, so that those who want to know of changes are told of no others.
extension Connection {
    /// Notes what a statement is going to do; costs a comparison for one that has been noted in this transaction.
    func note(_ statement: Statement) -> Statement {
        guard statement.notedIn != transactionNumber else { return statement }
        statement.notedIn = transactionNumber
        tables.writes.formUnion(statement.tables.writes)
        if isWatchingReads { tables.reads.formUnion(statement.tables.reads) }
        return statement
    }

    /// Runs work and tells the tables that it has read.
    func watchingReads<T>(_ body: () throws -> T) rethrows -> (result: T, tables: Set<String>) {
        isWatchingReads = true
        defer { isWatchingReads = false }
        let result = try body()
        return (result, tables.reads)
    }

    /// The tables that the last committed transactions have written since this was last asked.
    func takeChangedTables() -> Set<String> {
        defer { changedTables = [] }
        return changedTables
    }
}
