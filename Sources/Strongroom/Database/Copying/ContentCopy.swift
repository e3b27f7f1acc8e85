/// Copies a database row by row into a file that is encrypted in another way, and keeps what the engine's own export
/// does not: row ids, versions, the settings of the header.
struct ContentCopy {
    /// A connection to the file that is copied, with the target attached as `target`, in one transaction.
    private let connection: Connection

    /// Copies everything.
    ///
    /// - Parameters:
    ///   - connection: A connection that nothing else uses, outside a transaction.
    ///   - target: An empty file that was made for it.
    ///     Nothing is written before it is proved that the engine has opened this one.
    ///   - key: The key of the target; nil for plaintext.
    ///   - progress: Told how many tables are done, and of how many; what it throws ends the copying.
    ///   - whenCopied: Called in the transaction when everything has been copied.
    static func run(
        from connection: Connection, to target: PlainFile, key: DerivedKey?, progress: (Int, Int) throws -> Void,
        whenCopied: () throws -> Void = {}
    ) throws {
        try connection.attach(target, key: key)
        // Before the first table, or it has no effect. The encoding is that of the source by itself.
        if let setting = try connection.ownValue("PRAGMA main.auto_vacuum") {
            try connection.run("PRAGMA target.auto_vacuum = \(setting.number)")
        }
        try connection.run("PRAGMA target.journal_mode = OFF")
        try connection.run("PRAGMA target.synchronous = OFF")
        try connection.run("PRAGMA foreign_keys = OFF")
        // Rows that were there before a rule was.
        try connection.run("PRAGMA ignore_check_constraints = ON")
        try connection.run("PRAGMA writable_schema = ON")
        // One snapshot; the file itself is not written.
        try connection.inTransaction(.deferred) {
            try ContentCopy(connection: connection).copy(progress)
            try whenCopied()
        }
        // After a failure closing the connection does it, for which it is good alone.
        try connection.run("DETACH target")
    }

    private func copy(_ progress: (Int, Int) throws -> Void) throws {
        let tables = try names("type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite~_%' ESCAPE '~'")
        for (_, sql) in tables { try create("TABLE", sql) }
        try makeStatistics()
        for (place, table) in tables.enumerated() {
            try copyRows(table.name)
            try progress(place + 1, tables.count)
        }
        // It stays when the last table that needed it is dropped.
        if try !names("name = 'sqlite_sequence'").isEmpty, try !isInTarget("sqlite_sequence") {
            try connection.run("CREATE TABLE target.strongroom_sequence (id INTEGER PRIMARY KEY AUTOINCREMENT)")
            try connection.run("DROP TABLE target.strongroom_sequence")
        }
        // The engine's own tables are there as soon as a table that needs them is.
        for (name, _) in try names("type = 'table' AND rootpage > 0 AND name LIKE 'sqlite~_%' ESCAPE '~'") {
            guard try isInTarget(name) else { continue }
            try connection.run("DELETE FROM target.\(Identifier.quote(name))")
            try copyRows(name)
        }
        for (_, sql) in try names("type = 'index' AND sql IS NOT NULL") {
            try create(sql.hasPrefix("CREATE UNIQUE") ? "UNIQUE INDEX" : "INDEX", sql)
        }
        // Last: a trigger must not run, and a virtual table's own tables are there already.
        try connection.run(
            """
            INSERT INTO target.sqlite_master
            SELECT type, name, tbl_name, 0, sql FROM main.sqlite_master
            WHERE type IN ('view', 'trigger') OR (type = 'table' AND rootpage = 0)
            """
        )
        for setting in ["user_version", "application_id"] {
            guard let value = try connection.ownValue("PRAGMA main.\(setting)") else { continue }
            try connection.run("PRAGMA target.\(setting) = \(value.number)")
        }
    }

    private func names(_ condition: String) throws -> [(name: String, sql: String)] {
        try connection.ownRows("SELECT name, sql FROM main.sqlite_master WHERE \(condition) ORDER BY rowid").map {
            row in
            guard case .text(let name) = row[0] else { throw unreadable }
            if case .text(let sql) = row[1] { return (name, sql) }
            return (name, "")
        }
    }

    /// Runs the statement that made an object, for the target; the engine keeps it with its first words in one form.
    private func create(_ kind: String, _ sql: String) throws {
        let beginning = "CREATE \(kind) "
        guard sql.hasPrefix(beginning) else { throw unreadable }
        try connection.run(beginning + "target." + sql.dropFirst(beginning.count))
    }

    /// Makes the tables in which the engine keeps what `ANALYZE` has found, if the source has them.
    private func makeStatistics() throws {
        guard try !names("name LIKE 'sqlite~_stat%' ESCAPE '~'").isEmpty else { return }
        try connection.run("ANALYZE target")
    }

    private func isInTarget(_ table: String) throws -> Bool {
        try connection.ownValue("SELECT 1 FROM target.sqlite_master WHERE name = ?", .text(table)) != nil
    }

    private func copyRows(_ table: String) throws {
        let quoted = Identifier.quote(table)
        let columns = try connection.columnInfos(of: table)
        var list = columns.filter { $0.generated == nil }.map { Identifier.quote($0.name) }
        if let rowID = rowIDName(quoted, columns.map(\.name)) { list.insert(rowID, at: 0) }
        let text = list.joined(separator: ", ")
        try connection.run("INSERT INTO target.\(quoted) (\(text)) SELECT \(text) FROM main.\(quoted)")
    }

    /// A name of the row id that no column has; nil for a table without row ids.
    private func rowIDName(_ quoted: String, _ columns: [String]) -> String? {
        ColumnInfo.rowIDNames.first { name in
            !columns.contains { $0.isSameName(as: name) }
                && connection.objection(to: "SELECT \(name) FROM main.\(quoted)") == nil
        }
    }

    private var unreadable: StrongroomError {
        StrongroomError(
            .rotationFailed,
            """
            The schema has an entry that is not as the engine writes it, so the database cannot be copied. Look at its \
            sqlite_master; nothing was changed.
            """,
            database: connection.database
        )
    }
}

extension Connection {
    /// Opens another file under the name `target`.
    fileprivate func attach(_ file: PlainFile, key: DerivedKey?) throws {
        // With an empty key here the file is not encrypted yet; without one it would get that of the first file.
        try run("ATTACH ? AS target KEY ''", .text(file.path))
        try file.requireOpened(by: self, as: "target")
        guard let key else { return }
        try key.withUnsafeBytes { try setKey($0, of: "target") }
        try apply(key.settings, to: "target")
    }
}

extension Value {
    /// An integer as SQL has it.
    fileprivate var number: String {
        if case .integer(let number) = self { return String(number) }
        return "0"
    }
}
