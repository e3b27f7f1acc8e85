extension Writing where Self: ~Copyable {
    /// Who makes the changes of this transaction that follow, for the tables that keep a history; nil at its beginning.
    /// If it cannot be recorded, the next change of such a table throws.
    ///
    /// ```swift
    /// db.author = "dr.house"
    /// ```
    public var author: String? {
        get { _handle.connection.transaction.authorship.author }
        nonmutating set { _handle.connection.setAuthor(newValue) }
    }

    /// Keeps the history of a table from now on, as its declaration says, or adapts an existing history to the present
    /// declaration: call it again after a step that has changed the table's columns. ``createTable(_:ifNotExists:)``
    /// and ``Migrator/automatic(tables:removingColumns:)`` do so by themselves.
    ///
    /// ```swift
    /// Migration("7") { db in try db.keepHistory(of: Patient.schema) }
    /// ```
    ///
    /// - Parameter schema: The table, with a history.
    /// - Throws: ``StrongroomError`` with `notDeclared` if the table has no history declared or no primary key,
    ///   `invalidDeclaration` if it cannot be kept as declared, `schemaChange` if another table has its name; `sql` if
    ///   there is no such table.
    public func keepHistory(of schema: TableSchema) throws {
        guard let history = try HistoryTable(schema) else {
            throw StrongroomError(
                .notDeclared,
                "Table \"\(schema.name)\" declares no history; write `history: .keep(…)` in its declaration.")
        }
        try savepoint { db in
            let connection = db._handle.connection
            try connection.run(AuthorTable.creation)
            try connection.run(PrunedHistory.creation)
            if try db.hasTable(history.name) {
                // Entries of other triggers do not say what those of the present ones would.
                if !history.continuesEntries(of: try connection.schemaEntries()) {
                    try connection.breakHistory(of: history.table.name)
                }
                try history.extend(in: db)
            } else {
                for sql in history.creation { try db.execute(SQL(verbatim: sql)) }
                try connection.continueNumbers(of: history.name)
            }
            try db.dropTriggers(of: history.table.name)
            for trigger in history.triggers { try db.execute(SQL(verbatim: trigger.sql)) }
            // Prepared again, they are known to fire the triggers.
            connection.forgetUserStatements()
        }
    }

    /// Ends the history of a table: its triggers are dropped. Transactions with changes in the history can then no
    /// longer be undone, also if the history is kept again later.
    ///
    /// - Parameters:
    ///   - table: The table's name.
    ///   - dropping: Whether the changes recorded so far are removed, too; the numbers of a later history continue.
    /// - Throws: ``StrongroomError`` with the engine's error.
    public func stopHistory(of table: String, dropping: Bool = false) throws {
        try savepoint { db in
            try db._handle.connection.breakHistory(of: table)
            try db.dropTriggers(of: table)
            if dropping { try db.dropTable(HistoryTable.name(of: table), ifExists: true) }
        }
    }

    func dropTriggers(of table: String) throws {
        for name in HistoryTable.triggerNames(of: table) { try execute("DROP TRIGGER IF EXISTS \(name: name)") }
    }
}

extension HistoryTable {
    fileprivate func extend(in db: borrowing some Writing & ~Copyable) throws {
        let connection = db._handle.connection
        guard let names = try connection.historyColumns(name, with: keys.map { Self.keyName(of: $0.name) }) else {
            throw connection.refusal(
                """
                The history of table "\(table.name)" is kept in a table "\(name)", and the file has another table with \
                that name, or the key of "\(table.name)" has changed; rename that table before. Nothing was changed.
                """)
        }
        for column in try renamed(names, in: db) where Identifier.index(of: column.name, in: names) == nil {
            try db.execute(
                SQL(verbatim: "ALTER TABLE \(quotedName) ADD COLUMN \(Identifier.quote(column.name)) \(column.sql)"))
            try fill(column.name, connection)
        }
    }

    /// Gives a new column that may not be NULL its default in earlier changes, as the table's rows have it.
    private func fill(_ oldName: String, _ connection: Connection) throws {
        guard let column = kept.first(where: { Self.oldName(of: $0.name) == oldName }), !column.isNullable,
            let value = try column.defaultValue?.get()
        else { return }
        try connection.run(
            "UPDATE main.\(quotedName) SET \(Identifier.quote(oldName)) = ? WHERE kind <> 'insert'", value)
    }

    /// Gives the previous values of renamed columns their new name.
    ///
    /// - Returns: The columns that were not renamed.
    private func renamed(
        _ names: [String], in db: borrowing some Writing & ~Copyable
    ) throws -> [(name: String, sql: String)] {
        var rest = columns
        for column in kept {
            let new = Self.oldName(of: column.name)
            guard let old = column.previousName.map(Self.oldName(of:)),
                Identifier.index(of: old, in: names) != nil, Identifier.index(of: new, in: names) == nil,
                !kept.contains(where: { Identifier.areSame(Self.oldName(of: $0.name), old) })
            else { continue }
            try db.renameColumn(old, to: new, in: name)
            rest.removeAll { $0.name == new }
        }
        return rest
    }

    func isKept(_ entries: [SchemaEntry], in connection: Connection) throws -> Bool {
        let tables = entries.filter { $0.kind == .table }.map(\.name)
        guard [AuthorTable.name, PrunedHistory.table].allSatisfy({ Identifier.index(of: $0, in: tables) != nil }),
            try connection.historyColumns(name, with: columns.map(\.name)) != nil
        else { return false }
        return areTriggers(in: entries) { $0.normalised }
    }

