/// How far a rotation has come.
public struct RotationProgress: Sendable, Hashable {
    /// What a rotation does, in this order.
    public enum Phase: String, Sendable, Hashable {
        /// Waits for those who use the file.
        case waiting
        /// Looks whether the file is whole.
        case checking
        /// Writes each page with the new key. In a copy it can be cancelled; in place it cannot any more.
        case writing
        /// Reads everything with the new key and compares.
        case verifying
    }

    /// What is being done.
    public let phase: Phase
    /// Bytes that are done in the phase.
    public let done: Int64
    /// Bytes to be done in the phase; 0 when that is not known.
    public let total: Int64
}
