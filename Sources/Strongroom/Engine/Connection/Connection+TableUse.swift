import CSQLCipher

/// Records which tables the running transaction has read and written, so that observers are notified of changes to
/// these tables only.
extension Connection {
    /// Records the tables that a statement uses; costs one comparison for a statement already recorded in this
    /// transaction.
    func recordUse(of statement: Statement) throws -> Statement {
        use.statements += 1
        do {
            if !observers.isEmpty { try observers.willRun(statement, isOwn: false) }
            if statement.keepsHistory { try recordAuthor() }
            if !transaction.openRows.isEmpty { try copyOpenRows(beforeWritingTo: statement.tables.writes) }
            guard statement.recordedIn != transaction.number else { return statement }
            statement.recordedIn = transaction.number
            if !observers.isEmpty { for observer in observers { observer.didUse(statement) } }
            transaction.tables.writes.formUnion(statement.tables.writes)
            if transaction.isWatchingReads { transaction.tables.reads.formUnion(try reads(of: statement)) }
            return statement
        } catch {
            statement.finish()
            throw error
        }
    }

    /// Records the tables of a statement that the engine has prepared again at its first step, because the schema has
    /// changed.
    func recordReprepared(_ statement: Statement) throws {
        file.mayHaveOtherSchema = true
        statement.tables.formUnion(authorizer.removeTables())
        statement.updateKeepsHistory()
        statement.hasAllReads = false
        statement.areNamesKnown = false
        transaction.tables.writes.formUnion(statement.tables.writes)
        if transaction.isWatchingReads { transaction.tables.reads.formUnion(try reads(of: statement)) }
    }

    func watchingReads<T>(_ body: () throws -> T) rethrows -> (result: T, tables: Set<String>) {
        transaction.isWatchingReads = true
        defer { transaction.isWatchingReads = false }
        let result = try body()
        return (result, transaction.tables.reads)
    }

    /// Runs a part of the transaction; if it throws, the part is rolled back and its writes are not recorded.
    func forgettingWrites<T>(_ body: () throws -> T) throws -> T {
        let (before, author) = (transaction.tables, transaction.authorship)
        do {
            return try body()
        } catch {
            let hasChangedSchema = transaction.tables.changesSchema
            transaction.undoPart(before, author)
            if hasChangedSchema { forgetUserStatements() }
            throw error
        }
    }

    /// The tables that transactions committed since the last call have written.
    func removeChangedTables() -> Set<String> {
        defer { transaction.committedWrites = [] }
        return transaction.committedWrites
    }

    /// Records that the running transaction has written a table, other than by a statement.
    func recordWrite(of table: String) {
        transaction.hasUncountedWrites = true
        transaction.tables.writes.insert(TableUse.name(table))
    }

    // MARK: Engines that do not report all tables

    private static let reportsEveryTable = sqlite3_libversion_number() >= 3_019_000

    /// The tables that a statement reads. Before version 3.19 the engine does not report tables of which no column is
    /// read, as in `SELECT count(*)`: there, each table that the text names is one, and a view reads all of them.
    func reads(of statement: Statement) throws -> Set<String> {
        guard !Self.reportsEveryTable, !statement.hasAllReads else { return statement.tables.reads }
        let tokens = [SQLToken](sql: statement.sql)
        // EXPLAIN itself reads nothing.
        if tokens.significant(after: -1)?.isWord("EXPLAIN") != true {
            // The engine takes a literal for a table's name, too.
            let names = tokens.compactMap { $0.kind == .literal ? SQLToken.unquoted($0.text) : $0.name }
            let named = Set(names.map { TableUse.name($0) })
            let isOfView = try schemaNames(of: .view).contains { named.contains(TableUse.name($0)) }
            let tables = Set(try schemaNames().map { TableUse.name($0) })
            statement.tables.reads.formUnion(isOfView ? tables : tables.intersection(named))
        }
        statement.hasAllReads = true
        return statement.tables.reads
    }

    /// Whether the engine counts the rows of a table without row ids that is emptied at once: SQLite 3.15.2 does
    /// not, 3.46.1 does.
    private static let countsEveryRow = sqlite3_libversion_number() >= 3_046_000

    /// Called before a commit: records whether the transaction may have changed rows, though the engine has counted
    /// none.
    func recordUncountedWrites() throws {
        guard !Self.countsEveryRow, !transaction.tables.writes.isEmpty, totalChanges == transaction.changesBefore,
            !transaction.hasUncountedWrites
        else { return }
        let names = try schemaNames(where: "sql LIKE '%WITHOUT%ROWID%'").map { TableUse.name($0) }
        transaction.hasUncountedWrites = !transaction.tables.writes.isDisjoint(with: names)
    }
}
