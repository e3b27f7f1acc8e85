import Dispatch

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

    /// - Parameter state: No reference into it may exist elsewhere.
    package init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        #if canImport(Glibc)
        // Spins before it sleeps: the state is held for less time than it takes to wake a thread.
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

/// A mutex for asynchronous work; waiting tasks acquire it in FIFO order.
final class AsyncMutex: Sendable {
    private struct Waiter {
        let number: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var isLocked = false
        var queue = FIFOQueue<Waiter>()
        var count: UInt64 = 0
    }

    private let state = Locked(State())

    /// Acquires the mutex, runs the work and releases the mutex.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits; what the work throws.
    func run<T>(_ work: () async throws -> T) async throws -> T {
        guard await acquire() else { throw CancellationError() }
        defer { release() }
        return try await work()
    }

    private func acquire() async -> Bool {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isLocked: Bool? = state.withLock { state in
                    // Checked under the lock: a task that is cancelled later is found in the queue.
                    if Task.isCancelled { return false }
                    guard state.isLocked else {
                        state.isLocked = true
                        return true
                    }
                    state.queue.append(Waiter(number: number, continuation: continuation))
                    return nil
                }
                if let isLocked { continuation.resume(returning: isLocked) }
            }
        } onCancel: {
            let waiter = state.withLock { state in state.queue.remove { $0.number == number } }
            waiter?.continuation.resume(returning: false)
        }
    }

    private func release() {
        let next = state.withLock { state in
            let next = state.queue.popFirst()
            state.isLocked = next != nil
            return next
        }
        next?.continuation.resume(returning: true)
    }
}

/// A value that one thread sets and another waits for.
// Guarded by its lock; the value is transferred from one thread to the other.
final class Promise<Content>: @unchecked Sendable {
    private struct State {
        var value: Content?
        var semaphore: DispatchSemaphore?
    }

    private let state = Locked(State())

    func fulfill(_ value: Content) {
        state.withLock { state in
            state.value = value
            return state.semaphore
        }?.signal()
    }

    func wait() -> Content {
        while true {
            if let value = wait(until: .distantFuture) { return value }
        }
    }

    /// - Returns: Nil if the value was not set in time.
    func wait(until deadline: DispatchTime) -> Content? {
        while true {
            let semaphore = DispatchSemaphore(value: 0)
            let value = state.withLock { state in
                state.semaphore = semaphore
                return state.value.take()
            }
            if let value { return value }
            if semaphore.wait(timeout: deadline) == .timedOut { return state.withLock { $0.value.take() } }
        }
    }
}
