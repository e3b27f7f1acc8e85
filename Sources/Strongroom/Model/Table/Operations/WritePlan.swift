/// A rule for a connection: the columns by their indices.
@usableFromInline
struct WritePlan<Source: Table> {
    /// A rule by the primary key's columns is one by the key.
    @usableFromInline let row: WriteRule<Source>.Row
    /// The indices, among the record's columns, of those that identify the row; empty for the key.
    @usableFromInline let indices: [Int]
    /// The indices of the columns that are not written to an existing row.
    @usableFromInline let leftOut: [Int]
    /// The treatment of nil, as an operation's number.
    @usableFromInline let operation: Int
    @usableFromInline let several: SeveralRows

    /// - Throws: ``StrongroomError`` with `sql` for a column that the table or its record does not have,
    ///   `invalidArgument` for a column in `only` that the record does not have.
    @inlinable
    init(_ rule: WriteRule<Source>, on connection: Connection) throws {
        indices = try rule.first.map { try Self.indices($0, rule.rest, on: connection) } ?? []
        row = rule.first != nil && indices.isEmpty ? .key : rule.row
        leftOut = try rule.only.map(Source.indices(except:)) ?? []
        operation = rule.nils == .keep ? TableStatements.Operation.keep : TableStatements.Operation.overwrite
        several = rule.several
    }

    /// A marked record is deleted by its key, which is not that of the row that other columns identify.
    @usableFromInline
    func requireUnmarked(_ records: [Source.RecordType], _ hooks: RecordHooks<Source.RecordType>) throws {
        guard row != .key, row != .update, records.contains(where: hooks.isMarked) else { return }
        throw StrongroomError(
            .invalidRule,
            """
            A record of table "\(Source.schema.name)" is marked for deletion, which a save by `.key` or \
            `.update` does; nothing was changed. Delete it by its key, or by a condition.
            """)
    }

    /// The names of the columns that identify the row.
    @usableFromInline var names: [String] { indices.map { Source.RecordType.columnNames[$0] } }

    /// The indices of a rule's columns, which are cached for the connection's latest rule.
    @inlinable
    static func indices(
        _ first: PartialKeyPath<Source.Columns>, _ rest: [PartialKeyPath<Source.Columns>], on connection: Connection
    ) throws -> [Int] {
        if let latest = connection.latestColumns, latest.table == ObjectIdentifier(Source.self),
            latest.first === first, latest.rest.elementsEqual(rest, by: ===)
        {
            return latest.indices
        }
        let indices = try indices([first] + rest)
        connection.latestColumns = IdentifyingColumns(
            table: ObjectIdentifier(Source.self), first: first, rest: rest, indices: indices)
        return indices
    }

    /// Empty for the primary key.
    @usableFromInline
    static func indices(_ columns: [PartialKeyPath<Source.Columns>]) throws -> [Int] {
        let all = Source.columns
        let names = columns.compactMap { (all[keyPath: $0] as? any SchemaColumn)?.definition.name }
        guard !Identifier.areSame(Source.schema.primaryKeys.map(\.name), names) else { return [] }
        return try names.map { name in
            guard let index = Identifier.index(of: name, in: Source.RecordType.columnNames),
                Source.schema.columns.contains(where: { Identifier.areSame($0.name, name) })
            else {
                throw StrongroomError(
                    .sql, "Table \"\(Source.schema.name)\" and its record have no column \"\(name)\".")
            }
            return index
        }
    }

    // MARK: The row

    /// The row that unique columns identify: its key, and whether the columns are equal byte by byte.
    @inlinable
    func row(of record: Source.RecordType, on connection: Connection) throws -> (key: Source.Key, isSame: Bool)? {
        let key = OperationKey(Source.self, TableStatements.Operation.lookUp, indices: indices)
        let statement = try connection.statement(key) {
            try connection.prepareTable(Source.schema)
            return (try TableStatements(Source.schema, Source.RecordType.columnNames).keyByUnique(indices), [])
        }
        defer { statement.finish() }
        try bind(record, to: statement)
        guard try statement.step() else { return nil }
        let row = Row(statement)
        let isSame = try row.integer(at: Source.Key.columnCount) != 0
        let found = try Source.readKey(from: row, at: 0)
        // The columns are declared unique, but are not unique in the file: the row is ambiguous.
        guard try !statement.step() else { throw TableFailure.manyRows(Source.schema, names) }
        return (found, isSame)
    }

    /// The keys of the rows in which the columns have the record's values, smallest first.
    func rows(of record: Source.RecordType, on connection: Connection) throws -> [Source.Key] {
        let key = OperationKey(Source.self, TableStatements.Operation.lookUpAll, indices: indices)
        let statement = try connection.statement(key) {
            try connection.prepareTable(Source.schema)
            return (try TableStatements(Source.schema, Source.RecordType.columnNames).keys(matching: indices), [])
        }
        defer { statement.finish() }
        try bind(record, to: statement)
        let row = Row(statement)
        var found: [Source.Key] = []
        while try statement.step() { found.append(try Source.readKey(from: row, at: 0)) }
        return found
    }

    /// - Throws: ``StrongroomError`` with `missingKey` if one of the columns is nil.
    @inlinable
    func bind(_ record: Source.RecordType, to statement: Statement) throws {
        try record.encode(to: Bindings(statement))
        statement.dropUnsetParameters()
        for index in indices where try !statement.mayHold(index) || isNull(index, in: record) {
            throw TableFailure.missingUnique(Source.schema, Source.RecordType.columnNames[index])
        }
    }

    /// Determined from the record for the columns whose values the statement does not track.
    @usableFromInline
    func isNull(_ index: Int, in record: Source.RecordType) throws -> Bool {
        try index >= UInt64.bitWidth && record.values().values[index] == .null
    }
}

/// The columns of a connection's latest rule.
@usableFromInline
final class IdentifyingColumns {
    @usableFromInline let table: ObjectIdentifier
    @usableFromInline let first: AnyKeyPath
    @usableFromInline let rest: [AnyKeyPath]
    @usableFromInline let indices: [Int]

    @usableFromInline
    init(table: ObjectIdentifier, first: AnyKeyPath, rest: [AnyKeyPath], indices: [Int]) {
        self.table = table
        self.first = first
        self.rest = rest
        self.indices = indices
    }
}

extension Connection {
    /// What a loop of writes by the same columns determines once.
    @usableFromInline var latestColumns: IdentifyingColumns? {
        get { attachments[IdentifyingColumns.self] }
        set { attachments[IdentifyingColumns.self] = newValue }
    }
}
