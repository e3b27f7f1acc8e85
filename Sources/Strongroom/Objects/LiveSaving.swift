/// When a ``Live`` object is saved.
public enum LiveSaving: Sendable, Hashable {
    /// When the program says so.
    case manual
    /// When nobody refers to the object any more.
    case onRelease
    /// When it has not been changed for a time, and when nobody refers to it any more.
    case debounced(Duration)
}
