#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The history of a table that is declared with ``History``.
extension Table {
    /// The changes of a row, oldest first.
    ///
    /// ```swift
    /// for change in try Patient.changes(of: key, in: db) { print(change.at, change.columns) }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The primary key of the row, which may have been deleted.
    ///   - db: A transaction.
    /// - Returns: The changes that were not pruned; empty for a row that has not changed since the history is kept.
    /// - Throws: ``StrongroomError`` with `notDeclared` if the table has no history, `sql` if the file does not keep it
    ///   yet, `typeMismatch` if an earlier value does not fit the present type of its property, or the engine's error.
    public static func changes(
        of key: Key, in db: borrowing some Reading & ~Copyable
    ) throws -> [RecordChange<Self>] {
        let reader = try HistoryReader<Self>(on: db._handle.connection)
        return try reader.changes(where: reader.history.keyCondition) { try bind(key, to: $0, at: 0) }
    }

    /// The changes after a change, oldest first.
    ///
    /// ```swift
    /// let new = try Patient.changes(since: last, limit: 1_000, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - number: The number of the last change that is not wanted; 0 for all changes.
    ///   - limit: The maximum number of changes, not negative; nil for all.
    ///   - db: A transaction.
    /// - Returns: The changes that were not pruned.
    /// - Throws: As `changes(of:in:)`, and ``StrongroomError`` with `invalidArgument` for a negative limit.
    public static func changes(
        since number: Int64, limit: Int? = nil, in db: borrowing some Reading & ~Copyable
    ) throws -> [RecordChange<Self>] {
        let reader = try HistoryReader<Self>(on: db._handle.connection)
        return try reader.changes(where: "change > ?1", limit: limit) { try $0.bind(.integer(number), at: 0) }
    }

    /// The changes since a time, oldest first; reads the entire history.
    ///
    /// - Parameters:
    ///   - date: The time of the earliest wanted change.
    ///   - limit: The maximum number of changes, not negative; nil for all.
    ///   - db: A transaction.
    /// - Returns: The changes that were not pruned.
    /// - Throws: As `changes(of:in:)`, and ``StrongroomError`` with `invalidArgument` for a negative limit.
    public static func changes(
        since date: Date, limit: Int? = nil, in db: borrowing some Reading & ~Copyable
    ) throws -> [RecordChange<Self>] {
        let reader = try HistoryReader<Self>(on: db._handle.connection)
        return try reader.changes(where: "at >= ?1", limit: limit) { try date.bind(to: $0, at: 0) }
    }

    /// Deletes a row and its history, and the history of every row that is deleted with it by foreign keys (`ON DELETE
    /// CASCADE`) or by triggers; also changes of the row under an earlier key. See <doc:KeepingAHistory>.
    ///
    /// ```swift
    /// try await store.write { db in try Patient.erase(key, in: db) }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The primary key of the row, which may have been deleted before.
    ///   - rows: Which rows are meant if the key was used again after a deletion; nil if that has not happened.
    ///   - db: A write transaction.
    /// - Returns: Whether there was a row or a history.
    /// - Throws: ``StrongroomError`` with `notUnique` if `rows` is nil, and there are a row with the key and changes of
    ///   a row that had it before and was deleted; nothing was erased. `constraint` if other rows reference the row, or
    ///   as `changes(of:in:)`.
    @discardableResult
    public static func erase(
        _ key: Key, _ rows: ErasedRows? = nil, in db: borrowing some Writing & ~Copyable
    ) throws -> Bool {
        let own = try HistoryReader<Self>(on: db._handle.connection).history
        return try db.savepoint { db in
            let connection = db._handle.connection
            let lifetimes = own.lifetimes(on: connection)
            let values = try plainValues(of: key)
            let isPresent = try own.isPresent(values, on: connection)
            if rows == nil, isPresent, try lifetimes.deletions(of: values).contains(where: { !$0.isContinued }) {
                throw own.reused(connection)
            }
            guard rows != .deleted else {
                return try lifetimes.erase(values, isPresent ? .deleted : .all).count > 0
            }
            guard isPresent || rows != .present else { return false }
            let histories = try StoredHistory.all(on: connection)
            let before = try histories.map { try $0.lastChange(on: connection) }
            let isDeleted = try delete(key, in: db)
            // A trigger of the program may have given the key to another row.
            var deletion: Int64?
            for (history, last) in zip(histories, before) {
                let isOwn = Identifier.areSame(history.table, schema.name)
                if isOwn { deletion = try lifetimes.deletion(of: values, after: last) }
                try history.eraseDeleted(since: last, except: isOwn ? values : nil, on: connection)
            }
            guard let deletion else { return try lifetimes.erase(values, .all).count > 0 || isDeleted }
            if rows == .present {
                _ = try lifetimes.eraseLifetime(of: values, through: deletion)
            } else {
                try lifetimes.erase(values, .through(deletion))
            }
            return true
        }
    }
}

