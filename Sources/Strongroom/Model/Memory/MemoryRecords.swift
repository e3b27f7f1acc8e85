/// A connection's copy of the records that are in memory alone.
///
/// The writer's is where they are written, in temporary tables, so that its transactions and savepoints hold for them;
/// what a transaction has changed is published with its commit. A reader's follows.
final class MemoryRecords: TransactionParticipant {
    private let share: MemoryShare
    private let role: Connection.Role
    /// The commit that the copy is of.
    private var version = 0
    /// The one that it was of before the running transaction.
    private var versionBefore = 0
    /// The tables that have a part in memory.
    private var tables: [MemoryTable] = []
    /// What statements that only read have before them; nil when nothing is in memory.
    private(set) var expressions: String?
    /// Whether the running transaction has made a part or followed others.
    private var isTouched = false
    /// The state of the file that the rows in memory were compared with, and of those rows.
    private var compared: (file: Value?, version: Int)?
    /// The tables that have a row in memory which another process has put on the disk, too, and the error for each.
    private var duplicates: [String: StrongroomError] = [:]
    /// Whether the running transaction has removed a row from memory because of them.
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
            // The first commit that changes records in memory has begun, and the snapshot may have it or not.
            connection.rollBack()
        }
        let missing = try share.snapshot(from: version, begin)
        try follow(missing, on: connection)
        try compareWithFile(on: connection)
    }

    func didBegin(on connection: Connection) throws {
        guard role == .writer, share.isInUse else { return }
        // One that was opened anew, since all others were closed for a rotation.
        if version != share.version { try follow(share.catchUp(from: version), on: connection) }
        try compareWithFile(on: connection)
    }

    /// - Throws: ``StrongroomError`` with `constraint` when a statement names a table of which a row in memory is on
    ///   the disk, too.
    private func checkReading(of tokens: [SQLToken]) throws {
        guard !duplicates.isEmpty else { return }
        for (table, error) in duplicates {
            // `main.table` is what is on the disk alone.
            let isNamed = tokens.indices.contains { index in
                tokens[index].isNamed(table) && !(tokens.qualifier(of: index)?.isNamed("main") ?? false)
            }
            if isNamed { throw error }
        }
    }

    func commit(on connection: Connection, _ commit: () throws -> Void) throws {
        let changes = role == .writer && !tables.isEmpty ? try takeChanges(on: connection) : []
        if changes.isEmpty { try commit() } else { version = try share.publish(changes, tables, commit) }
        versionBefore = version
        isTouched = false
        hasDiscarded = false
    }

    func noteUndoing(on connection: Connection) {
        noteUndoneDiscards(on: connection)
        guard isTouched else { return }
        // Also when it was only a part of the transaction that was undone: what is there still is found.
        version = versionBefore
        var left: [MemoryTable] = []
        for table in tables where hasPart(of: table.name, on: connection) { left.append(table) }
        tables = left
        // Of a savepoint: what remains may be undone, too.
        isTouched = connection.isInTransaction
        do {
            try setExpressions(on: connection)
        } catch {
            // The next statement that needs the schema says why.
        }
    }

    // MARK: The writer's

    /// Makes a table's part in memory, if there is none.
    func makePart(of schema: TableSchema, on connection: Connection) throws {
        guard table(schema.name) == nil else { return }
        let table = try MemoryTable(schema)
        isTouched = true
        try connection.inSavepoint {
            try table.make(on: connection)
            try table.watch(on: connection, isNoted: role == .writer)
        }
        tables.append(table)
        try setExpressions(on: connection)
    }

    func table(_ name: String) -> MemoryTable? {
        tables.first { Identifier.areSame($0.name, name) }
    }

    private func takeChanges(on connection: Connection) throws -> [MemoryShare.Change] {
        let noted = try connection.ownRows("SELECT DISTINCT name, row FROM \(MemoryTable.log)")
        guard !noted.isEmpty else { return [] }
        let changes = try noted.compactMap { entry -> MemoryShare.Change? in
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

    // MARK: Rows of another process

    /// Compares the rows in memory with those on the disk where another connection has changed the file: another
    /// process does not know them, and the
    /// triggers do not see what it writes.
    private func compareWithFile(on connection: Connection) throws {
        guard !tables.isEmpty else { return }
        let file = try connection.ownValue("PRAGMA data_version")
        if let compared, compared.file == file, compared.version == version { return }
        try compareAgain(on: connection)
        compared = (file, version)
    }

    /// Called when the running transaction has removed a row from memory and left what is on the disk.
    func noteDiscard(on connection: Connection) throws {
        hasDiscarded = true
        try compareAgain(on: connection)
    }

    private func noteUndoneDiscards(on connection: Connection) {
        guard hasDiscarded else { return }
        // Outside of a transaction the next one compares.
        compared = nil
        hasDiscarded = connection.isInTransaction
        guard hasDiscarded else { return }
        do {
            try compareAgain(on: connection)
        } catch {
            // What cannot be compared cannot be read either, and the next statement says why.
        }
    }

    /// Compares the rows in memory with those on the disk.
    private func compareAgain(on connection: Connection) throws {
        var found: [String: StrongroomError] = [:]
        for table in tables { found[table.name.asciiFolded] = try table.duplicate(on: connection) }
        let isChanged = Set(found.keys) != Set(duplicates.keys)
        duplicates = found
        // What has been prepared must be refused, or may be run again.
        if isChanged { connection.forgetUserStatements() }
    }

    /// - Throws: ``StrongroomError`` with `constraint` when a row in memory of the table is on the disk, too.
    func checkDuplicates(of table: String) throws {
        if let error = duplicates[table.asciiFolded] { throw error }
    }

    // MARK: Following

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
                // All first: one row may have taken over what was another one's.
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
        // Behind the rows: another process may have written one that is like them, and that is for the next one who
        // writes to be told.
        for table in made { try table.watch(on: connection, isNoted: true) }
        // What is followed is nobody's news.
        try connection.run("DELETE FROM \(MemoryTable.log)")
    }

    private func insert(_ rows: [Int64: [Value]], into table: MemoryTable, on connection: Connection) throws {
        guard !rows.isEmpty else { return }
        let hasOwn = table.isRowIDWritten
        let names = (hasOwn ? [] : [table.rowID]) + table.columns.map(Identifier.quote)
        let places = names.map { _ in "?" }.joined(separator: ", ")
        let sql = "INSERT INTO \(table.quotedPart) (\(names.joined(separator: ", "))) VALUES (\(places))"
        try connection.withOwnStatement(sql) { statement in
            let bindings = Bindings(statement)
            for (row, values) in rows {
                statement.rewind()
                for (place, value) in ((hasOwn ? [] : [.integer(row)]) + values).enumerated() {
                    try bindings.bind(value, at: place)
                }
                try statement.run()
            }
        }
    }

    private func hasPart(of name: String, on connection: Connection) -> Bool {
        let objection = connection.trusting {
            connection.objection(to: "SELECT 1 FROM \(MemoryTable.quotedPart(of: name))")
        }
        // It is no use of the user's.
        _ = connection.authorizer.takeTables()
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
    /// Whether a table may have records that are in memory alone.
    @usableFromInline var hasRecordsInMemory: Bool { statements.expansion != nil }

    /// The records in memory, where the connection can have some.
    func memoryRecords() throws -> MemoryRecords {
        guard let records = participant as? MemoryRecords else {
            throw StrongroomError(
                .inMemory, "Records that stay in memory need an open store; insert them in its `write`.",
                database: database)
        }
        return records
    }

    /// - Throws: ``StrongroomError`` with `constraint` when another process has written a row that a record of the
    ///   table in memory stands for, too.
    @usableFromInline
    func checkDuplicatesInMemory(of table: String) throws {
        try (participant as? MemoryRecords)?.checkDuplicates(of: table)
    }

    /// A table's part in memory, if it has one; asked for where ``hasRecordsInMemory`` says that some have.
    func memoryTable(_ name: String) -> MemoryTable? {
        (participant as? MemoryRecords)?.table(name)
    }
}
