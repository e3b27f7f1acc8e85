/// A connection's copy of the in-memory records.
///
/// The writer changes them in temporary tables, so that its transactions and savepoints apply to them; changes of a
/// transaction are published with its commit. A reader's copy follows.
final class MemoryRecords: TransactionParticipant {
    private let share: MemoryShare
    private let role: Connection.Role
    /// The version of the copy.
    private var version = 0
    /// The version before the current transaction.
    private var versionBefore = 0
    /// The tables with in-memory records.
    private var tables: [MemoryTable] = []
    /// The common table expressions that are put before statements that only read; nil without in-memory records.
    private(set) var expressions: String?
    /// Whether the current transaction has created a temporary table or applied published changes.
    private var isTouched = false
    /// The state of the file with which the in-memory rows were compared, and the version of these rows.
    private var compared: (file: Value?, version: Int)?
    /// The tables with an in-memory row that another process has also written to the file, and the error for each.
    private var duplicates: [SQLName: StrongroomError] = [:]
    /// Whether the current transaction has removed such a row from memory.
    private var hasDiscarded = false

    init(_ share: MemoryShare, _ role: Connection.Role) {
        self.share = share
        self.role = role
    }

    func nextKey() -> Int64 { share.nextKey() }

    // MARK: Transactions

    func beginSnapshot(on connection: Connection, _ begin: () throws -> Void) throws {
        guard role == .reader else { return try begin() }
        if !share.isInUse {
            try begin()
            guard share.isInUse else { return }
            // The first commit that changes in-memory records has begun, and the snapshot may or may not include it.
            connection.rollBack()
        }
        let missing = try share.snapshot(from: version, begin)
        try follow(missing, on: connection)
        try compareWithFile(on: connection)
    }

    func didBegin(on connection: Connection) throws {
        guard role == .writer, share.isInUse else { return }
        // This connection was reopened: all others were closed for a rotation.
        if version != share.version { try follow(share.catchUp(from: version), on: connection) }
        try compareWithFile(on: connection)
    }

    /// - Throws: ``StrongroomError`` with `constraint` if a statement reads a table with an in-memory row that another
    ///   process has also written to the file.
    private func checkReading(of tokens: [SQLToken]) throws {
        guard !duplicates.isEmpty else { return }
        for (table, error) in duplicates {
            // `main.table` contains only the rows in the file.
            let isNamed = tokens.indices.contains { index in
                tokens[index].name.map(SQLName.init) == table
                    && !(tokens.qualifier(of: index)?.isNamed("main") ?? false)
            }
            if isNamed { throw error }
        }
    }

    func commit(on connection: Connection, _ commit: () throws -> Void) throws {
        let changes = role == .writer && !tables.isEmpty ? try removeLoggedChanges(on: connection) : []
        if changes.isEmpty { try commit() } else { version = try share.publish(changes, tables, commit) }
        versionBefore = version
        isTouched = false
        hasDiscarded = false
    }

    func didRollBack(on connection: Connection) {
        revertDiscards(on: connection)
        guard isTouched else { return }
        // Also after a rollback to a savepoint: changes that still apply are detected again.
        version = versionBefore
        var left: [MemoryTable] = []
        for table in tables where hasPart(of: table.name, on: connection) { left.append(table) }
        tables = left
        // After a rollback to a savepoint, the rest may be rolled back, too.
        isTouched = connection.isInTransaction
        do {
            try setExpressions(on: connection)
        } catch {
            // The next statement that needs the schema reports the error.
        }
    }

    // MARK: Writer

    /// Creates the temporary table of a table, if there is none.
    func makePart(of schema: TableSchema, on connection: Connection) throws {
        guard table(schema.name) == nil else { return }
        let table = try MemoryTable(schema)
        isTouched = true
        try connection.inSavepoint {
            try table.make(on: connection)
            try table.watch(on: connection, isLogged: role == .writer)
        }
        tables.append(table)
        try setExpressions(on: connection)
    }

    func table(_ name: String) -> MemoryTable? {
        tables.first { Identifier.areSame($0.name, name) }
    }

    private func removeLoggedChanges(on connection: Connection) throws -> [MemoryShare.Change] {
        let logged = try connection.ownRows("SELECT DISTINCT name, row FROM \(MemoryTable.log)")
        guard !logged.isEmpty else { return [] }
        let changes = try logged.compactMap { entry -> MemoryShare.Change? in
            guard case .text(let name) = entry[0], case .integer(let row) = entry[1], let table = table(name) else {
                return nil
            }
            let columns = table.columns.map(Identifier.quote).joined(separator: ", ")
            let sql = "SELECT \(columns) FROM \(table.quotedPart) WHERE \(table.rowID) = ?"
            return MemoryShare.Change(table: name, row: row, values: try connection.ownRows(sql, .integer(row)).first)
        }
        try connection.run("DELETE FROM \(MemoryTable.log)")
        return changes
    }

    // MARK: Rows of other processes

    /// Compares the in-memory rows with those in the file after another connection has changed the file: other
    /// processes do not know the in-memory rows, and the triggers do not see their writes.
    private func compareWithFile(on connection: Connection) throws {
        guard !tables.isEmpty else { return }
        let file = try connection.ownValue("PRAGMA data_version")
        if let compared, compared.file == file, compared.version == version { return }
        try compareAgain(on: connection)
        compared = (file, version)
    }

    /// Called when the current transaction has removed a row from memory and kept the row in the file.
    func recordDiscard(on connection: Connection) throws {
        hasDiscarded = true
        try compareAgain(on: connection)
    }

