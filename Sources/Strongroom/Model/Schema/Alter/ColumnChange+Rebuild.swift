extension ColumnChange {
    /// Rebuilds the table from a changed statement, with its rows, indexes and triggers; the caller checks the views
    /// and triggers.
    ///
    /// This is the engine's recommended procedure: "ALTER TABLE", section 7, the twelve steps
    /// (sqlite.org/lang_altertable.html). Foreign keys are not enforced meanwhile: otherwise dropping the old table
    /// would delete the rows that reference it.
    ///
    /// - Parameter sources: SQL for the values of columns that are not copied unchanged.
    func replace(_ changed: CreateTableText, _ sources: [(column: String, sql: String)] = []) throws {
        let before = try DanglingRows(connection, around: table.name)
        try connection.withoutForeignKeys {
            try withLegacyRenaming { try replaceTable(changed, sources) }
        }
        let after = try comparison(since: before)
        if let sentence = after.sentence {
            throw refusal(
                """
                The change of table "\(table.name)" would leave dangling references; nothing was changed. \
                \(sentence) Correct or delete these rows, then try again.
                """)
        }
    }

    private func comparison(since before: DanglingRows) throws -> DanglingComparison {
        do {
            return try DanglingComparison(since: before, connection, around: table.name)
        } catch let error as StrongroomError where error.code == .sql {
            throw refusal(
                """
                After the change of table "\(table.name)" a foreign key could not be checked (\(error.message)); \
                nothing was changed. Keep the columns that other tables reference unique.
                """)
        }
    }

    private func replaceTable(_ changed: CreateTableText, _ sources: [(column: String, sql: String)]) throws {
        let name = Identifier.quote(table.name)
        let copy = freeName()
        let belongings = try belongings()
        let sequence = try sequenceValue()
        try connection.run(changed.sql(named: copy, insteadOf: table.name))
        try copyRows(to: copy, sources)
        try connection.run("DROP TABLE \(name)")
        try connection.run("ALTER TABLE \(Identifier.quote(copy)) RENAME TO \(name)")
        try restore(sequence)
        for entry in belongings { try connection.run(entry.creation) }
        // No trigger has run for the copied rows, whose values may have changed.
        try connection.adaptFullText(of: table.name, isFilled: false)
    }

    /// Otherwise the engine would refuse to rename the table while views and triggers refer to the missing one.
    private func withLegacyRenaming(_ body: () throws -> Void) throws {
        // An engine without the setting has the legacy behaviour.
        let before = try connection.ownValue("PRAGMA legacy_alter_table")
        try connection.run("PRAGMA legacy_alter_table = ON")
        let result = Result { try body() }
        if before == .integer(0) { try connection.run("PRAGMA legacy_alter_table = OFF") }
        try result.get()
    }

    private func freeName() -> String {
        let taken = Set(entries.map { SQLName($0.name) })
        var number = 0
        while taken.contains(SQLName("strongroom_rebuilt_\(number)")) { number += 1 }
        return "strongroom_rebuilt_\(number)"
    }

    private func belongings() throws -> [SchemaEntry] {
        let temporary = try connection.schemaEntries(temporary: true)
        return (entries + temporary).filter {
            ($0.kind == .index || $0.kind == .trigger) && Identifier.areSame($0.table, table.name)
        }
    }

    private func copyRows(to copy: String, _ sources: [(column: String, sql: String)]) throws {
        let old = try connection.columnInfos(of: table.name)
        let new = try connection.columnInfos(of: copy).filter { $0.generated == nil }
        let oldNames = old.map(\.name)
        let kept = new.filter { Identifier.index(of: $0.name, in: oldNames) != nil }
        var columns = kept.map { Identifier.quote($0.name) }
        var values = kept.map { column in
            sources.first { Identifier.areSame($0.column, column.name) }?.sql ?? Identifier.quote(column.name)
        }
        if let rowID = try rowIDName(old, new) {
            columns.insert(rowID, at: 0)
            values.insert(rowID, at: 0)
        }
        // ABORT overrides the table's own conflict clauses, which could silently skip rows; see "The ON CONFLICT
        // Clause" (sqlite.org/lang_conflict.html).
        let rows = """
            INTO \(Identifier.quote(copy)) (\(columns.joined(separator: ", "))) SELECT \
            \(values.joined(separator: ", ")) FROM \(Identifier.quote(table.name))
            """
        do {
            try connection.run("INSERT OR ABORT \(rows)")
        } catch let error as StrongroomError where error.code == .constraint {
            throw named(error, copy, try brokenRows(copy, rows, old + new))
        }
    }

    /// The error with the table's own name and with the rows at fault.
    private func named(_ error: StrongroomError, _ copy: String, _ rows: String?) -> StrongroomError {
        let message = error.message.replacing(copy, with: table.name)
        var named = StrongroomError(
            .constraint, message + (rows.map { " \($0)" } ?? ""), database: error.database,
            resultCode: error.resultCode)
        named.constraint = error.constraint.map { $0.renamed(from: copy, to: table.name) }
        return named
    }

    /// A sentence about the rows that violate a constraint of the new table: those that `INSERT OR IGNORE` skips.
    private func brokenRows(_ copy: String, _ rows: String, _ columns: [ColumnInfo]) throws -> String? {
        guard !text.isWithoutRowID, let id = columns.freeRowIDName else { return nil }
        try connection.run("INSERT OR IGNORE \(rows)")
        let left = """
            FROM \(Identifier.quote(table.name)) WHERE \(id) NOT IN (SELECT \(id) FROM \(Identifier.quote(copy)))
            """
        return try connection.rowNumbers(id, left).map { "Rows that violate it in table \"\(table.name)\": \($0)." }
    }

    /// The name by which the row ids are copied; nil if a column is the row id, if the table has none, or if columns
    /// have all of its names.
    private func rowIDName(_ old: [ColumnInfo], _ new: [ColumnInfo]) throws -> String? {
        guard !text.isWithoutRowID, try connection.rowIDColumn(of: table.name, old, text) == nil else { return nil }
        return (old + new).freeRowIDName
    }

    private func sequenceValue() throws -> SQLValue? {
        guard try connection.hasTable("sqlite_sequence") else { return nil }
        return try connection.ownValue("SELECT seq FROM main.sqlite_sequence WHERE name = ?", .text(table.name))
    }

    private func restore(_ sequence: SQLValue?) throws {
        guard let sequence else { return }
        try connection.run("DELETE FROM main.sqlite_sequence WHERE name = ?", .text(table.name))
        try connection.run("INSERT INTO main.sqlite_sequence (name, seq) VALUES (?, ?)", .text(table.name), sequence)
    }
}

extension ConstraintFailure {
    /// The constraint failure with the name of a table in place of that of its copy.
    fileprivate func renamed(from name: String, to other: String) -> ConstraintFailure {
        ConstraintFailure(
            kind: kind, table: table == name ? other : table, columns: columns, parentTable: parentTable,
            name: self.name == name ? other : self.name)
    }
}
