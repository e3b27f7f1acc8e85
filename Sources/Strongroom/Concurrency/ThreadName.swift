import Foundation

/// The name that debuggers and system tools show for a thread.
enum ThreadName {
    /// Names the running thread.
    ///
    /// - Parameter name: At most 15 bytes; with a longer one, a thread keeps its former name on Linux.
    static func set(_ name: String) {
        Thread.current.name = name
    }
}
