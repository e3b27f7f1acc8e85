/// The children of a record, and what is known of their rows.
struct Related<Child: Table>: Sendable where Child.RecordType == Child {
    var values: [Child]
    /// The keys of the rows that were found when the children were loaded, or written when they were saved; nil when neither has been.
    var known: Set<Child.Key>?

    init(values: [Child], known: Set<Child.Key>? = nil) {
        self.values = values
        self.known = known
    }
}

/// A property that stands for records of another table: ``HasMany``, ``HasOne`` or ``BelongsTo``.
public protocol RelatedProperty: Sendable {}

extension HasMany: RelatedProperty {}
extension HasOne: RelatedProperty {}
extension BelongsTo: RelatedProperty {}
