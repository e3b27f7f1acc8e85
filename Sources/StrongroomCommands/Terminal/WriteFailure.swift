/// Why output did not arrive.
package enum WriteFailure: Equatable, Sendable {
    /// The reader has gone, as `head` does once it has seen enough.
    case closed
    /// The system refused, such as when the disk is full.
    case failed(errno: Int32)
}
