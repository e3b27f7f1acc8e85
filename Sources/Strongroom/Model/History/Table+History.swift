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
    /// for change in try Patient.history(of: key, in: db) {
    ///     print(change.at, change.author ?? "unknown", change.columns)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The primary key of the row, which may have been deleted.
    ///   - db: A transaction.
    /// - Returns: The changes that were not pruned; empty for a row that has not changed since the history is kept.
    /// - Throws: ``StrongroomError`` with `notDeclared` if the table has no history, `sql` if the file does not keep
    ///   it yet, `typeMismatch` if a former value does not fit the present type of its property, or the engine's error.
    public static func history(
        of key: Key, in db: borrowing some Reading & ~Copyable
    ) throws -> [RecordChange<Self>] {
        let reader = try HistoryReader<Self>(on: db._handle.connection)
        return try reader.changes(where: reader.history.keyCondition()) { try bind(key, to: $0, at: 0) }
    }

    /// The changes after a change, oldest first.
    ///
    /// ```swift
    /// let new = try Patient.changes(since: last, limit: 1_000, in: db)
    /// last = new.last?.number ?? last
    /// ```
    ///
    /// - Parameters:
    ///   - number: The number of the last change that is not wanted; 0 for all changes.
    ///   - limit: The maximum number of changes, not negative; nil for all.
    ///   - db: A transaction.
    /// - Returns: The changes that were not pruned.
    /// - Throws: As `history(of:in:)`, and ``StrongroomError`` with `invalidArgument` for a negative limit.
    public static func changes(
        since number: Int64, limit: Int? = nil, in db: borrowing some Reading & ~Copyable
    ) throws -> [RecordChange<Self>] {
        let reader = try HistoryReader<Self>(on: db._handle.connection)
        return try reader.changes(where: "change > ?1", limit: limit) { try $0.bind(.integer(number), at: 0) }
    }

    /// The changes since a time, oldest first; reads the whole history.
    ///
    /// - Parameters:
    ///   - date: The time of the earliest wanted change.
    ///   - limit: The maximum number of changes, not negative; nil for all.
    ///   - db: A transaction.
    /// - Returns: The changes that were not pruned.
    /// - Throws: As `history(of:in:)`, and ``StrongroomError`` with `invalidArgument` for a negative limit.
    public static func changes(
        since date: Date, limit: Int? = nil, in db: borrowing some Reading & ~Copyable
    ) throws -> [RecordChange<Self>] {
        let reader = try HistoryReader<Self>(on: db._handle.connection)
        return try reader.changes(where: "at >= ?1", limit: limit) { try date.bind(to: $0, at: 0) }
    }

    /// The changes of a transaction in this table, oldest first; reads the whole history.
    ///
    /// - Parameters:
    ///   - transaction: The number of the transaction; see ``RecordChange/transaction``.
    ///   - db: A transaction.
    /// - Returns: The changes that were not pruned.
    /// - Throws: As `history(of:in:)`.
    public static func changes(
        inTransaction transaction: Int64, in db: borrowing some Reading & ~Copyable
    ) throws -> [RecordChange<Self>] {
        let reader = try HistoryReader<Self>(on: db._handle.connection)
        return try reader.changes(where: "transaction_id = ?1") { try $0.bind(.integer(transaction), at: 0) }
    }

    /// Removes the changes that are older than the history's days, and of each row those beyond its number of changes.
    ///
    /// ```swift
    /// try await store.write { db in try Patient.pruneHistory(in: db) }
    /// ```
    ///
    /// Its cost grows with the number of removed changes and, for `changes:`, with the number of those that were made
    /// since the last call, so that it can be called whenever a store is opened. A change that was recorded while
    /// the clock was ahead keeps the later ones until it is old enough itself.
    ///
    /// - Parameter db: A write transaction.
    /// - Returns: The number of removed changes; 0 for a history without limits.
    /// - Throws: As `history(of:in:)`.
    @discardableResult
    public static func pruneHistory(in db: borrowing some Writing & ~Copyable) throws -> Int {
        let history = try HistoryReader<Self>(on: db._handle.connection).history
        return try db.savepoint { db in try history.prune(on: db._handle.connection) }
    }

    /// Deletes a row and its history, and the history of every row that is deleted with it.
    ///
    /// ```swift
    /// try await store.write { db in try Patient.erase(key, in: db) }
    /// ```
    ///
    /// Rows that are deleted by foreign keys (`ON DELETE CASCADE`) or by triggers are erased, too, and changes of the
    /// row under a former key. Pages that become free are overwritten (`secure_delete`), in the WAL with the next
    /// checkpoint that restarts it. Backups and snapshots keep what they have: see <doc:ThreatModel>.
    ///
    /// - Parameters:
    ///   - key: The primary key of the row, which may have been deleted before.
    ///   - rows: Which rows are meant if the key was used again after a deletion; nil if that has not happened.
    ///   - db: A write transaction.
    /// - Returns: Whether there was a row or a history.
    /// - Throws: ``StrongroomError`` with `notUnique` if `rows` is nil, and there are a row with the key and
    ///   changes of a row that had it before and was deleted; nothing was erased. `constraint` if other rows reference
    ///   the row, or as `history(of:in:)`.
    @discardableResult
    public static func erase(
        _ key: Key, _ rows: ErasedRows? = nil, in db: borrowing some Writing & ~Copyable
    ) throws -> Bool {
        let own = try HistoryReader<Self>(on: db._handle.connection).history
        return try db.savepoint { db in
            let connection = db._handle.connection
            let lives = own.lives(on: connection)
            let values = try plainValues(of: key)
            let isPresent = try own.isPresent(values, on: connection)
            if rows == nil, isPresent, try lives.deletions(of: values).contains(where: { !$0.isContinued }) {
                throw own.reused(connection)
            }
            guard rows != .former else {
                return try lives.erase(values, isPresent ? .former : .all).count > 0
            }
            guard isPresent || rows != .present else { return false }
            let histories = try StoredHistory.all(on: connection)
            let before = try histories.map { try $0.lastChange(on: connection) }
            let isDeleted = try delete(key, in: db)
            // A trigger of the program may have given the key to another row.
            var deletion: Int64?
            for (history, last) in zip(histories, before) {
                let isOwn = Identifier.areSame(history.table, schema.name)
                if isOwn { deletion = try lives.deletion(of: values, after: last) }
                try history.eraseDeleted(since: last, except: isOwn ? values : nil, on: connection)
            }
            guard let deletion else { return try lives.erase(values, .all).count > 0 || isDeleted }
            if rows == .present {
                _ = try lives.eraseLife(of: values, through: deletion)
            } else {
                try lives.erase(values, .through(deletion))
            }
            return true
        }
    }
}

