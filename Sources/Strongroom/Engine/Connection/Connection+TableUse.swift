import CSQLCipher

/// Records which tables the running transaction has read and written, so that observers are notified of changes to
/// these tables only.
extension Connection {
    /// Records the tables that a statement uses; costs one comparison for a statement already recorded in this
    /// transaction.
    func recordUse(of statement: Statement) throws -> Statement {
        use.statements += 1
        if !observers.isEmpty {
            do {
                try observers.willRun(statement, isOwn: false)
            } catch {
                statement.finish()
                throw error
            }
        }
        if statement.keepsHistory { try recordAuthor(for: statement) }
        if !transaction.openRows.isEmpty {
            do {
                try copyOpenRows(beforeWritingTo: statement.tables.writes)
            } catch {
                statement.finish()
                throw error
            }
        }
        guard statement.recordedIn != transaction.number else { return statement }
        statement.recordedIn = transaction.number
        if !observers.isEmpty { observers.didUse(statement) }
        transaction.tables.writes.formUnion(statement.tables.writes)
        guard transaction.isWatchingReads else { return statement }
        do {
            transaction.tables.reads.formUnion(try reads(of: statement))
        } catch {
            statement.finish()
            throw error
        }
        return statement
    }

    private func recordAuthor(for statement: Statement) throws {
        do {
            try recordAuthor()
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
        statement.isExplained = false
        statement.areNamesKnown = false
        transaction.tables.writes.formUnion(statement.tables.writes)
        if transaction.isWatchingReads { transaction.tables.reads.formUnion(try reads(of: statement)) }
    }

    /// Runs work and returns the tables that it has read.
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
    /// read, as in `SELECT count(*)`; the statement's bytecode shows them ("The SQLite Bytecode Engine",
    /// sqlite.org/opcode.html).
    func reads(of statement: Statement) throws -> Set<String> {
        guard !Self.reportsEveryTable, !statement.isExplained else { return statement.tables.reads }
        let sql = statement.sql
        // EXPLAIN itself reads nothing.
        if [SQLToken](sql: sql).significant(after: -1)?.isWord("EXPLAIN") != true {
            statement.tables.reads.formUnion(try tablesThatAreOpened(by: sql))
        }
        statement.isExplained = true
        return statement.tables.reads
    }

    private func tablesThatAreOpened(by sql: String) throws -> Set<String> {
        var (pages, hasVirtual): (Set<Int64>, Bool) = ([], false)
        // Not cached: after a change of the schema the page numbers differ.
        let program = try trusting { try prepare("EXPLAIN \(sql)") }
        while try program.step() {
            let row = Row(program)
            switch try row.value(at: 1) {
            case .text("OpenRead"):
                // Of the main database, not of the temporary one.
                if case .integer(let page) = try row.value(at: 3), try row.value(at: 4) == .integer(0) {
                    pages.insert(page)
                }
            case .text("VOpen"): hasVirtual = true
            default: break
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

    /// Whether the engine counts the rows of a table without row ids that is emptied as a whole: SQLite 3.15.2 does
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
