/// The content of a database that a copy of its rows must have as well: its schema, the rows of each table, and the
/// settings in its header.
struct DatabaseSummary {
    /// The rows of a table.
    struct Rows: Equatable {
        let count: Int64
        /// The digest of all values.
        let digest: [UInt8]
    }

    /// Rows of the schema, as text, ordered by kind and name.
    let schema: [[Value]]
    /// The rows of each table with its own pages; a virtual table keeps its content in shadow tables. By the bytes of
    /// the names: `String` treats a composed and a decomposed é as equal.
    let tables: [[UInt8]: Rows]
    /// The settings in the header, by their names.
    let header: [String: Value]

    private static let settings = ["user_version", "application_id", "auto_vacuum", "encoding"]

    /// Reads all rows; to be called in a transaction.
    ///
    /// - Parameter progress: Called before each table with the number of tables read and the total; an error that it
    ///   throws ends the work.
    init(_ connection: Connection, progress: (Int, Int) throws -> Void = { _, _ in }) throws {
        schema = try connection.ownRows(
            """
            SELECT type, name, tbl_name, sql FROM main.sqlite_master WHERE \(Connection.isPortable)
            ORDER BY type, name, tbl_name
            """
        ).map { $0.map(\.exact) }
        let encoding = try connection.ownValue("PRAGMA main.encoding")?.asText
        let names = try connection.tablesWithPages()
        var tables: [[UInt8]: Rows] = [:]
        for (index, name) in names.enumerated() {
            try progress(index, names.count)
            tables[Array(name.utf8)] = try connection.withStandIns { _ in
                try connection.rows(of: name, encoding.flatMap(EncodedText.Encoding.init) ?? .utf8)
            }
        }
        self.tables = tables
        var header: [String: Value] = [:]
        for setting in Self.settings { header[setting] = try connection.ownValue("PRAGMA main.\(setting)") }
        self.header = header
    }

    /// A description of how another database differs; nil if it does not.
    func difference(to other: DatabaseSummary) -> String? {
        for (table, rows) in tables where other.tables[table] != rows {
            let name = String(decoding: table, as: UTF8.self)
            guard other.tables[table]?.count == rows.count else {
                let found = (other.tables[table]?.count ?? 0).counting("row")
                return "the table \"\(name)\" has \(found) in place of \(rows.count)"
            }
            return """
                the rows of the table "\(name)" have other values. If the database has values of another storage class \
                than their columns give them, write them anew first (`UPDATE \(Identifier.quote(name)) SET column = \
                column`)
                """
        }
        if schema != other.schema { return "the schema is another one" }
        for (setting, value) in header.sorted(by: { $0.key < $1.key }) where other.header[setting] != value {
            return "the setting \(setting) is another one"
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
