/// Why output could not be written.
package enum WriteFailure: Equatable, Sendable {
    /// The reader has closed the pipe, as `head` does.
    case closed
    /// A system error, such as a full disk.
    case failed(errno: Int32)
}
