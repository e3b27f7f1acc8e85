import Foundation

/// The name that debuggers and system tools show for a thread.
enum ThreadName {
    /// Names the running thread.
    ///
    /// - Parameter name: At most 15 bytes; Linux truncates the rest.
    static func set(_ name: String) {
        Thread.current.name = name
    }
}