    private func revertDiscards(on connection: Connection) {
        guard hasDiscarded else { return }
        // Outside a transaction, the next one compares.
        compared = nil
        hasDiscarded = connection.isInTransaction
        guard hasDiscarded else { return }
        do {
            try compareAgain(on: connection)
        } catch {
            // Rows that cannot be compared cannot be read either; the next statement reports the error.
        }
    }

    /// Compares the in-memory rows with those in the file.
    private func compareAgain(on connection: Connection) throws {
        var found: [SQLName: StrongroomError] = [:]
        for table in tables { found[SQLName(table.name)] = try table.duplicate(on: connection) }
        let isChanged = Set(found.keys) != Set(duplicates.keys)
        duplicates = found
        // Prepared statements must be rejected from now on, or may run again.
        if isChanged { connection.forgetUserStatements() }
    }

    /// - Throws: ``StrongroomError`` with `constraint` if an in-memory row of the table is also in the file.
    func checkDuplicates(of table: String) throws {
        if let error = duplicates[SQLName(table)] { throw error }
    }

    // MARK: Applying published changes

    private func follow(_ missing: MemoryShare.CatchUp?, on connection: Connection) throws {
        guard let missing else { return }
        isTouched = true
        do {
            if role == .reader { try connection.run("PRAGMA query_only = OFF") }
            try apply(missing, on: connection)
            if role == .reader { try connection.run("PRAGMA query_only = ON") }
            try setExpressions(on: connection)
        } catch {
            connection.rollBack()
            if role == .reader { try connection.run("PRAGMA query_only = ON") }
            throw error
        }
        version = missing.version
    }

    private func apply(_ missing: MemoryShare.CatchUp, on connection: Connection) throws {
        let made = missing.tables.filter { self.table($0.name) == nil }
        for table in made { try table.make(on: connection) }
        tables += made
        if let changes = missing.changes {
            var last: [String: [Int64: [Value]?]] = [:]
            for change in changes { last[change.table, default: [:]][change.row] = .some(change.values) }
            for (name, rows) in last {
                guard let table = table(name) else { continue }
                // Delete all rows first: a row may have taken over the unique values of another one.
                for row in rows.keys {
                    try connection.run("DELETE FROM \(table.quotedPart) WHERE \(table.rowID) = ?", .integer(row))
                }
                try insert(rows.compactMapValues { $0 }, into: table, on: connection)
            }
        } else {
            for table in tables {
                try connection.run("DELETE FROM \(table.quotedPart)")
                try insert(missing.rows[table.name] ?? [:], into: table, on: connection)
            }
        }
        guard role == .writer, !tables.isEmpty else { return }
        // After the rows: if another process has written a conflicting row, the next writer reports it.
        for table in made { try table.watch(on: connection, isLogged: true) }
        // Applied changes are not published again.
        try connection.run("DELETE FROM \(MemoryTable.log)")
    }

    private func insert(_ rows: [Int64: [Value]], into table: MemoryTable, on connection: Connection) throws {
        guard !rows.isEmpty else { return }
        let hasOwn = table.isRowIDWritten
        let names = (hasOwn ? [] : [table.rowID]) + table.columns.map(Identifier.quote)
        let parameters = names.map { _ in "?" }.joined(separator: ", ")
        let sql = "INSERT INTO \(table.quotedPart) (\(names.joined(separator: ", "))) VALUES (\(parameters))"
        try connection.withOwnStatement(sql) { statement in
            let bindings = Bindings(statement)
            for (row, values) in rows {
                statement.rewind()
                for (index, value) in ((hasOwn ? [] : [.integer(row)]) + values).enumerated() {
                    try bindings.bind(value, at: index)
                }
                try statement.run()
            }
        }
    }

    private func hasPart(of name: String, on connection: Connection) -> Bool {
        let objection = connection.trusting {
            connection.objection(to: "SELECT 1 FROM \(MemoryTable.quotedPart(of: name))")
        }
        // This does not count as a use by the user.
        _ = connection.authorizer.removeTables()
        return objection == nil
    }

    private func setExpressions(on connection: Connection) throws {
        let found = try tables.map { table in
            table.expression(try connection.columnInfos(of: table.name).filter { !$0.isHidden }.map(\.name))
        }
        let text = found.isEmpty ? nil : found.joined(separator: ", ")
        guard text != expressions else { return }
        expressions = text
        connection.statements.expansion = text.map { text in
            // The connection has both.
            ReadExpressions(text: text) { [unowned self] in try checkReading(of: $0) }.expand
        }
        connection.forgetUserStatements()
    }
}

extension Connection {
    /// Whether a table may have in-memory records.
    @usableFromInline var hasRecordsInMemory: Bool { statements.expansion != nil }

    /// The in-memory records, if the connection can have any.
    func memoryRecords() throws -> MemoryRecords {
        guard let records = participant as? MemoryRecords else {
            throw StrongroomError(
                .inMemory, "In-memory records require an open store; insert them in its `write`.",
                database: database)
        }
        return records
    }

    /// - Throws: ``StrongroomError`` with `constraint` if another process has written a row that conflicts with an
    ///   in-memory record of the table.
    @usableFromInline
    func checkDuplicatesInMemory(of table: String) throws {
        try (participant as? MemoryRecords)?.checkDuplicates(of: table)
    }

    /// A table's temporary table, if it has one; only used if ``hasRecordsInMemory`` reports that there are any.
    func memoryTable(_ name: String) -> MemoryTable? {
        (participant as? MemoryRecords)?.table(name)
    }
}
