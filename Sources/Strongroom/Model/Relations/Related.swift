/// The children of a record, and the known state of their rows.
struct Related<Child: Table>: Sendable where Child.RecordType == Child {
    var values: [Child]
    /// The keys of the rows that were read when the children were loaded, or written when they were saved.
    var known = KeySet<Child>()
    /// Whether these are all rows.
    var isComplete = false

    init(values: [Child]) {
        self.values = values
    }

    /// Loaded or saved children.
    init(written values: [Child], isComplete: Bool) throws {
        self.values = values
        known = try KeySet(values.compactMap(Child.key(of:)))
        self.isComplete = isComplete
    }
}

/// A property for records of another table: ``HasMany``, ``HasOne`` or ``BelongsTo``.
public protocol _RelatedProperty: Sendable {}

extension HasMany: _RelatedProperty {}
extension HasOne: _RelatedProperty {}
extension BelongsTo: _RelatedProperty {}
