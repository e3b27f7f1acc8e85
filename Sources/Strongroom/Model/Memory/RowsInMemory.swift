/// The rows of a table that are in memory only, in a database of their own, for queries that find them beside those of
/// the file.
package struct RowsInMemory: Sendable {
    /// The table, without what refers to others: foreign keys and triggers.
    private let schema: TableSchema
    /// The columns that are written, quoted.
    private let columns: [String]
    private let rows: [[SQLValue]]

    /// - Throws: ``StrongroomError`` with `notDeclared` for a table without a primary key.
    package init(of schema: TableSchema) throws {
        try schema.checkKey()
        self.init(schema.changingColumns { $0.alone(isNullable: $0.isNullable) }, rows: [])
    }

    private init(_ schema: TableSchema, rows: [[SQLValue]]) {
        (self.schema, self.rows) = (schema, rows)
        columns = schema.columns.filter { $0.generated == nil }.map { Identifier.quote($0.name) }
    }

    package var isEmpty: Bool { rows.isEmpty }

    /// The name of a table as the engine compares it: types can spell it differently.
    package static func name(of schema: TableSchema) -> String { schema.name.asciiFolded }

    // MARK: In the database in memory

    /// Creates the table with its rows; replaces an existing one.
    package func createTable(in db: borrowing WriteTransaction) throws {
        let connection = db._handle.connection
        try connection.run("DROP TABLE IF EXISTS \(schema.quotedName)")
        for statement in try schema.creationSQL(ifNotExists: true) { try connection.run(statement) }
        try insert(into: schema.quotedName, on: connection)
    }

    /// The table with the columns and indexes of another type's declaration, too; nil if it has them.
    package func table(for other: TableSchema, in db: borrowing WriteTransaction) throws -> RowsInMemory? {
        let added = other.columns.filter { column in
            !schema.columns.contains { Identifier.areSame($0.name, column.name) }
        }
        guard !added.isEmpty else { return nil }
        let both = RowsInMemory(
            TableSchema(
                schema.name, columns: schema.columns + added.map { $0.alone(isNullable: true) },
                indexes: schema.indexes + other.indexes),
            rows: [])
        try both.createTable(in: db)
        try insert(into: schema.quotedName, on: db._handle.connection)
        return try both.read(in: db)
    }

    private func insert(into table: String, on connection: Connection) throws {
        let parameters = columns.map { _ in "?" }.joined(separator: ", ")
        let insert = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(parameters))"
        for row in rows { try connection.withOwnStatement(insert, row) { try $0.run() } }
    }

    package func read(in db: borrowing WriteTransaction) throws -> RowsInMemory {
        let sql = "SELECT \(columns.joined(separator: ", ")) FROM \(schema.quotedName)"
        return RowsInMemory(schema, rows: try db._handle.connection.ownRows(sql))
    }

    // MARK: Beside the file

    package static func keys<Source: Table>(
        of records: [Source.RecordType], in table: Source.Type
    ) throws -> [[SQLValue]] {
        try records.compactMap(Source.key(of:)).map { try Source.plainValues(of: $0) }
    }

    /// Those of some keys, or without any those of all rows, that are in the file, too.
    package func keys(_ keys: [[SQLValue]]?, alsoIn db: borrowing some Reading & ~Copyable) throws -> [[SQLValue]] {
        let indices = try schema.keyColumns().compactMap { columns.firstIndex(of: Identifier.quote($0.name)) }
        let sql = "SELECT 1 FROM main.\(schema.quotedName) WHERE \(try schema.isKey { _ in "?" })"
        let connection = db._handle.connection
        return try (keys ?? rows.map { row in indices.map { row[$0] } }).filter { key in
            try connection.withOwnStatement(sql, key) { try $0.step() }
        }
    }

    package func delete(_ keys: [[SQLValue]], in db: borrowing WriteTransaction) throws {
        let sql = "DELETE FROM \(schema.quotedName) WHERE \(try schema.isKey { _ in "?" })"
        for key in keys { try db._handle.connection.withOwnStatement(sql, key) { try $0.run() } }
    }

    fileprivate static let prefix = "strongroom_memory_"

    /// Creates a temporary view of the table's name, which shows the rows of the file and, of these, those that the
    /// file does not have.
    fileprivate func show(on connection: Connection) throws {
        let all = try connection.columnInfos(of: schema.name, in: "main")
            .filter { !$0.isHidden }.map { Identifier.quote($0.name) }
        let beginning = "CREATE TABLE "
        // What qualifies a column by the table's name would not find it.
        let part = schema.changingColumns({ $0.unchecked })
        guard let text = try part.creationSQL().first.flatMap({ CreateTableText($0) }) else { return }
        let creation = text.sql(named: Self.prefix + schema.name, insteadOf: schema.name)
        try connection.run("\(beginning)temp.\(creation.dropFirst(beginning.count))")
        let table = schema.partInMemory
        try insert(into: table, on: connection)
        let own = Identifier.quote(Self.prefix + schema.name)
        let isSame = try schema.isKey { "\(own).\($0)" }
        try connection.run(
            "DELETE FROM \(table) WHERE EXISTS (SELECT 1 FROM main.\(schema.quotedName) WHERE \(isSame))")
        let declared = Set(schema.columns.map { Identifier.quote($0.name).asciiFolded })
        let shown = all.map { declared.contains($0.asciiFolded) ? $0 : "NULL" }.joined(separator: ", ")
        let list = all.joined(separator: ", ")
        try connection.run(
            """
            CREATE TEMP VIEW \(schema.quotedName) (\(list)) AS SELECT \(list) FROM main.\(schema.quotedName) \
            UNION ALL SELECT \(shown) FROM \(table)
            """)
    }
}

