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
    /// - Throws: ``StrongroomError`` with `schemaChange` if the table has no history, `sql` if the file does not keep
    ///   it yet, `typeMismatch` if a former value does not fit the present type of its property, or the engine's error.
    public static func history(
        of key: Key, in db: borrowing some Reading & ~Copyable
    ) throws -> [RecordChange<Self>] {
        let reader = try HistoryReader<Self>(on: db.handle.connection)
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
    ///   - limit: The maximum number of changes; nil for all.
    ///   - db: A transaction.
    /// - Returns: The changes that were not pruned.
    /// - Throws: As `history(of:in:)`.
    public static func changes(
        since number: Int64, limit: Int? = nil, in db: borrowing some Reading & ~Copyable
    ) throws -> [RecordChange<Self>] {
        let reader = try HistoryReader<Self>(on: db.handle.connection)
        return try reader.changes(where: "change > ?1", limit: limit) { try $0.bind(.integer(number), at: 0) }
    }

    /// The changes since a time, oldest first; reads the whole history.
    ///
    /// - Parameters:
    ///   - date: The time of the earliest wanted change.
    ///   - limit: The maximum number of changes; nil for all.
    ///   - db: A transaction.
    /// - Returns: The changes that were not pruned.
    /// - Throws: As `history(of:in:)`.
    public static func changes(
        since date: Date, limit: Int? = nil, in db: borrowing some Reading & ~Copyable
    ) throws -> [RecordChange<Self>] {
        let reader = try HistoryReader<Self>(on: db.handle.connection)
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
        let reader = try HistoryReader<Self>(on: db.handle.connection)
        return try reader.changes(where: "transaction_id = ?1") { try $0.bind(.integer(transaction), at: 0) }
    }

    /// Removes the changes that are older than the history's days, and of each row those beyond its number of changes.
    ///
    /// ```swift
    /// try await store.write { db in try Patient.pruneHistory(in: db) }
    /// ```
    ///
    /// - Parameter db: A write transaction.
    /// - Returns: The number of removed changes; 0 for a history without limits.
    /// - Throws: As `history(of:in:)`.
    @discardableResult
    public static func pruneHistory(in db: borrowing some Writing & ~Copyable) throws -> Int {
        let history = try HistoryReader<Self>(on: db.handle.connection).history
        return try db.savepoint { db in
            var count = 0
            if let days = history.history.days {
                count += try history.prune("at < \(HistoryTable.now) - \(days) * 86400.0", in: db)
            }
            if let changes = history.history.changes {
                let same = history.quotedKeys.map { "later.\($0) = \(history.quotedName).\($0)" }
                let condition = """
                    EXISTS (SELECT 1 FROM \(history.quotedName) AS later WHERE \(same.joined(separator: " AND ")) \
                    AND later.change > \(history.quotedName).change LIMIT 1 OFFSET \(changes - 1))
                    """
                count += try history.prune(condition, in: db)
            }
            return count
        }
    }

    /// Deletes a row and its history, and the history of every row that is deleted with it.
    ///
    /// ```swift
    /// try await store.write { db in try Patient.erase(key, in: db) }
    /// ```
    ///
    /// Rows that are deleted by foreign keys (`ON DELETE CASCADE`) or by triggers are erased, too. Pages that become
    /// free are overwritten (`secure_delete`), in the WAL with the next checkpoint that restarts it. Backups and
    /// snapshots keep what they have: see <doc:ThreatModel>.
    ///
    /// - Parameters:
    ///   - key: The primary key of the row, which may have been deleted before.
    ///   - db: A write transaction.
    /// - Returns: Whether there was a row or a history.
    /// - Throws: ``StrongroomError`` with `constraint` if other rows reference the row, or as `history(of:in:)`.
    @discardableResult
    public static func erase(_ key: Key, in db: borrowing some Writing & ~Copyable) throws -> Bool {
        let own = try HistoryReader<Self>(on: db.handle.connection).history
        return try db.savepoint { db in
            let connection = db.handle.connection
            let histories = try StoredHistory.all(on: connection)
            let before = try histories.map { try $0.lastChange(on: connection) }
            let isDeleted = try delete(key, in: db)
            for (history, last) in zip(histories, before) { try history.eraseDeleted(since: last, on: connection) }
            let values = try plainValues(of: key)
            let sql = "DELETE FROM main.\(own.quotedName) WHERE \(own.keyCondition())"
            let erased = try db.execute(SQL(verbatim: sql, values))
            return isDeleted || erased > 0
        }
    }
}

extension HistoryTable {
    fileprivate func prune(_ condition: String, in db: borrowing some Writing & ~Copyable) throws -> Int {
        let newest = "SELECT max(transaction_id) FROM main.\(quotedName) WHERE \(condition)"
        if let newest = try db.value(SQL(verbatim: newest), as: Int64?.self) ?? nil {
            try db.handle.connection.notePruning(of: name, through: newest)
        }
        return try db.execute(SQL(verbatim: "DELETE FROM main.\(quotedName) WHERE \(condition)"))
    }
}
