/// The columns by which an upsert identifies its row.
@usableFromInline
struct UpsertTarget<Source: Table>: Sendable {
    /// The columns' indices among the record's; empty for the primary key.
    @usableFromInline let indices: [Int]

    @usableFromInline var isPrimaryKey: Bool { indices.isEmpty }

    @usableFromInline static var primaryKey: UpsertTarget { UpsertTarget(indices: []) }

    @usableFromInline
    init(indices: [Int]) {
        self.indices = indices
    }

    /// - Throws: ``StrongroomError`` with `sql` for a column that the table or its record does not have.
    @usableFromInline
    init<each V>(_ columns: repeat KeyPath<Source.Columns, Column<each V>>) throws {
        let all = Source.columns
        var names: [String] = []
        repeat names.append(all[keyPath: each columns].definition.name)
        let keys = Source.schema.primaryKeys.map(\.name)
        guard !Identifier.areSame(keys, names) else {
            indices = []
            return
        }
        indices = try names.map { name in
            guard let index = Identifier.index(of: name, in: Source.RecordType.columnNames),
                Source.schema.columns.contains(where: { Identifier.areSame($0.name, name) })
            else {
                throw StrongroomError(
                    .sql, "Table \"\(Source.schema.name)\" and its record have no column \"\(name)\".")
            }
            return index
        }
    }

    /// The target of some columns, which is cached for the connection's latest upsert.
    @inlinable
    static func of<each V>(
        _ columns: repeat KeyPath<Source.Columns, Column<each V>>, on connection: Connection
    ) throws -> UpsertTarget {
        if let latest = connection.latestUpsert, latest.table == ObjectIdentifier(Source.self) {
            var index = 0
            var isSame = true
            for column in repeat each columns {
                isSame = isSame && index < latest.columns.count && latest.columns[index] === column
                index += 1
            }
            if isSame && index == latest.columns.count { return UpsertTarget(indices: latest.indices) }
        }
        let target = try UpsertTarget(repeat each columns)
        var list: [AnyKeyPath] = []
        repeat list.append(each columns)
        connection.latestUpsert = LatestUpsert(
            table: ObjectIdentifier(Source.self), columns: list, indices: target.indices)
        return target
    }

    /// The row that the columns identify: its key, and whether the columns are equal byte by byte.
    @inlinable
    func row(of record: Source.RecordType, on connection: Connection) throws -> (key: Source.Key, isSame: Bool)? {
        let key = OperationKey(Source.self, TableStatements.Operation.lookUp, indices: indices)
        let statement = try connection.statement(key) {
            try connection.prepareTable(Source.schema)
            return (try TableStatements(Source.schema, Source.RecordType.columnNames).keyByUnique(indices), [])
        }
        defer { statement.finish() }
        try record.encode(to: Bindings(statement))
        statement.dropUnsetParameters()
        for index in indices where try !statement.mayHold(index) || isNull(index, in: record) {
            throw TableFailure.missingUnique(Source.schema, Source.RecordType.columnNames[index])
        }
        guard try statement.step() else { return nil }
        let row = Row(statement)
        let isSame = try row.integer(at: Source.Key.columnCount) != 0
        let found = try Source.readKey(from: row, at: 0)
        // The columns are declared unique, but are not unique in the file: the row is ambiguous.
        guard try !statement.step() else {
            throw TableFailure.manyRows(Source.schema, indices.map { Source.RecordType.columnNames[$0] })
        }
        return (found, isSame)
    }

    /// The keys of the rows in which the columns, which need not be unique, have the record's values.
    ///
    /// - Throws: ``StrongroomError`` with `missingKey` if one of the columns is nil.
    func rows(of record: Source.RecordType, on connection: Connection) throws -> [Source.Key] {
        let key = OperationKey(Source.self, TableStatements.Operation.lookUpAll, indices: indices)
        let statement = try connection.statement(key) {
            try connection.prepareTable(Source.schema)
            return (try TableStatements(Source.schema, Source.RecordType.columnNames).keys(matching: indices), [])
        }
        defer { statement.finish() }
        try record.encode(to: Bindings(statement))
        statement.dropUnsetParameters()
        for index in indices where try !statement.mayHold(index) || isNull(index, in: record) {
            throw TableFailure.missingUnique(Source.schema, Source.RecordType.columnNames[index])
        }
        let row = Row(statement)
        var found: [Source.Key] = []
        while try statement.step() { found.append(try Source.readKey(from: row, at: 0)) }
        return found
    }

    /// Determined from the record for the columns whose values the statement does not track.
    @usableFromInline
    func isNull(_ index: Int, in record: Source.RecordType) throws -> Bool {
        try index >= UInt64.bitWidth && record.values().values[index] == .null
    }
}

/// The columns of a connection's latest upsert.
@usableFromInline
final class LatestUpsert {
    @usableFromInline let table: ObjectIdentifier
    @usableFromInline let columns: [AnyKeyPath]
    @usableFromInline let indices: [Int]

    @usableFromInline
    init(table: ObjectIdentifier, columns: [AnyKeyPath], indices: [Int]) {
        self.table = table
        self.columns = columns
        self.indices = indices
    }
}

extension Connection {
    /// How the latest upsert finds its row: what a loop of upserts is to find out once.
    @usableFromInline var latestUpsert: LatestUpsert? {
        get { attachments[LatestUpsert.self] }
        set { attachments[LatestUpsert.self] = newValue }
    }
}
