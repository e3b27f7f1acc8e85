/// How a cascading save treats the row of a child that was removed from its parent's list.
///
/// Only children that the list is known to have contained are orphans: they were loaded into it, or saved with it. Rows
/// that another task or process has added since, and rows that have another parent by now, are not changed.
public struct Orphans<Reference: KeyReference>: Sendable, Hashable {
    let rule: OrphanRule

    /// The row is kept and continues to reference the parent.
    public static var keep: Orphans { Orphans(rule: .keep) }

    /// The row is deleted with its own children.
    public static var delete: Orphans { Orphans(rule: .delete) }
}

enum OrphanRule: Sendable {
    case keep, detach, delete
}

extension Orphans where Reference: ExpressibleByNilLiteral {
    /// The row is kept, and its reference is set to NULL.
    public static var detach: Orphans { Orphans(rule: .detach) }
}
