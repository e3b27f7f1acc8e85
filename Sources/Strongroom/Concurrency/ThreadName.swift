import Foundation

/// The name by which debuggers and the system's tools show a thread.
enum ThreadName {
    /// Names the running thread.
    ///
    /// - Parameter name: At most 15 bytes; Linux cuts off the rest.
    static func set(_ name: String) {
        Thread.current.name = name
    }
}