    /// Whether the entries of the file's triggers say what those of the declaration would. Triggers that
    /// did not record the version, or do not say which column it is, may differ: undoing does not put it back.
    fileprivate func continuesEntries(of entries: [SchemaEntry]) -> Bool {
        func unsigned(_ tokens: [SQLToken]) -> String { tokens.filter { !$0.isSign("+") }.normalised }
        return areTriggers(in: entries, unsigned) || withoutVersion?.areTriggers(in: entries, unsigned) ?? false
    }

    private func areTriggers(in entries: [SchemaEntry], _ form: ([SQLToken]) -> String) -> Bool {
        triggers.allSatisfy { trigger in
            guard
                let entry = entries.first(where: { $0.kind == .trigger && Identifier.areSame($0.name, trigger.name) })
            else { return false }
            return form(entry.tokens) == form([SQLToken](sql: trigger.sql))
        }
    }
}

/// For each history: the newest transaction that can no longer be undone, since a change was pruned or the columns have
/// another meaning; the newest change whose values have another form than the columns; the last number of a dropped
/// history; and the newest change up to which each row has at most a number of changes.
enum PrunedHistory {
    static let table = "strongroom_history"
    static let creation = """
        CREATE TABLE IF NOT EXISTS \(table) (name TEXT PRIMARY KEY NOT NULL, pruned INTEGER NOT NULL, \
        unread INTEGER NOT NULL DEFAULT 0, last INTEGER NOT NULL DEFAULT 0, counted INTEGER NOT NULL DEFAULT 0, \
        most INTEGER NOT NULL DEFAULT 0)
        """
}

extension Connection {
    /// The names of a history's columns; nil if there is no such table, or one without those of a history.
    ///
    /// - Parameter others: Further columns that it must have.
    func historyColumns(_ history: String, with others: [String] = []) throws -> [String]? {
        let columns = try columnInfos(of: history).map(\.name)
        let isHistory = (HistoryTable.ownColumns + others).allSatisfy { Identifier.index(of: $0, in: columns) != nil }
        return isHistory ? columns : nil
    }

    /// Records that the changes of a table's history can no longer be undone, since the table changes without it; does
    /// nothing for a table without one.
    ///
    /// - Parameter column: A column whose previous values have another form from now on, and are no longer read.
    func breakHistory(of table: String, unread column: String? = nil) throws {
        let name = HistoryTable.name(of: table)
        guard let columns = try historyColumns(name) else { return }
        try run(PrunedHistory.creation)
        let newest = "FROM main.\(Identifier.quote(name))"
        if case .integer(let transaction)? = try ownValue("SELECT max(transaction_id) \(newest)") {
            try raise("pruned", of: name, to: transaction)
        }
        guard let column, Identifier.index(of: HistoryTable.oldName(of: column), in: columns) != nil,
            case .integer(let change)? = try ownValue("SELECT max(change) \(newest)")
        else { return }
        try raise("unread", of: name, to: change)
    }

    /// Keeps the last number of a history that is dropped, so that a later one continues with the next; does nothing
    /// for any other table.
    func keepNumbers(of history: String) throws {
        guard try historyColumns(history, with: [HistoryTable.moved]) != nil,
            case .integer(let last)? = try ownValue(
                "SELECT seq FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE", .text(history))
        else { return }
        try run(PrunedHistory.creation)
        try raise("last", of: history, to: last)
    }

    func continueNumbers(of history: String) throws {
        let last = try number("last", of: history)
        guard last > 0 else { return }
        let own = "FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE"
        if case .integer(let present)? = try ownValue("SELECT seq \(own)", .text(history)), present >= last { return }
        try run("DELETE \(own)", .text(history))
        try run("INSERT INTO main.sqlite_sequence (name, seq) VALUES (?, ?)", .text(history), .integer(last))
    }

    /// Renames the entry of a history. A dropped history may have had the new name before: its numbers are not used
    /// again.
    func renameEntry(of history: String, to newName: String) throws {
        let last = try number("last", of: newName)
        try run("DELETE FROM \(PrunedHistory.table) WHERE name = ?", .text(newName))
        try run("UPDATE \(PrunedHistory.table) SET name = ?2 WHERE name = ?1", .text(history), .text(newName))
        try raise("last", of: newName, to: last)
    }

    /// The number of the newest change up to which no row has more than a number of changes; 0 if that is not known.
    func countedChanges(of history: String, most: Int) throws -> Int64 {
        try number("most", of: history) == Int64(most) ? number("counted", of: history) : 0
    }

    /// Records that no row has more than a number of changes, up to the present ones.
    func recordCount(of history: String, most: Int) throws {
        let newest = "(SELECT max(change) FROM main.\(Identifier.quote(history)))"
        try update(history, "counted = ifnull(\(newest), 0), most = ?2", to: Int64(most))
    }

    func raise(_ column: String, of history: String, to number: Int64) throws {
        try update(history, "\(column) = max(\(column), ?2)", to: number)
    }

    private func update(_ history: String, _ assignments: String, to number: Int64) throws {
        let table = PrunedHistory.table
        try run("INSERT OR IGNORE INTO \(table) (name, pruned) VALUES (?, 0)", .text(history))
        try run("UPDATE \(table) SET \(assignments) WHERE name = ?1", .text(history), .integer(number))
    }

    /// The number of a history in the table of ``PrunedHistory``.
    func number(_ column: String, of history: String) throws -> Int64 {
        let sql = "SELECT \(column) FROM main.\(PrunedHistory.table) WHERE name = ?"
        return try ownValue(sql, .text(history))?.asInteger ?? 0
    }
}
