/// Which stores the running thread is inside a transaction of.
///
/// Kept for each thread, not for each task: a task that a transaction's closure starts is not inside the transaction.
enum CurrentAccess {
    private struct Frame {
        let store: ObjectIdentifier
        let outer: UnsafeRawPointer?
    }

    private static let pointer = ThreadPointer()

    /// Whether the running thread is inside a transaction of a store.
    static func isInside(_ store: ObjectIdentifier) -> Bool {
        var next = pointer.value.map { UnsafeRawPointer($0) }
        while let frame = next?.load(as: Frame.self) {
            if frame.store == store { return true }
            next = frame.outer
        }
        return false
    }

    /// Runs work marked as being inside a transaction of a store.
    static func inside<T>(_ store: ObjectIdentifier, _ body: () throws -> T) rethrows -> T {
        let outer = pointer.value
        let frame = Frame(store: store, outer: outer.map { UnsafeRawPointer($0) })
        return try withUnsafePointer(to: frame) { inner in
            pointer.value = UnsafeMutableRawPointer(mutating: inner)
            defer { pointer.value = outer }
            return try body()
        }
    }
}
