#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// State guarded by a mutex.
///
/// Not `Synchronization.Mutex`: on Linux the thread sanitizer does not recognize it and reports false races, which
/// would hide the real ones.
package final class Locked<State>: @unchecked Sendable {  // guarded by its own mutex
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // The mutex gives exclusive access; checking that as well would cost more than locking.
    @exclusivity(unchecked) private var state: State

    /// Makes the state.
    ///
    /// - Parameter state: The guarded state; no reference into it may be kept elsewhere.
    package init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        #if canImport(Glibc)
        // Polls for a moment before it sleeps: the state is held for less time than it takes to wake a thread.
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        defer { pthread_mutexattr_destroy(&attributes) }
        pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ADAPTIVE_NP))
        let result = pthread_mutex_init(mutex, &attributes)
        #else
        let result = pthread_mutex_init(mutex, nil)
        #endif
        precondition(result == 0, "the operating system has no mutex left")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Lends the state; the closure must not block or call the user's code.
    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
