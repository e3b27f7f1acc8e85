/// The temporary table with the in-memory records of a table, which each connection has: its columns and indexes are
/// the same.
struct MemoryTable: Sendable {
    /// The table's name.
    let name: String
    /// The temporary table's quoted name, with the schema.
    let quotedPart: String
    /// The columns that are written.
    let columns: [String]
    /// The columns that are read: also the generated ones.
    private let ownColumns: Set<SQLName>
    /// The column that is an alias of the row id, or a name of the row id that no column has.
    let rowID: String
    /// Whether ``rowID`` is one of ``columns``.
    let isRowIDWritten: Bool
    /// The statements that create the temporary table and its indexes.
    private let creation: [String]
    /// Triggers that prevent rows in the file and in memory from having the same unique values.
    private let guards: [String]
    /// Triggers that record which in-memory rows are changed.
    private let notes: [String]
    /// Queries for an in-memory row with the same unique values as a row in the file.
    private let duplicates: [(sql: String, unique: UniqueValues)]

    /// The prefix of the temporary tables' names.
    private static let prefix = "strongroom_memory_"
    /// The temporary table that records the rows changed by a transaction; no table's temporary table has this name.
    private static let logName = "`strongroom_memorychanges`"
    static let log = "temp.\(logName)"

    static func partName(of table: String) -> String { prefix + table }

    static func quotedPart(of table: String) -> String { "temp.\(Identifier.quote(partName(of: table)))" }

    init(_ schema: TableSchema) throws {
        try schema.checkKey()
        name = schema.name
        quotedPart = Self.quotedPart(of: name)
        columns = schema.columns.filter { $0.generated == nil }.map(\.name)
        ownColumns = Set(schema.columns.map { SQLName($0.name) })
        isRowIDWritten = schema.rowIDColumn != nil
        rowID = try Self.rowIDName(schema)
        let part = TableSchema(name, columns: schema.columns.map(\.inMemory), indexes: schema.indexes)
            .named(Self.prefix + name)
        var statements = try part.creationSQL()
        let beginning = "CREATE TABLE "
        statements[0] = "\(beginning)temp.\(statements[0].dropFirst(beginning.count))"
        creation = statements
        guards = try Self.uniqueTriggers(schema, part, rowID)
        notes = Self.logTriggers(name, part.quotedName, rowID)
        duplicates = try Self.duplicates(schema, part, rowID)
    }

    private static func rowIDName(_ schema: TableSchema) throws -> String {
        if let column = schema.rowIDColumn { return Identifier.quote(column.name) }
        let names = schema.columns.map(\.name)
        guard let free = ColumnInfo.rowIDNames.first(where: { Identifier.index(of: $0, in: names) == nil }) else {
            throw StrongroomError(
                .invalidDeclaration,
                """
                The columns of table "\(schema.name)" use all names of the row id, which in-memory records require; \
                keep its records in the file, or rename one of rowid, _rowid_ and oid.
                """)
        }
        return free
    }

    /// The expression that combines both tables.
    ///
    /// - Parameter all: The columns of the table in the file, some of which may not be declared.
    func expression(_ all: [String]) -> String {
        let list = all.map(Identifier.quote).joined(separator: ", ")
        let part = all.map { ownColumns.contains(SQLName($0)) ? Identifier.quote($0) : "NULL" }.joined(
            separator: ", ")
        let quoted = Identifier.quote(name)
        return "\(quoted) (\(list)) AS (SELECT \(list) FROM main.\(quoted) UNION ALL SELECT \(part) FROM \(quotedPart))"
    }

    /// Creates the temporary table.
    func make(on connection: Connection) throws {
        for statement in creation { try connection.run(statement) }
    }

    /// Creates the triggers for writing to both tables.
    ///
    /// - Parameter isLogged: Whether changes are recorded for other connections.
    func watch(on connection: Connection, isLogged: Bool) throws {
        for trigger in guards { try connection.run(trigger) }
        guard isLogged else { return }
        try connection.run("CREATE TABLE IF NOT EXISTS \(Self.log) (name TEXT NOT NULL, row INTEGER NOT NULL)")
        for trigger in notes { try connection.run(trigger) }
    }

    /// The error for an in-memory row that has a key or another unique value in common with a row in the file; nil if
    /// there is none.
    ///
    /// The triggers keep this process from writing such a row. Other processes do not know the in-memory rows.
    func duplicate(on connection: Connection) throws -> StrongroomError? {
        for duplicate in duplicates {
            guard try connection.ownValue(duplicate.sql) != nil else { continue }
            return .duplicateInMemory(name, duplicate.unique.words, duplicate.unique.columns, connection.database)
        }
        return nil
    }

    private static func duplicates(
        _ schema: TableSchema, _ part: TableSchema, _ rowID: String
    ) throws -> [(sql: String, unique: UniqueValues)] {
        try schema.uniqueValues.map { unique in
            let own = "temp.\(part.quotedName)"
            let isFound = try unique.isFound(
                in: "main.\(schema.quotedName)", as: "\(own) WHERE \(rowID) = own.\(rowID)")
            return ("SELECT 1 FROM \(own) AS own WHERE \(isFound) LIMIT 1", unique)
        }
    }

