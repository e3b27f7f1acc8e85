import CSQLCipher

/// Which tables the running transaction has read and written, so that those who want to know of changes are told of no others.
extension Connection {
    /// Notes what a statement is going to do; costs a comparison for one that has been noted in this transaction.
    func note(_ statement: Statement) throws -> Statement {
        use.statements += 1
        guard statement.notedIn != transactionNumber else { return statement }
        statement.notedIn = transactionNumber
        tables.writes.formUnion(statement.tables.writes)
        guard isWatchingReads else { return statement }
        do {
            tables.reads.formUnion(try reads(of: statement))
        } catch {
            statement.finish()
            throw error
        }
        return statement
    }

    /// Notes what statements use that the engine has prepared again while they ran. What is kept of the prepared statements is out of date.
    func notePreparedAgain(_ use: TableUse) {
        tables.writes.formUnion(use.writes)
        tables.reads.formUnion(use.reads)
        hasOutdatedStatements = true
    }

    /// Ends the noting of a transaction's use; to be called before the commit.
    func finishNoting() {
        if let use = authorizer.takePreparedAgain() { notePreparedAgain(use) }
    }

    /// Drops the statements of which it is no longer known what they use; none of them is in use between transactions.
    func dropOutdatedStatements() {
        guard hasOutdatedStatements else { return }
        hasOutdatedStatements = false
        clearUserStatements()
    }

    /// Runs work and tells the tables that it has read.
    func watchingReads<T>(_ body: () throws -> T) rethrows -> (result: T, tables: Set<String>) {
        isWatchingReads = true
        defer { isWatchingReads = false }
        let result = try body()
        finishNoting()
        return (result, tables.reads)
    }

    /// Runs a part of the transaction; when it throws it is undone, and has written nothing.
    func forgettingWrites<T>(_ body: () throws -> T) throws -> T {
        let before = tables
        do {
            return try body()
        } catch {
            tables = before
            // So that the statements are noted again.
            transactionNumber += 1
            throw error
        }
    }

    /// The tables that the last committed transactions have written since this was last asked.
    func takeChangedTables() -> Set<String> {
        defer { changedTables = [] }
        return changedTables
    }

    // MARK: Engines that do not tell

    private static let tellsOfEveryTable = sqlite3_libversion_number() >= 3_019_000

    /// The tables that a statement reads. Before version 3.19 the engine does not tell of tables of which no column is read, as in
    /// `SELECT count(*)`; what it would run shows them («The SQLite Bytecode Engine», sqlite.org/opcode.html).
    private func reads(of statement: Statement) throws -> Set<String> {
        guard !Self.tellsOfEveryTable, !statement.isExplained else { return statement.tables.reads }
        statement.tables.reads.formUnion(try tablesThatAreOpened(by: statement.sql))
        statement.isExplained = true
        return statement.tables.reads
    }

    private func tablesThatAreOpened(by sql: String) throws -> Set<String> {
        var (pages, hasVirtual): (Set<Int64>, Bool) = ([], false)
        try withOwnStatement("EXPLAIN \(sql)", []) { program in
            while try program.step() {
                let row = Row(program)
                switch try row.value(at: 1) {
                case .text("OpenRead"):
                    // Of the database itself, and not of what is temporary.
                    if case .integer(let page) = try row.value(at: 3), try row.value(at: 4) == .integer(0) {
                        pages.insert(page)
                    }
                case .text("VOpen"): hasVirtual = true
                default: break
                }
            }
        }
        var names: Set<String> = []
        let entries = "SELECT tbl_name, rootpage FROM sqlite_master WHERE type IN ('table', 'index')"
        try withOwnStatement(entries, []) { statement in
            while try statement.step() {
                let row = Row(statement)
                guard case .text(let name) = try row.value(at: 0), case .integer(let page) = try row.value(at: 1) else {
                    continue
                }
                if pages.contains(page) || hasVirtual && page == 0 { names.insert(TableUse.name(name)) }
            }
        }
        return names
    }
}