extension TableSchema {
    fileprivate func changingColumns(_ change: (ColumnDefinition) -> ColumnDefinition) -> TableSchema {
        TableSchema(name, columns: columns.map(change), indexes: indexes)
    }

    fileprivate var partInMemory: String { "temp.\(Identifier.quote(RowsInMemory.prefix + name))" }

    fileprivate func isKey(_ value: (String) -> String) throws -> String {
        try keyColumns().map { Identifier.quote($0.name) }
            .map { "\(quotedName).\($0) = \(value($0))" }.joined(separator: " AND ")
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

extension WriteTransaction {
    /// What identifies the rows of the file, or of the memory, that match a condition; inside
    /// ``Reading/withRows(_:_:)``, so that its subqueries find the rows of both.
    package func identities<Source: Table>(of query: Query<Source>, inMemory: Bool) throws -> [[SQLValue]] {
        let schema = Source.schema
        try _handle.connection.prepareTable(schema)
        let names = try schema.identityNames().joined(separator: ", ")
        let table = inMemory ? schema.partInMemory : "main.\(schema.quotedName)"
        var sql = SQL(verbatim: "SELECT \(names) FROM \(table) AS \(schema.quotedName)")
        if let condition = query.condition { sql.append(" WHERE \(condition.sql)" as SQL) }
        let statement = try _handle.connection.statement(for: sql)
        defer { statement.finish() }
        let row = Row(statement)
        var found: [[SQLValue]] = []
        while try statement.step() { found.append(try (0..<row.count).map { try row.value(at: $0) }) }
        return found
    }

    /// Deletes the rows of a table by what identifies them.
    ///
    /// - Throws: ``StrongroomError`` with `missingKey` if nothing identifies one of them, `tableDiffers` if several
    ///   rows of the file's table can have one key.
    package func delete(_ identities: [[SQLValue]], of schema: TableSchema) throws -> Int {
        guard !identities.isEmpty else { return 0 }
        guard !identities.joined().contains(.null) else {
            throw _handle.connection.failure(
                .missingKey,
                """
                A row of table "\(schema.name)" has NULL in its key, and is not deleted by a condition while objects \
                are in memory. Delete it in a `write` of the store.
                """)
        }
        try _handle.connection.requireUniqueKey(of: schema)
        let names = try schema.identityNames()
        let deletion = "DELETE FROM \(schema.quotedName) WHERE "
        if names.count == 1 {
            // In one statement: one row may refer to another.
            var sql = SQL(verbatim: "\(deletion)\(names[0]) IN ")
            sql.append("(\(SQL(listing: identities.map { $0[0] })))" as SQL)
            return try execute(sql)
        }
        let isRow = names.map { "\($0) = ?" }.joined(separator: " AND ")
        var count = 0
        for values in identities { count += try execute(SQL(verbatim: deletion + isRow, values)) }
        return count
    }
}

extension TableSchema {
    fileprivate func identityNames() throws -> [String] {
        hasKey ? try keyColumns().map { Identifier.quote($0.name) } : ["rowid"]
    }
}

extension Connection {
    fileprivate func writingTemporaries(_ work: () throws -> Void) throws {
        // What was prepared without them, or is prepared with them, is of no use afterwards.
        forgetUserStatements()
        guard role == .reader || transaction.isKeptFromWriting else { return try work() }
        try run("PRAGMA query_only = OFF")
        let result = Result(catching: work)
        do {
            try run("PRAGMA query_only = ON")
        } catch {
            // An interrupt ends one statement.
            transaction.isStuckWritable = role == .reader
            try run("PRAGMA query_only = ON")
            transaction.isStuckWritable = false
        }
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
    fileprivate func alone(isNullable: Bool) -> ColumnDefinition {
        ColumnDefinition(
            name: name, storageClass: storageClass, declaredType: declaredType, isNullable: isNullable,
            isPrimaryKey: isPrimaryKey, isUnique: isUnique, isIndexed: isIndexed,
            defaultValue: replacesNil ? defaultValue : nil, initialValue: replacesNil ? nil : defaultValue,
            check: check, collation: collation, generated: generated)
    }

    /// The column for rows that were checked where they were written.
    fileprivate var unchecked: ColumnDefinition {
        ColumnDefinition(
            name: name, storageClass: storageClass, declaredType: declaredType, isNullable: true,
            isPrimaryKey: isPrimaryKey, collation: collation, generated: generated)
    }
}
