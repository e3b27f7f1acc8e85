/// When a ``Live`` object is saved.
public enum LiveSaving: Sendable, Hashable {
    /// When the program says so.
    case manual
    /// When nobody refers to the object any more.
    case onRelease
    /// When it has not been changed for a time, and when nobody refers to it any more.
    case debounced(Duration)
}

/// What saving a ``Live`` object does when others have deleted its row since it was read.
public enum LiveMissingRow: Sendable, Hashable {
    /// The save fails with `noSuchRow`, and the object keeps its changes.
    case fail
    /// The row is inserted again, with all of the object's values.
    case insert
}
