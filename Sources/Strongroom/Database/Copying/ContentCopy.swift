/// Copies a database row by row into a file with other cipher settings, and preserves what the engine's own export does
/// not: row ids, versions, the settings in the header.
struct ContentCopy {
    /// A connection to the source, with the target attached as `target`, in one transaction.
    private let connection: Connection
    /// Whether the entries of indexes are copied; otherwise the indexes are built from the rows.
    private let transfersIndexes: Bool

    /// Copies the entire content.
    ///
    /// - Parameters:
    ///   - connection: A connection in exclusive use, outside a transaction.
    ///   - target: An empty file that was created for the copy. Nothing is written before it is proved that the engine
    ///     has opened this file.
    ///   - whenCopied: Called in the transaction after everything has been copied.
    static func run<T>(
        from connection: Connection, to target: PlainFile, key: DerivedKey?, progress: (Int, Int) throws -> Void,
        whenCopied: () throws -> T
    ) throws -> T {
        try attach(target, to: connection, key: key)
        func copy(transfersIndexes: Bool) throws -> T {
            // One snapshot; the source is not written.
            try connection.inTransaction(.deferred) {
                try ContentCopy(connection: connection, transfersIndexes: transfersIndexes).copy(progress)
                return try whenCopied()
            }
        }
        let result: T
        do {
            result = try copy(transfersIndexes: true)
        } catch let failure as TransferFailure {
            // The b-tree of an index may be broken, which a copy of the rows alone does not read.
            guard failure.cause.code == .damaged, (try? connection.run("DETACH target")) != nil else {
                throw failure.cause
            }
            if key == nil { try FileSystem.overwrite(target.path) }
            try target.truncate(to: 0)
            try attach(target, to: connection, key: key)
            result = try copy(transfersIndexes: false)
        }
        // After a failure, closing the connection detaches the target; it is of no other use then.
        try connection.run("DETACH target")
        return result
    }

    private struct TransferFailure: Error {
        let cause: StrongroomError
    }

    /// Attaches the empty target with the settings for copying.
    private static func attach(_ target: PlainFile, to connection: Connection, key: DerivedKey?) throws {
        try connection.attach(target, key: key)
        // It has no effect after the first table. The encoding is that of the source by default.
        try connection.copyNumber("auto_vacuum")
        try connection.run("PRAGMA target.journal_mode = OFF")
        try connection.run("PRAGMA target.synchronous = OFF")
        try connection.run("PRAGMA foreign_keys = OFF")
        // The source may have rows that are older than a CHECK constraint.
        try connection.run("PRAGMA ignore_check_constraints = ON")
        // The entries of views, triggers and virtual tables, and the shadow tables of these, are copied.
        connection.setDefensive(false)
        try connection.run("PRAGMA writable_schema = ON")
    }

    private func copy(_ progress: (Int, Int) throws -> Void) throws {
        let tables = try names("type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite~_%' ESCAPE '~'")
        var standIns: [MissingName] = []
        defer { for missing in standIns { connection.setStandIn(for: missing, isInstalled: false) } }
        for (name, sql) in tables { try createTable(name, sql, &standIns) }
        // Creates the tables for the results.
        if try !names("name LIKE 'sqlite~_stat%' ESCAPE '~'").isEmpty { try connection.run("ANALYZE target") }
        var indexes = try indexesOfStatements()
        for (index, table) in tables.enumerated() {
            // With a stand-in for a collation, entries would get into a wrong order.
            if try transfersIndexes && standIns.isEmpty && keepsRowIDs(table.name) {
                for index in indexes[SQLName(table.name)] ?? [] { try createIndex(index) }
                indexes[SQLName(table.name)] = nil
                try transferRecords(table.name)
            } else {
                try copyRows(table.name)
            }
            try progress(index + 1, tables.count)
        }
        // The source keeps it when the last AUTOINCREMENT table is dropped.
        if try connection.hasTable("sqlite_sequence"), try !connection.hasTable("sqlite_sequence", in: "target") {
            try connection.run("CREATE TABLE target.strongroom_sequence (id INTEGER PRIMARY KEY AUTOINCREMENT)")
            try connection.run("DROP TABLE target.strongroom_sequence")
        }
        // The engine creates its own tables together with the first table that needs them.
        for (name, _) in try names("type = 'table' AND rootpage > 0 AND name LIKE 'sqlite~_%' ESCAPE '~'") {
            guard try connection.hasTable(name, in: "target") else { continue }
            try connection.run("DELETE FROM target.\(Identifier.quote(name))")
            try copyRows(name)
        }
        for missing in standIns { connection.setStandIn(for: missing, isInstalled: false) }
        standIns = []
        for table in tables {
            for index in indexes[SQLName(table.name)] ?? [] { try createIndex(index) }
        }
        // Last, because triggers must not fire, and because the shadow tables of virtual tables exist already.
        try connection.run(
            """
            INSERT INTO target.sqlite_master
            SELECT type, name, tbl_name, 0, sql FROM main.sqlite_master
            WHERE type IN ('view', 'trigger') OR (type = 'table' AND rootpage = 0)
            """
        )
        for setting in ["user_version", "application_id"] { try connection.copyNumber(setting) }
    }

