import Dispatch
import Foundation
import Synchronization

/// Something that happens once and that closures and tasks wait for: tests order their steps by it, never by time.
///
/// A wait gives up after ``Patience/seconds``, so that a deadlock is a red test and not one that hangs.
final class Moment: Sendable {
    struct NeverCame: Error {}

    private let hasCome = Atomic<Bool>(false)
    private let gate = DispatchSemaphore(value: 0)

    var isPast: Bool { hasCome.load(ordering: .acquiring) }

    func come() {
        hasCome.store(true, ordering: .releasing)
        gate.signal()
    }

    /// Waits on the running thread; for a store's closures.
    func block() throws {
        guard gate.wait(timeout: .now() + .seconds(Patience.seconds)) == .success else { throw NeverCame() }
        // The next one who waits, too.
        gate.signal()
    }

    /// Waits without blocking a thread.
    func wait() async throws {
        try await eventually { isPast }
    }
}

/// Lets nobody pass before a number of closures are there.
final class Barrier: Sendable {
    private let missing: Atomic<Int>
    private let isComplete = Moment()

    init(_ count: Int) {
        missing = Atomic(count)
    }

    func block() throws {
        if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { isComplete.come() }
        try isComplete.block()
    }
}

/// Waits until something is true; gives up as a ``Moment`` does. Asks often at first, then less and less often:
/// hundreds of tests wait at the same time.
func eventually(_ isTrue: () throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(Patience.seconds)
    var pause = 1
    while try !isTrue() {
        guard ContinuousClock.now < deadline else { throw Moment.NeverCame() }
        await rest(milliseconds: pause)
        pause = min(2 * pause, 50)
    }
}

/// Gives what must not happen the time to give itself away. No test fails because this is too short or too long.
func linger() async {
    await rest(milliseconds: 20)
}

/// Without cancellation: a test that cancels its own task still waits.
private func rest(milliseconds: Int) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { continuation.resume() }
    }
}

/// Runs work that a deadlock would keep from ending; gives up as a ``Moment`` does.
func ending<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
    let end = Moment()
    let task = Task {
        defer { end.come() }
        return try await work()
    }
    try await end.wait()
    return try await task.value
}

/// Runs blocking code on a thread of its own.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    // The thread sanitizer does not see that a continuation which is resumed before it is awaited orders the two.
    let order = Tally()
    defer { _ = order.value }
    return try await withCheckedThrowingContinuation { continuation in
        Thread {
            let result = Result { try body() }
            order.add()
            continuation.resume(with: result)
        }.start()
    }
}

/// Counts.
final class Tally: Sendable {
    private let count = Atomic<Int>(0)
    private let highest = Atomic<Int>(0)

    var value: Int { count.load(ordering: .acquiring) }
    var peak: Int { highest.load(ordering: .acquiring) }

    func add(_ number: Int = 1) {
        let now = count.add(number, ordering: .acquiringAndReleasing).newValue
        highest.max(now, ordering: .acquiringAndReleasing)
    }
}

/// A name of the running thread that none after it gets, as it may get its place in memory.
func currentThread() -> UUID {
    let known = Thread.current.threadDictionary
    if let name = known["name"] as? UUID { return name }
    let name = UUID()
    known["name"] = name
    return name
}
