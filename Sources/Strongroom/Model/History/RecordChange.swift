#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A change of a row, from its table's history.
///
/// ```swift
/// for change in try Patient.history(of: key, in: db) {
///     print(change.at, change.author ?? "unknown", change.columns)
/// }
/// ```
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
    /// ``Writing/undo(transaction:allowingLosses:)``; nil for a change that another program has made.
    public let transaction: Int64?
    /// The author that was set with ``Writing/author``; nil if there was none, or for a change that another program has
    /// made.
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
