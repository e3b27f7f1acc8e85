#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Which stores the running thread is inside a transaction of.
///
/// Kept for each thread, not for each task: a task that a transaction's closure starts is not inside the transaction.
enum CurrentAccess {
    private struct Frame {
        let store: ObjectIdentifier
        let outer: UnsafeRawPointer?
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let result = pthread_key_create(&key, nil)
        precondition(result == 0, "the operating system has no thread-specific key left")
        return key
    }()

    /// Whether the running thread is inside a transaction of a store.
    static func isInside(_ store: ObjectIdentifier) -> Bool {
        var next = pthread_getspecific(key).map { UnsafeRawPointer($0) }
        while let frame = next?.load(as: Frame.self) {
            if frame.store == store { return true }
            next = frame.outer
        }
        return false
    }

    /// Runs work marked as being inside a transaction of a store.
    static func inside<T>(_ store: ObjectIdentifier, _ body: () throws -> T) rethrows -> T {
        let outer = pthread_getspecific(key)
        let frame = Frame(store: store, outer: outer.map { UnsafeRawPointer($0) })
        return try withUnsafePointer(to: frame) { pointer in
            pthread_setspecific(key, pointer)
            defer { pthread_setspecific(key, outer) }
            return try body()
        }
    }
}
