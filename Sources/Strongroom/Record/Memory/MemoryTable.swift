/// The part of a table that is in memory alone, as each connection has it: a temporary table with the same columns and indexes.
struct MemoryTable: Sendable {
    /// The table's name.
    let name: String
    /// Its temporary part's quoted name, with the schema.
    let quotedPart: String
    /// The columns that are written.
    let columns: [String]
    /// The part's column that is the row's id, or `rowid`.
    let rowID: String
    /// The part with its indexes.
    private let creation: [String]
    /// What keeps rows on the disk and rows in memory from having the same unique values.
    private let guards: [String]
    /// What notes which rows in memory are changed.
    private let notes: [String]

    /// How the parts' names begin.
    private static let prefix = "strongroom_memory_"
    /// Where the rows that a transaction has changed are noted.
    static let log = "temp.`strongroom_memory_log`"

    static func quotedPart(of table: String) -> String { "temp.\(Identifier.quote(prefix + table))" }

    init(_ schema: TableSchema) throws {
        try schema.checkKey()
        name = schema.name
        quotedPart = Self.quotedPart(of: name)
        columns = schema.columns.filter { $0.generated == nil }.map(\.name)
        rowID = schema.rowIDColumn.map { Identifier.quote($0.name) } ?? "rowid"
        let part = TableSchema(name, columns: schema.columns.map(\.inMemory), indexes: schema.indexes)
            .named(Self.prefix + name)
        var statements = try part.creationSQL()
        let beginning = "CREATE TABLE "
        statements[0] = "\(beginning)temp.\(statements[0].dropFirst(beginning.count))"
        creation = statements
        guards = Self.uniqueTriggers(schema, part)
        notes = Self.logTriggers(name, part.quotedName, rowID)
    }

    /// The expression that stands for both parts.
    ///
    /// - Parameter all: The columns of the table on the disk, of which some may not be declared.
    func expression(_ all: [String]) -> String {
        let own = Set(columns.map(\.asciiFolded))
        let list = all.map(Identifier.quote).joined(separator: ", ")
        let part = all.map { own.contains($0.asciiFolded) ? Identifier.quote($0) : "NULL" }.joined(separator: ", ")
        let quoted = Identifier.quote(name)
        return "\(quoted) (\(list)) AS (SELECT \(list) FROM main.\(quoted) UNION ALL SELECT \(part) FROM \(quotedPart))"
    }

    /// Makes the part.
    func make(on connection: Connection) throws {
        for statement in creation { try connection.run(statement) }
    }

    /// Lets the part, and the table on the disk, be written.
    ///
    /// - Parameter isNoted: Whether others want to know what is written.
    func watch(on connection: Connection, isNoted: Bool) throws {
        for trigger in guards { try connection.run(trigger) }
        guard isNoted else { return }
        try connection.run("CREATE TABLE IF NOT EXISTS \(Self.log) (name TEXT NOT NULL, row INTEGER NOT NULL)")
        for trigger in notes { try connection.run(trigger) }
    }

    private static func logTriggers(_ name: String, _ part: String, _ rowID: String) -> [String] {
        let table = Value.text(name).literal
        func note(_ row: String) -> String { "INSERT INTO `strongroom_memory_log` VALUES (\(table), \(row).\(rowID));" }
        return [("INSERT", note("NEW")), ("UPDATE", note("OLD") + " " + note("NEW")), ("DELETE", note("OLD"))]
            .map { event, notes in
                let trigger = Identifier.quote("\(prefix)\(name) log \(event)")
                return "CREATE TEMP TRIGGER \(trigger) AFTER \(event) ON \(part) BEGIN \(notes) END"
            }
    }

    /// Behind each change: before an insert the engine does not know the key yet that it makes.
    private static func uniqueTriggers(_ schema: TableSchema, _ part: TableSchema) -> [String] {
        let sets = schema.uniqueColumns
        let main = "main.\(schema.quotedName)"
        return [(main, "temp.\(part.quotedName)"), ("temp.\(part.quotedName)", main)].flatMap { own, other in
            sets.enumerated().flatMap { place, columns in
                ["INSERT", "UPDATE"].map { event in
                    let same = columns.map { "other.\(Identifier.quote($0)) = NEW.\(Identifier.quote($0))" }
                    let places = columns.map { "\(schema.name).\($0)" }.joined(separator: ", ")
                    let words = Value.text("UNIQUE constraint failed: \(places)").literal
                    let trigger = Identifier.quote("\(prefix)\(schema.name) \(own == main) \(place) \(event)")
                    return """
                        CREATE TEMP TRIGGER \(trigger) AFTER \(event) ON \(own) \
                        WHEN EXISTS (SELECT 1 FROM \(other) AS other WHERE \(same.joined(separator: " AND "))) \
                        BEGIN SELECT RAISE(ABORT, \(words)); END
                        """
                }
            }
        }
    }
}

extension TableSchema {
    /// The sets of columns in which no two rows are the same.
    fileprivate var uniqueColumns: [[String]] {
        let keys = primaryKeys.map(\.name)
        let own = columns.filter { $0.isUnique && [$0.name] != keys }.map { [$0.name] }
        let others = indexes.filter { $0.isUnique && $0.condition == nil && $0.columns.count == $0.parts.count }
        return [keys] + own + others.map(\.columns)
    }
}

extension ColumnDefinition {
    /// The column without what only a table on the disk can have: a reference to another one, and keys that never come twice.
    fileprivate var inMemory: ColumnDefinition {
        ColumnDefinition(
            name: name, storageClass: storageClass, isNullable: isNullable, isPrimaryKey: isPrimaryKey,
            isAutoincrementing: false, isUnique: isUnique, isIndexed: isIndexed, defaultValue: defaultValue,
            references: nil, check: check, collation: collation, generated: generated, previousName: nil)
    }
}
