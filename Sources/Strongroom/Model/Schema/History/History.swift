/// What is kept of a table's former rows: who changed which row when, from what to what.
///
/// ```swift
/// @Table("patient", in: "clinic.sqlite", history: .keep(days: 365))
/// struct Patient {
///     var id: Int64?
///     var name: String
///     var ward: String?
/// }
/// ```
///
/// Triggers record each change in the table `patient_history`, in the same transaction. See <doc:KeepingAHistory>.
public struct History: Sendable, Hashable {
    /// How many days a change is kept; nil for no limit.
    public let days: Int?
    /// How many changes of each row are kept; nil for no limit.
    public let changes: Int?
    /// The names of the columns whose values are not kept; each must be nullable.
    public let omitted: [String]
    /// The name of the column that counts the updates of a row, which undoing does not put back; nil for none.
    public private(set) var version: String?

    /// Keeps changes until `Table.pruneHistory(in:)` removes those beyond the limits.
    ///
    /// - Parameters:
    ///   - days: How many days a change is kept, at least 1; nil for no limit.
    ///   - changes: How many changes of each row are kept, at least 1; nil for no limit.
    ///   - omitted: The names of columns whose values are not kept, such as those with large values; each must be
    ///     nullable and not belong to the primary key.
    /// - Returns: The history. Invalid arguments are reported when the table is created.
    public static func keep(days: Int? = nil, changes: Int? = nil, omitting omitted: [String] = []) -> History {
        History(days: days, changes: changes, omitted: omitted)
    }

    /// The history of a table with a version, which undoing advances instead of putting it back, so that a record that
    /// was read before is still noticed as stale.
    ///
    /// For schemas written by hand; `@Table` does so for a column that is declared with `@Column(kept: .version)`.
    ///
    /// ```swift
    /// history: .keep(days: 365).versioned(by: "version")
    /// ```
    ///
    /// - Parameter column: The name of the version's column, an integer; it must be recorded. A wrong name is reported
    ///   when the table is created.
    /// - Returns: The history.
    public func versioned(by column: String) -> History {
        var copy = self
        copy.version = column
        return copy
    }
}
