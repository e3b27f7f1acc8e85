/// What a cascading save does with a child's row when the child has been taken out of its parent's list.
///
/// Only children that the list is known to have had are orphans: they were loaded into it, or saved with it. A row that
/// somebody else has added meanwhile, and one that has another parent by now, are left alone.
public struct Orphans<Reference: KeyReference>: Sendable, Hashable {
    let rule: OrphanRule

    /// Nothing: the row stays, and goes on referring to the parent.
    public static var keep: Orphans { Orphans(rule: .keep) }

    /// The row is deleted, with its own children.
    public static var delete: Orphans { Orphans(rule: .delete) }
}

enum OrphanRule: Sendable {
    case keep, detach, delete
}

extension Orphans where Reference: ExpressibleByNilLiteral {
    /// The row stays, and refers to no parent any more.
    public static var detach: Orphans { Orphans(rule: .detach) }
}
