/// The stores that have a transaction on the current thread.
///
/// Recorded per thread, not per task: a task started by a transaction's closure is not inside the transaction.
enum CurrentTransaction {
    private struct Frame {
        let pool: Unmanaged<ConnectionPool>
        let outer: UnsafeRawPointer?
    }

    private static let pointer = ThreadLocal()

    /// Whether the current thread is inside a transaction of a store.
    static func isInside(_ pool: ConnectionPool) -> Bool {
        var isInside = false
        visit { frame in
            isInside = frame.pool.toOpaque() == Unmanaged.passUnretained(pool).toOpaque()
            return !isInside
        }
        return isInside
    }

    /// Whether the current thread is inside a transaction of any store.
    static var isInsideAny: Bool { pointer.value != nil }

    /// The databases that have a transaction on the current thread, innermost first.
    static var databases: [String] {
        var names: [String] = []
        visit { frame in
            names.append(frame.pool.takeUnretainedValue().database)
            return true
        }
        return names
    }

    /// Visits the frames from the innermost outwards until the closure returns false.
    private static func visit(_ body: (Frame) -> Bool) {
        var next = pointer.value.map { UnsafeRawPointer($0) }
        while let frame = next?.load(as: Frame.self), body(frame) { next = frame.outer }
    }

    /// Runs work marked as being inside a transaction of a store; also a callback that the store's own work waits for.
    static func inside<T>(_ pool: ConnectionPool, _ body: () throws -> T) rethrows -> T {
        let outer = pointer.value
        let frame = Frame(pool: .passUnretained(pool), outer: outer.map { UnsafeRawPointer($0) })
        return try withUnsafePointer(to: frame) { inner in
            pointer.value = UnsafeMutableRawPointer(mutating: inner)
            defer { pointer.value = outer }
            return try body()
        }
    }
}