    private static func logTriggers(_ name: String, _ part: String, _ rowID: String) -> [String] {
        let table = Value.text(name).literal
        func logging(_ row: String) -> String { "INSERT INTO \(logName) VALUES (\(table), \(row).\(rowID));" }
        return [
            ("INSERT", logging("NEW")), ("UPDATE", logging("OLD") + " " + logging("NEW")), ("DELETE", logging("OLD")),
        ]
        .map { event, notes in
            let trigger = Identifier.quote("\(prefix)\(name) log \(event)")
            return "CREATE TEMP TRIGGER \(trigger) AFTER \(event) ON \(part) BEGIN \(notes) END"
        }
    }

    /// After each change: before an insert, the engine does not yet know the key that it generates, or the values of
    /// generated columns.
    private static func uniqueTriggers(_ schema: TableSchema, _ part: TableSchema, _ rowID: String) throws -> [String] {
        let main = "main.\(schema.quotedName)"
        return try [(main, "temp.\(part.quotedName)"), ("temp.\(part.quotedName)", main)].flatMap { own, other in
            try schema.uniqueValues.enumerated().flatMap { position, unique in
                let isFound = try unique.isFound(in: other, as: "\(own) WHERE \(rowID) = NEW.\(rowID)")
                let words = Value.text("UNIQUE constraint failed: \(unique.words)").literal
                return ["INSERT", "UPDATE"].map { event in
                    let trigger = Identifier.quote("\(prefix)\(schema.name) \(own == main) \(position) \(event)")
                    return """
                        CREATE TEMP TRIGGER \(trigger) AFTER \(event) ON \(own) WHEN \(isFound) \
                        BEGIN SELECT RAISE(ABORT, \(words)); END
                        """
                }
            }
        }
    }
}

/// A unique constraint: a key, a unique column or a unique index.
private struct UniqueValues {
    let parts: [IndexPart]
    let condition: SQL?
    /// The description in the engine's error message.
    let words: String
    /// The columns' names; empty for an index on expressions.
    let columns: [String]

    /// SQL that is true if a row of one table has the same values as a row of another.
    ///
    /// - Parameter row: The other table and the condition for its row.
    func isFound(in table: String, as row: String) throws -> String {
        let condition = try condition.map { "(\(try $0.literalText("index of \"\(words)\"")))" }
        let same = try parts.map { part in
            let value = try part.sql.literalText("index of \"\(words)\"")
            let collation = part.collation.map { " COLLATE \(Identifier.quote($0.name))" } ?? ""
            // A row that is not in the index has no value to compare, like NULL.
            return "(\(value))\(collation) = (SELECT \(value) FROM \(row)\(condition.map { " AND \($0)" } ?? ""))"
        }
        return
            """
            EXISTS (SELECT 1 FROM \(table) WHERE \((same + (condition.map { [$0] } ?? [])).joined(separator: " AND ")))
            """
    }
}

extension TableSchema {
    /// The unique constraints.
    fileprivate var uniqueValues: [UniqueValues] {
        func columns(_ names: [String]) -> UniqueValues {
            UniqueValues(parts: names.map { .column($0) }, condition: nil, words: words(names), columns: names)
        }
        let keys = primaryKeys.map(\.name)
        let own = self.columns.filter { $0.isUnique && [$0.name] != keys }.map { columns([$0.name]) }
        let others = indexes.filter(\.isUnique).map { index in
            let isOnColumns = index.columns.count == index.parts.count
            return UniqueValues(
                parts: index.parts, condition: index.condition,
                words: isOnColumns ? words(index.columns) : "index \(index.name(in: name))",
                columns: isOnColumns ? index.columns : [])
        }
        return [columns(keys)] + own + others
    }

    private func words(_ columns: [String]) -> String {
        columns.map { "\(name).\($0)" }.joined(separator: ", ")
    }
}

extension ColumnDefinition {
    /// The column without features that a temporary table cannot have: foreign keys and AUTOINCREMENT.
    fileprivate var inMemory: ColumnDefinition {
        ColumnDefinition(
            name: name, storageClass: storageClass, declaredType: declaredType, isNullable: isNullable,
            isPrimaryKey: isPrimaryKey, isAutoincrementing: false, isUnique: isUnique, isIndexed: isIndexed,
            defaultValue: replacesNil ? defaultValue : nil, initialValue: replacesNil ? nil : defaultValue,
            references: nil, check: check, collation: collation, generated: generated, previousName: nil)
    }
}

extension StrongroomError {
    /// The error for reading a table, or writing it by a key or a query, while an in-memory row conflicts with a row in
    /// the file.
    fileprivate static func duplicateInMemory(
        _ table: String, _ words: String, _ columns: [String], _ database: String
    ) -> StrongroomError {
        var error = StrongroomError(
            .constraint,
            """
            Another process has written a row of table "\(table)" with the same \(words) as an in-memory record, so \
            neither can be read or changed. Remove the in-memory record with `discard(_:in:)`, or change the row in \
            the file in the other process, then try again.
            """,
            database: database)
        error.constraint = ConstraintFailure(kind: .unique, table: table, columns: columns)
        return error
    }
}