extension Writing where Self: ~Copyable {
    /// Removes the changes that are older than the history's days, and of each row those beyond its number of changes.
    ///
    /// Its cost grows with the number of removed changes and, for `changes:`, with those since the last call, so
    /// that it can be called whenever a store is opened.
    ///
    /// - Parameter table: The table.
    /// - Returns: The number of removed changes; 0 for a history without limits.
    /// - Throws: As `changes(of:in:)`.
    @discardableResult
    public func pruneHistory<Source: Table>(of table: Source.Type) throws -> Int {
        let history = try HistoryReader<Source>(on: _handle.connection).history
        return try savepoint { db throws in try history.prune(on: db._handle.connection) }
    }
}

/// The rows that `Table.erase` erases where a key was used for several rows, one after another.
public enum ErasedRows: Sendable, Hashable {
    /// The row that has the key now, and its changes since it got the key.
    case present
    /// The changes of the rows that had the key before and were deleted; the present row and its changes stay.
    case deleted
    /// All of them.
    case all
}

extension HistoryTable {
    fileprivate func reused(_ connection: Connection) -> StrongroomError {
        connection.failure(
            .notUnique,
            """
            A row of table "\(table.name)" with this key was deleted, and the key was used again; nothing was erased. \
            Say which row is meant: `erase(_:_:in:)` with `.present`, `.deleted` or `.all`.
            """)
    }

    fileprivate func prune(on connection: Connection) throws -> Int {
        let lifetimes = lifetimes(on: connection)
        var removals: [RowLifetimes.Removal] = []
        if let days = history.days { removals.append(try lifetimes.prune(before: "\(Self.now) - \(days) * 86400.0")) }
        if let changes = history.changes {
            let counted = try connection.countedChanges(of: name, most: changes)
            removals.append(try lifetimes.prune(most: changes, after: counted))
            try connection.recordCount(of: name, most: changes)
        }
        for newest in removals.compactMap(\.transaction) { try connection.raise("pruned", of: name, to: newest) }
        return removals.reduce(0) { $0 + $1.count }
    }
}

/// A change of a row, from its table's history.
public struct RecordChange<Source: Table>: Sendable {
    /// The kinds of changes.
    public enum Kind: String, Sendable {
        /// The row was inserted.
        case insert
        /// The row was updated.
        case update
        /// The row was deleted.
        case delete
    }

    /// The change's number, which increases with each change of the table.
    public let number: Int64
    /// The number of the transaction, unique within the database file, for
    /// ``Writing/undo(transaction:allowingLosses:)``; nil for a change of another program.
    public let transaction: Int64?
    /// The author that was set with ``Writing/author``; nil if there was none, or for a change of another program.
    public let author: String?
    /// When the statement ran.
    public let at: Date
    /// Whether the row was inserted, updated or deleted.
    public let kind: Kind
    /// The row's key. A change of the key itself is a deletion and an insertion.
    public let key: Source.Key
    /// The record before the change; nil for an insertion, and if it is not known. Omitted columns are nil in it.
    public let before: Source.RecordType?
    /// Whether ``before`` is known: not if the type of a column has changed since, or the form of its values, such as
    /// the scale of a decimal.
    public let isBeforeKnown: Bool
    /// The record after the change; nil for a deletion, and if it is not known. Omitted columns are nil in it, unless
    /// it is the present record.
    public let after: Source.RecordType?
    /// Whether ``after`` is known: not if another program has then replaced the row by `INSERT OR REPLACE`, for which
    /// no trigger fires there.
    public let isAfterKnown: Bool
    /// The names of the columns whose values differ; empty for an insertion or a deletion, or if that is not known.
    public let columns: [String]
}

struct HistoryReader<Source: Table> {
    let history: HistoryTable
    let connection: Connection
    /// The number of the newest change whose previous values have another form than the table's columns.
    private let unread: Int64

    private var names: [String] { Source.RecordType.columnNames }

    /// - Throws: ``StrongroomError`` with `notDeclared` if the table has no history.
    init(on connection: Connection) throws {
        self.connection = connection
        guard let history = try HistoryTable(Source.schema) else {
            throw connection.failure(
                .notDeclared,
                """
                Table "\(Source.schema.name)" has no history; write `history: .keep(…)` in its declaration, as in \
                `@Table("\(Source.schema.name)", history: .keep(days: 365))`.
                """)
        }
        self.history = history
        try connection.prepareTable(Source.schema)
        unread = try connection.number("unread", of: history.name)
    }

