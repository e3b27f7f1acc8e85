/// When a file that is not on the current key, or has older cipher settings, is rewritten.
public enum RotationPolicy: Sendable, Hashable {
    /// While it is being opened; also when `Store.rotate()` asks for it. A rotation that cannot be made now, since
    /// another process holds the file, the disk is full or a page is damaged, is left for the next opening, which the
    /// report of the opening tells.
    case onOpen
    /// Only when `Store.rotate()` asks for it.
    case manual
    /// Never: `Store.rotate()` refuses.
    case never
}
