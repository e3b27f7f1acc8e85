#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// State that one thread at a time may use.
///
/// Not `Synchronization.Mutex`: on Linux the thread sanitizer does not see that one and reports races where there are
/// none, so that it could no longer be used to find the real ones.
package final class Locked<State>: @unchecked Sendable {  // guarded by its own mutex
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    /// Makes the state.
    ///
    /// - Parameter state: What the lock guards; nobody else may keep a reference into it.
    package init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let result = pthread_mutex_init(mutex, nil)
        precondition(result == 0, "the operating system has no mutex left")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Lends the state; nothing that waits, and no code of a user's, may run in the closure.
    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
