/// When a ``Live`` object is saved.
public enum LiveSaving: Sendable, Hashable {
    /// Only when the program calls `save()`.
    case manual
    /// When the object is deinitialized.
    case onRelease
    /// When it has not been changed for a time, and when it is deinitialized.
    case debounced(Duration)
}

/// What saving a ``Live`` object does if its row has been deleted since it was read.
public enum LiveMissingRow: Sendable, Hashable {
    /// The save fails with `noSuchRow`, and the object keeps its changes.
    case fail
    /// The row is inserted again, with all of the object's values.
    case insert
}
