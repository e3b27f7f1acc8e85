/// How an upsert treats a column whose value in the record is nil.
public enum NilPolicy: Sendable, Hashable {
    /// The row's value becomes NULL.
    case overwrite
    /// The row's value is kept.
    case keep
}

/// What an upsert by columns that are not unique does when they identify several rows.
public enum SeveralRows: Sendable, Hashable {
    /// It throws `notUnique`, and changes nothing.
    case refuse
    /// It updates all of them.
    case updateAll
}

/// The row that an `upsert` or a `save` writes, and the columns that it writes in a row that exists.
///
/// ```swift
/// try Contact.upsert(contact, .by(\.email, nils: .keep), in: db)
/// try Contact.upsert(contact, .by(\.email, only: { [$0.name, $0.phone] }), in: db)
/// try Contact.upsert(contact, .matching(\.name, several: .updateAll), in: db)
/// try Contact.save(&contact, .insert, in: db)
/// ```
///
/// A new row gets the whole record, with the columns' defaults in place of nil. In an existing row:
///
/// - `nils` is the treatment of a nil in the record, or of a null in JSON.
/// - `only` returns the columns that are written; nil for all of them. The key is never written, the version and the
///   time of the update are, unless no other column is. A column that the record does not have is the error
///   `invalidArgument`.
public struct WriteRule<Source: Table>: @unchecked Sendable {
    // Unchecked because of the key paths: those of a table's columns capture nothing.

    @usableFromInline
    enum Row {
        case key, unique, matching, insert, update
    }

    @usableFromInline let row: Row
    /// The first column that identifies the row; a list of one would be an allocation for each write.
    @usableFromInline let first: PartialKeyPath<Source.Columns>?
    @usableFromInline let rest: [PartialKeyPath<Source.Columns>]
    @usableFromInline let nils: NilPolicy
    @usableFromInline let several: SeveralRows
    /// The names of the columns that are written.
    @usableFromInline let only: [String]?

    @inlinable
    init(
        _ row: Row, _ first: PartialKeyPath<Source.Columns>? = nil, _ rest: [PartialKeyPath<Source.Columns>] = [],
        nils: NilPolicy = .overwrite, several: SeveralRows = .refuse,
        only: ((Source.Columns) -> [any SchemaColumn])? = nil
    ) {
        self.row = row
        self.first = first
        self.rest = rest
        self.nils = nils
        self.several = several
        self.only = only.map { $0(Source.columns).map(\.definition.name) }
    }

    /// The row with the record's key; a new one if there is none, or the record has no key.
    @inlinable public static var key: WriteRule { WriteRule(.key) }

    /// The row with the record's key; a new one if there is none, or the record has no key.
    ///
    /// - Parameters:
    ///   - nils: The treatment of nil in an existing row.
    ///   - only: Returns the columns that are written to an existing row.
    /// - Returns: The rule.
    @inlinable
    public static func key(
        nils: NilPolicy = .overwrite, only: ((Source.Columns) -> [any SchemaColumn])? = nil
    ) -> WriteRule {
        WriteRule(.key, nils: nils, only: only)
    }

    /// The row with the record's values in columns that are unique; it keeps its key. Otherwise as ``key``.
    ///
    /// A write throws ``StrongroomError`` with `notDeclared` if the columns are neither the primary key nor unique,
    /// `notUnique` if several rows of the file have the values nevertheless, and `missingKey` if one of the other
    /// columns is nil.
    ///
    /// - Parameters:
    ///   - first: The primary key, a unique column, or the first of all columns of a unique index.
    ///   - rest: The others.
    ///   - nils: The treatment of nil in an existing row.
    ///   - only: Returns the columns that are written to an existing row.
    /// - Returns: The rule.
    @inlinable
    public static func by<V, each W>(
        _ first: KeyPath<Source.Columns, Column<V>>, _ rest: repeat KeyPath<Source.Columns, Column<each W>>,
        nils: NilPolicy = .overwrite, only: ((Source.Columns) -> [any SchemaColumn])? = nil
    ) -> WriteRule {
        WriteRule(.unique, first, list(repeat each rest), nils: nils, only: only)
    }

    /// The row with the record's values in columns that need not be unique; it keeps its key. Otherwise as ``key``.
    ///
    /// An index on the columns only makes the write faster. They are compared with each column's collation. A write
    /// throws ``StrongroomError`` with `notUnique` if several rows match and are to be refused, and `missingKey` if one
    /// of the columns, other than the primary key, is nil.
    ///
    /// - Parameters:
    ///   - first: The first column.
    ///   - rest: The others.
    ///   - several: Whether several rows are an error, or are all updated; each keeps its key. A variable follows one
    ///     row, so `save` refuses `updateAll` with `invalidRule`.
    ///   - nils: The treatment of nil in an existing row.
    ///   - only: Returns the columns that are written to an existing row.
    /// - Returns: The rule.
    @inlinable
    public static func matching<V, each W>(
        _ first: KeyPath<Source.Columns, Column<V>>, _ rest: repeat KeyPath<Source.Columns, Column<each W>>,
        several: SeveralRows = .refuse, nils: NilPolicy = .overwrite,
        only: ((Source.Columns) -> [any SchemaColumn])? = nil
    ) -> WriteRule {
        WriteRule(.matching, first, list(repeat each rest), nils: nils, several: several, only: only)
    }

