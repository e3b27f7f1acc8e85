/// The children of a record, and what is known of their rows.
struct Related<Child: Table>: Sendable where Child.RecordType == Child {
    var values: [Child]
    /// The keys of the rows that were found when the children were loaded, or written when they were saved.
    var known = KeySet<Child>()
    /// Whether that was all of them.
    var isComplete = false

    init(values: [Child]) {
        self.values = values
    }

    /// What has been loaded or saved.
    init(written values: [Child], isComplete: Bool) throws {
        self.values = values
        known = try KeySet(values.compactMap(Child.key(of:)))
        self.isComplete = isComplete
    }
}

/// A property that stands for records of another table: ``HasMany``, ``HasOne`` or ``BelongsTo``.
public protocol RelatedProperty: Sendable {}

extension HasMany: RelatedProperty {}
extension HasOne: RelatedProperty {}
extension BelongsTo: RelatedProperty {}
