/// When a file that does not have the current key, or has older cipher settings, is rewritten.
public enum RotationPolicy: Sendable, Hashable {
    /// When it is opened, and by `Store.rotate()`. A rotation that is not possible at the moment, because another
    /// process holds the file, the disk is full or a page is damaged, is left for the next opening; the opening's
    /// report says so.
    case onOpen
    /// Only by `Store.rotate()`.
    case manual
    /// Never: `Store.rotate()` throws.
    case never
}