    /// A new row; a write throws ``StrongroomError`` with `constraint` if the key or a unique value exists.
    @inlinable public static var insert: WriteRule { WriteRule(.insert) }

    /// The row with the record's key; a write throws ``StrongroomError`` with `noSuchRow` if there is none, and
    /// `missingKey` if the record has no key.
    @inlinable public static var update: WriteRule { WriteRule(.update) }

    /// The row with the record's key, as ``update``.
    ///
    /// - Parameters:
    ///   - nils: The treatment of nil.
    ///   - only: Returns the columns that are written.
    /// - Returns: The rule.
    @inlinable
    public static func update(
        nils: NilPolicy = .overwrite, only: ((Source.Columns) -> [any SchemaColumn])? = nil
    ) -> WriteRule {
        WriteRule(.update, nils: nils, only: only)
    }

    @inlinable
    static func list<each W>(
        _ columns: repeat KeyPath<Source.Columns, Column<each W>>
    ) -> [PartialKeyPath<Source.Columns>] {
        var list: [PartialKeyPath<Source.Columns>] = []
        repeat list.append(each columns)
        return list
    }

    /// Whether the rule is ``key`` without options.
    @inlinable package var isKey: Bool { row == .key && nils == .overwrite && only == nil }

    @usableFromInline
    package func requireKey(_ option: String) throws {
        guard !isKey else { return }
        throw StrongroomError(
            .invalidRule,
            """
            A save of table "\(Source.schema.name)" with `\(option)` takes no rule but `.key`; nothing was changed. \
            Save without the option, or without the rule.
            """)
    }

    /// - Throws: ``StrongroomError`` with `invalidRule` for a rule that updates several rows.
    @usableFromInline
    func requireOneRow() throws {
        guard several == .updateAll else { return }
        throw StrongroomError(
            .invalidRule,
            """
            A variable follows one row of table "\(Source.schema.name)"; nothing was changed. Update several rows with \
            `upsert` and the rule, whose result has their keys.
            """)
    }
}

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
    ///
    /// - Parameter encode: Sets the values of the columns, as a record does.
    @inlinable
    func row(
        on connection: Connection, _ encode: (borrowing Bindings) throws -> Void
    ) throws -> (key: Source.Key, isSame: Bool)? {
        let key = OperationKey(Source.self, TableStatements.Operation.lookUp, indices: indices)
        let statement = try Source.statement(key, on: connection) { try $0.keyByUnique(indices) }
        defer { statement.finish() }
        try bind(to: statement, encode)
        guard try statement.step() else { return nil }
        let row = Row(statement)
        let isSame = try row.integer(at: Source.Key.columnCount) != 0
        let found = try Source.readKey(from: row, at: 0)
        // The columns are declared unique, but are not unique in the file: the row is ambiguous.
        guard try !statement.step() else { throw Source.schema.manyRows(names) }
        return (found, isSame)
    }

    /// The keys of the rows in which the columns have the values, smallest first.
    @usableFromInline
    func rows(on connection: Connection, _ encode: (borrowing Bindings) throws -> Void) throws -> [Source.Key] {
        let key = OperationKey(Source.self, TableStatements.Operation.lookUpAll, indices: indices)
        let statement = try Source.statement(key, on: connection) { try $0.keys(matching: indices) }
        defer { statement.finish() }
        try bind(to: statement, encode)
        let row = Row(statement)
        var found: [Source.Key] = []
        while try statement.step() { found.append(try Source.readKey(from: row, at: 0)) }
        return found
    }

    /// - Throws: ``StrongroomError`` with `missingKey` if one of the columns is nil.
    @inlinable
    func bind(to statement: Statement, _ encode: (borrowing Bindings) throws -> Void) throws {
        try encode(Bindings(statement))
        statement.dropUnsetParameters()
        for index in indices where try !statement.mayHold(index) || isNull(index, encode) {
            throw Source.schema.missingUnique(Source.RecordType.columnNames[index])
        }
    }

    /// Determined from the values for the columns that the statement does not track.
    @usableFromInline
    func isNull(_ index: Int, _ encode: (borrowing Bindings) throws -> Void) throws -> Bool {
        guard index >= UInt64.bitWidth else { return false }
        var values = [SQLValue](repeating: .null, count: Source.RecordType.columnNames.count)
        try withUnsafeMutablePointer(to: &values) { try encode(Bindings($0)) }
        return values[index] == .null
    }

    // MARK: What is written to it

    /// Of the values that are given for columns, by their indices, those that are written to an existing row.
    func written(_ values: [SQLValue?], at indices: [Int?]) -> [SQLValue?] {
        // A version is compared, whether or not it is named.
        let leftOut = Source.RecordType._upkeep?.leftOut(leftOut) ?? leftOut
        return zip(values, indices).map { value, index in
            guard let value, let index, !leftOut.contains(index) else { return nil }
            return value == .null && operation == TableStatements.Operation.keep ? nil : value
        }
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