/// The rows that `Table.erase` erases where a key was used for several rows, one after another.
public enum ErasedRows: Sendable, Hashable {
    /// The row that has the key now, and its changes since it got the key.
    case present
    /// The changes of the rows that had the key before and were deleted; the present row and its changes stay.
    case former
    /// All of them.
    case all
}

extension HistoryTable {
    fileprivate func reused(_ connection: Connection) -> StrongroomError {
        StrongroomError(
            .notUnique,
            """
            A row of table "\(table.name)" with this key was deleted, and the key was used again; nothing was erased. \
            Say which row is meant: `erase(_:_:in:)` with `.present`, `.former` or `.all`.
            """,
            database: connection.database)
    }

    fileprivate func prune(on connection: Connection) throws -> Int {
        let lives = lives(on: connection)
        var removals: [HistoryLives.Removal] = []
        if let days = history.days { removals.append(try lives.prune(before: "\(Self.now) - \(days) * 86400.0")) }
        if let changes = history.changes {
            let counted = try connection.countedChanges(of: name, most: changes)
            removals.append(try lives.prune(most: changes, after: counted))
            try connection.recordCount(of: name, most: changes)
        }
        for newest in removals.compactMap(\.transaction) { try connection.recordPruning(of: name, through: newest) }
        return removals.reduce(0) { $0 + $1.count }
    }
}