    /// A record and the values of its columns, without those that are omitted.
    private typealias Image = (record: Source.RecordType, values: [SQLValue])

    private struct Entry {
        let number: Int64
        let transaction: Int64?
        let author: String?
        let at: Double
        let kind: RecordChange<Source>.Kind
        let key: Source.Key
        /// Nil for an insertion, and if it is not known.
        let before: Image?
    }

    func changes(
        where condition: String, limit: Int? = nil, _ bind: (borrowing Bindings) throws -> Void
    ) throws -> [RecordChange<Source>] {
        guard limit ?? 0 >= 0 else { throw QueryClauses.negativeLimit }
        let limit = limit.map { " LIMIT \($0)" } ?? ""
        return try entries("WHERE \(condition) ORDER BY change\(limit)", bind).map(change)
    }

    private func change(_ entry: Entry) throws -> RecordChange<Source> {
        let after = entry.kind == .delete ? nil : try self.after(entry)
        let columns = names.indices.filter { index in
            guard let before = entry.before, let after else { return false }
            return before.values[index].exact != after.values[index].exact
        }
        return RecordChange(
            number: entry.number, transaction: entry.transaction, author: entry.author,
            at: Date(timeIntervalSinceReferenceDate: entry.at), kind: entry.kind, key: entry.key,
            before: entry.before?.record, isBeforeKnown: entry.kind == .insert || entry.before != nil,
            after: after?.record, isAfterKnown: entry.kind == .delete || after != nil,
            columns: columns.map { names[$0] })
    }

    /// The row after a change: from before the next change, or the present one; nil if it is not known.
    private func after(_ entry: Entry) throws -> Image? {
        let parameter = Source.Key.columnCount + 1
        let next = try entries("WHERE \(history.keyCondition) AND change > ?\(parameter) ORDER BY change LIMIT 1") {
            try Source.bind(entry.key, to: $0, at: 0)
            try $0.bind(.integer(entry.number), at: parameter - 1)
        }
        return try next.isEmpty ? present(entry.key) : next[0].before
    }

    private func present(_ key: Source.Key) throws -> Image? {
        let columns = names.map(Identifier.quote).joined(separator: ", ")
        let sql = "SELECT \(columns) FROM \(Source.schema.quotedName) WHERE \(history.rowCondition)"
        let statement = try connection.statement(sql)
        defer { statement.finish() }
        try Source.bind(key, to: Bindings(statement), at: 0)
        return try statement.step() ? image(Row(statement)) : nil
    }

    private func entries(_ rest: String, _ bind: (borrowing Bindings) throws -> Void) throws -> [Entry] {
        let count = names.count
        let columns = names.map { "\(stored($0)) AS \(Identifier.quote($0))" }
        let own = HistoryTable.ownColumns.map(Identifier.quote) + history.quotedKeys
        let sql = "SELECT \((columns + own).joined(separator: ", ")) FROM main.\(history.quotedName) \(rest)"
        let statement = try connection.statement(sql)
        defer { statement.finish() }
        try bind(Bindings(statement))
        var entries: [Entry] = []
        let row = Row(statement)
        while try statement.step() {
            guard let kind = RecordChange<Source>.Kind(rawValue: try row.text(at: count + 4)) else { continue }
            let number: Int64 = try row[count]
            let isRead = kind != .insert && number > unread
            entries.append(
                Entry(
                    number: number, transaction: try row[count + 1], author: try row[count + 2],
                    at: try row[count + 3], kind: kind, key: try Source.readKey(from: row, at: count + 5),
                    before: isRead ? try image(row) : nil))
        }
        return entries
    }

    private func stored(_ column: String) -> String {
        if Identifier.index(of: column, in: history.keys.map(\.name)) != nil {
            return Identifier.quote(HistoryTable.keyName(of: column))
        }
        guard Identifier.index(of: column, in: history.kept.map(\.name)) != nil else { return "NULL" }
        return Identifier.quote(HistoryTable.oldName(of: column))
    }

    private func image(_ row: borrowing Row) throws -> Image {
        let omitted = history.history.omitted
        let values = try names.indices.map { index in
            Identifier.index(of: names[index], in: omitted) != nil ? SQLValue.null : try row.value(at: index)
        }
        return (try Source.RecordType(row: row), values)
    }
}