    private func names(_ condition: String) throws -> [(name: String, sql: String)] {
        try connection.ownRows("SELECT name, sql FROM main.sqlite_master WHERE \(condition) ORDER BY rowid").map {
            row in
            guard case .text(let name) = row[0] else { throw unreadable }
            if case .text(let sql) = row[1] { return (name, sql) }
            return (name, "")
        }
    }

    /// Runs an object's CREATE statement for the target; the engine stores its first keywords in a normalized form.
    private func create(_ kind: String, _ sql: String) throws {
        let beginning = "CREATE \(kind) "
        guard sql.hasPrefix(beginning) else { throw unreadable }
        try connection.run(beginning + "target." + sql.dropFirst(beginning.count))
    }

    /// Creates a table. Functions of its checks and collations of its columns may be missing, as long as nothing that
    /// is stored depends on them: checks are not evaluated for the rows of the source.
    private func createTable(_ name: String, _ sql: String, _ standIns: inout [MissingName]) throws {
        do {
            try create("TABLE", sql)
        } catch let error as StrongroomError {
            guard let missing = error.missing, !standIns.contains(missing), try !isStored(missing, in: name),
                connection.setStandIn(for: missing, isInstalled: true)
            else { throw error }
            standIns.append(missing)
            try createTable(name, sql, &standIns)
        }
    }

    /// Whether computed columns, or the order of the table's own b-trees, may depend on a function or a collation.
    private func isStored(_ missing: MissingName, in table: String) throws -> Bool {
        let quoted = Identifier.quote(table)
        let columns = try connection.columnInfos(of: table)
        switch missing.kind {
        case .function: return columns.contains { $0.generated != nil }
        case .collation:
            guard try connection.rowIDName(of: table) != nil else { return true }
            return try connection.ownRows("PRAGMA main.index_list(\(quoted))").contains { index in
                let name = Identifier.quote(index[1].asText ?? "")
                return try connection.ownRows("PRAGMA main.index_xinfo(\(name))").contains {
                    $0[4].asText?.isSameName(as: missing.name) ?? false
                }
            }
        }
    }

    /// The statements that created the indexes, by their tables, in their order.
    private func indexesOfStatements() throws -> [SQLName: [String]] {
        var statements: [SQLName: [String]] = [:]
        let rows = try connection.ownRows(
            "SELECT tbl_name, sql FROM main.sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid")
        for row in rows {
            guard case .text(let table) = row[0], case .text(let sql) = row[1] else { throw unreadable }
            statements[SQLName(table), default: []].append(sql)
        }
        return statements
    }

    private func createIndex(_ sql: String) throws {
        try create(sql.hasPrefix("CREATE UNIQUE") ? "UNIQUE INDEX" : "INDEX", sql)
    }

    /// Copies the records of a table and the entries of its indexes as they are stored, each in its own order, which
    /// the engine does between two tables with the same definition. To build an index afterwards takes longer, since
    /// its entries are sorted.
    ///
    /// See the comment of `xferOptimization` in SQLite's insert.c.
    private func transferRecords(_ table: String) throws {
        let quoted = Identifier.quote(table)
        let statement = "INSERT INTO target.\(quoted) SELECT * FROM main.\(quoted)"
        let instructions = try connection.ownRows("EXPLAIN \(statement)").compactMap { $0[1].asText }
        guard !Self.recordInstructions.isDisjoint(with: instructions) else { return try copyRows(table) }
        do {
            try connection.run(statement)
        } catch let error as StrongroomError {
            throw TransferFailure(cause: error)
        }
    }

    /// The engine's instructions for reading an entire record: of a table, of a table since 3.36, of an index until
    /// 3.18.
    private static let recordInstructions: Set = ["RowData", "RowCell", "RowKey"]

    /// Whether a table has the same row ids in a transfer of its records: they are its key, it has none, or it has an
    /// index.
    private func keepsRowIDs(_ table: String) throws -> Bool {
        let columns = try connection.columnInfos(of: table)
        guard columns.allSatisfy({ $0.generated == nil }) else { return false }
        // An INTEGER PRIMARY KEY is the only key without an index.
        return try columns.contains { $0.keyPosition != nil }
            || connection.rowIDName(of: table) == nil
            || !connection.indexFacts(of: table).isEmpty
    }

    private func copyRows(_ table: String) throws {
        let quoted = Identifier.quote(table)
        let columns = try connection.storedColumns(of: table)
        try connection.run("INSERT INTO target.\(quoted) (\(columns)) SELECT \(columns) FROM main.\(quoted)")
    }

    private var unreadable: StrongroomError {
        StrongroomError(
            .damaged,
            """
            The schema has an entry that is not as the engine writes it, so the database cannot be copied. Check its \
            sqlite_master; nothing was changed.
            """,
            database: connection.database
        )
    }
}

