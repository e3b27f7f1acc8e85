/// The rows of a table that are in memory only, in a database of their own, for queries that find them beside those of
/// the file.
package struct RowsInMemory: Sendable {
    /// The table, without what refers to others: foreign keys and triggers.
    private let schema: TableSchema
    /// The columns that are written, quoted.
    private let columns: [String]
    private let rows: [[Value]]

    /// - Throws: ``StrongroomError`` with `notDeclared` for a table without a primary key.
    package init(of schema: TableSchema) throws {
        try schema.checkKey()
        self.init(
            schema: TableSchema(schema.name, columns: schema.columns.map(\.alone), indexes: schema.indexes),
            columns: schema.columns.filter { $0.generated == nil }.map { Identifier.quote($0.name) }, rows: [])
    }

    private init(schema: TableSchema, columns: [String], rows: [[Value]]) {
        (self.schema, self.columns, self.rows) = (schema, columns, rows)
    }

    package var isEmpty: Bool { rows.isEmpty }

    // MARK: In the database in memory

    package func createTable(in db: borrowing WriteTransaction) throws {
        for statement in try schema.creationSQL() { try db._handle.connection.run(statement) }
    }

    /// The rows as they are now.
    package func read(in db: borrowing WriteTransaction) throws -> RowsInMemory {
        let sql = "SELECT \(columns.joined(separator: ", ")) FROM \(schema.quotedName)"
        return RowsInMemory(schema: schema, columns: columns, rows: try db._handle.connection.ownRows(sql))
    }

    package func delete(_ keys: [[Value]], in db: borrowing WriteTransaction) throws {
        let sql = "DELETE FROM \(schema.quotedName) WHERE \(try isKey { _ in "?" })"
        for key in keys { try db._handle.connection.withOwnStatement(sql, key) { try $0.run() } }
    }

    // MARK: Beside the file

    /// The keys of the rows that are in the file, too.
    package func keys(alsoIn db: borrowing some Reading & ~Copyable) throws -> [[Value]] {
        let places = try schema.keyColumns().compactMap { columns.firstIndex(of: Identifier.quote($0.name)) }
        let sql = "SELECT 1 FROM main.\(schema.quotedName) WHERE \(try isKey { _ in "?" })"
        let connection = db._handle.connection
        return try rows.map { row in places.map { row[$0] } }.filter { key in
            try connection.withOwnStatement(sql, key) { try $0.step() }
        }
    }

    /// The keys of the rows for which a condition holds; inside ``Reading/withRows(_:_:)``.
    package func keys(where condition: SQL?, in db: borrowing some Reading & ~Copyable) throws -> [[Value]] {
        let keys = try schema.keyColumns().map { Identifier.quote($0.name) }.joined(separator: ", ")
        var sql = SQL(verbatim: "SELECT \(keys) FROM \(part) AS \(schema.quotedName)")
        if let condition { sql.append(" WHERE \(condition)" as SQL) }
        let statement = try db._handle.connection.statement(for: sql)
        defer { statement.finish() }
        let row = Row(statement)
        var found: [[Value]] = []
        while try statement.step() { found.append(try (0..<row.count).map { try row.value(at: $0) }) }
        return found
    }

    private static let prefix = "strongroom_memory_"

    /// The temporary table with the rows.
    private var part: String { "temp.\(Identifier.quote(Self.prefix + schema.name))" }

    /// Creates a temporary view of the table's name, which shows the rows of the file and, of these, those that the
    /// file does not have.
    fileprivate func show(on connection: Connection) throws {
        let all = try connection.columnInfos(of: schema.name).filter { !$0.isHidden }.map { Identifier.quote($0.name) }
        let beginning = "CREATE TABLE "
        guard let creation = try schema.named(Self.prefix + schema.name).creationSQL().first else { return }
        try connection.run("\(beginning)temp.\(creation.dropFirst(beginning.count))")
        let parameters = columns.map { _ in "?" }.joined(separator: ", ")
        let insert = "INSERT INTO \(part) (\(columns.joined(separator: ", "))) VALUES (\(parameters))"
        for row in rows { try connection.withOwnStatement(insert, row) { try $0.run() } }
        let own = Identifier.quote(Self.prefix + schema.name)
        let isSame = try isKey { "\(own).\($0)" }
        try connection.run(
            "DELETE FROM \(part) WHERE EXISTS (SELECT 1 FROM main.\(schema.quotedName) WHERE \(isSame))")
        let declared = Set(schema.columns.map { Identifier.quote($0.name).asciiFolded })
        let shown = all.map { declared.contains($0.asciiFolded) ? $0 : "NULL" }.joined(separator: ", ")
        let list = all.joined(separator: ", ")
        try connection.run(
            """
            CREATE TEMP VIEW \(schema.quotedName) (\(list)) AS SELECT \(list) FROM main.\(schema.quotedName) \
            UNION ALL SELECT \(shown) FROM \(part)
            """)
    }

    private func isKey(_ value: (String) -> String) throws -> String {
        try schema.keyColumns().map { Identifier.quote($0.name) }
            .map { "\(schema.quotedName).\($0) = \(value($0))" }.joined(separator: " AND ")
    }
}

extension Reading where Self: ~Copyable {
    /// Runs work whose queries find rows in memory as if they were in the tables of the file, in one order, with one
    /// limit. Only for it, the connection has them in temporary tables.
    package func withRows<T>(_ tables: [RowsInMemory], _ work: (borrowing Self) throws -> T) throws -> T {
        let connection = _handle.connection
        try connection.run("SAVEPOINT strongroom_rows")
        do {
            try connection.writingTemporaries { for table in tables { try table.show(on: connection) } }
            let result = try work(self)
            try connection.hideRows()
            return result
        } catch {
            // Otherwise they go with the transaction, which this error ends.
            try? connection.hideRows()
            throw error
        }
    }
}

extension Connection {
    fileprivate func writingTemporaries(_ work: () throws -> Void) throws {
        // What was prepared without them, or is prepared with them, is of no use afterwards.
        forgetUserStatements()
        guard role == .reader || transaction.isKeptFromWriting else { return try work() }
        try run("PRAGMA query_only = OFF")
        let result = Result(catching: work)
        try run("PRAGMA query_only = ON")
        try result.get()
    }

    fileprivate func hideRows() throws {
        forgetUserStatements()
        try run("ROLLBACK TO strongroom_rows")
        try run("RELEASE strongroom_rows")
    }
}

extension ColumnDefinition {
    /// The column without what needs other tables: foreign keys and AUTOINCREMENT.
    fileprivate var alone: ColumnDefinition {
        ColumnDefinition(
            name: name, storageClass: storageClass, declaredType: declaredType, isNullable: isNullable,
            isPrimaryKey: isPrimaryKey, isAutoincrementing: false, isUnique: isUnique, isIndexed: isIndexed,
            defaultValue: replacesNil ? defaultValue : nil, initialValue: replacesNil ? nil : defaultValue,
            references: nil, check: check, collation: collation, generated: generated, previousName: nil)
    }
}