extension Connection {
    fileprivate func attach(_ file: PlainFile, key: DerivedKey?) throws {
        // An empty key opens the file unencrypted; without one it would get the key of the main database.
        try run("ATTACH ? AS target KEY ''", .text(file.path))
        try file.requireOpened(by: self, as: "target")
        guard let key else { return }
        try key.withUnsafeBytes { try setKey($0, of: "target") }
        try apply(key.settings, to: "target")
    }

    fileprivate func copyNumber(_ setting: String) throws {
        try run("PRAGMA target.\(setting) = \(ownNumber("PRAGMA main.\(setting)"))")
    }
}

/// The content of a database that a copy of its rows must have as well: its schema, the rows of each table, and the
/// settings in its header.
struct DatabaseSummary {
    struct Rows: Equatable {
        let count: Int64
        let digest: [UInt8]
    }

    /// Rows of the schema, as text, ordered by kind and name.
    let schema: [[SQLValue]]
    /// The rows of each table with its own pages; a virtual table keeps its content in shadow tables. By the bytes of
    /// the names: `String` treats a composed and a decomposed é as equal.
    let tables: [[UInt8]: Rows]
    let header: [String: SQLValue]

    private static let settings = ["user_version", "application_id", "auto_vacuum", "encoding"]

    /// Reads all rows; to be called in a transaction.
    init(_ connection: Connection, checkCancellation: () throws -> Void) throws {
        schema = try connection.ownRows(
            """
            SELECT type, name, tbl_name, sql FROM main.sqlite_master WHERE \(Connection.isPortable)
            ORDER BY type, name, tbl_name
            """
        ).map { $0.map(\.exact) }
        let encoding = try connection.ownValue("PRAGMA main.encoding")?.asText
        var tables: [[UInt8]: Rows] = [:]
        for name in try connection.tablesWithPages() {
            try checkCancellation()
            tables[Array(name.utf8)] = try connection.withStandIns { _ in
                try connection.rows(of: name, encoding.flatMap(EncodedText.Encoding.init) ?? .utf8)
            }
        }
        self.tables = tables
        var header: [String: SQLValue] = [:]
        for setting in Self.settings { header[setting] = try connection.ownValue("PRAGMA main.\(setting)") }
        self.header = header
    }

    /// A description of how another database differs; nil if it does not.
    func difference(to other: DatabaseSummary) -> String? {
        for (table, rows) in tables where other.tables[table] != rows {
            let name = String(decoding: table, as: UTF8.self)
            guard other.tables[table]?.count == rows.count else {
                let found = (other.tables[table]?.count ?? 0).counting("row")
                return "the table \"\(name)\" has \(found) instead of \(rows.count)"
            }
            return """
                the rows of the table "\(name)" have other values. If the database has values of another storage class \
                than their columns give them, write them anew first (`UPDATE \(Identifier.quote(name)) SET column = \
                column`)
                """
        }
        if schema != other.schema { return "the schema differs" }
        for (setting, value) in header.sorted(by: { $0.key < $1.key }) where other.header[setting] != value {
            return "the setting \(setting) differs"
        }
        return tables.count == other.tables.count ? nil : "there are more tables"
    }
}

extension Connection {
    /// The condition for the schema's entries that a copy must have: the results of `ANALYZE` depend on the engine's
    /// build options.
    fileprivate static let isPortable = "name NOT LIKE 'sqlite~_stat%' ESCAPE '~'"

    /// The tables of `main` that have pages of their own.
    fileprivate func tablesWithPages() throws -> [String] {
        try schemaNames(where: "rootpage > 0 AND \(Self.isPortable)")
    }

    /// Reads the rows in the order of the table's own b-tree, not of an index.
    fileprivate func rows(of table: String, _ encoding: EncodedText.Encoding) throws -> DatabaseSummary.Rows {
        let digest = PartwiseDigest()
        let bytes = RowBytes(encoding) { digest.update($0) }
        let query = "SELECT \(try storedColumns(of: table)) FROM main.\(Identifier.quote(table)) NOT INDEXED"
        try withOwnStatement(query) { statement in
            while try statement.step() { bytes.add(statement) }
        }
        bytes.flush()
        return DatabaseSummary.Rows(count: bytes.rows, digest: digest.finish())
    }

    /// The number of rows of each table of `main` that has pages of its own.
    func rowCounts() throws -> [Int64] {
        try tablesWithPages().map { table in
            // The engine may count the entries of an index, whose order it does not need.
            try withStandIns { _ in try ownNumber("SELECT count(*) FROM main.\(Identifier.quote(table))") }
        }
    }
}

extension Connection {
    /// The columns of a table of `main` that a copy of its rows needs, as SQL: the row id if it has a name, and all
    /// columns that are not generated.
    func storedColumns(of table: String) throws -> String {
        var list = try columnInfos(of: table).filter { $0.generated == nil }.map { Identifier.quote($0.name) }
        if let rowID = try rowIDName(of: table) { list.insert(rowID, at: 0) }
        return list.joined(separator: ", ")
    }
}
