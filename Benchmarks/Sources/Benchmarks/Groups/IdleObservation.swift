import Foundation
import Strongroom

extension Group {
    /// The processor time of a process that observes a store to which nobody writes.
    static let idleObservation = Group(
        "idle-observation", "the processor time of a process that observes a store while nothing happens"
    ) { workplace in
        let store = try await NoticePlace(directory: workplace.directory.appending(path: "idle")).open()
        let observer = Task {
            for try await _ in store.values({ db in try db.value("SELECT count(*) FROM notice", as: Int.self) }) {}
        }
        // The first value, and what opening leaves to be done.
        try await Task.sleep(for: .seconds(5))
        let before = try ProcessTimes.current()
        try await Task.sleep(for: .seconds(workplace.idleSeconds))
        let after = try ProcessTimes.current()
        observer.cancel()
        _ = await observer.result
        let minutes = Double(workplace.idleSeconds) / 60
        return [
            Gauge(
                name: "idle observer, processor time", unit: "ms/min",
                amount: (after.processor - before.processor) / .milliseconds(1) / minutes, limit: 3),
            Gauge(
                name: "idle observer, wake-ups", unit: "/min", amount: Double(after.wakeUps - before.wakeUps) / minutes),
        ]
    }
}

/// What the threads of this process have used.
private struct ProcessTimes {
    let processor: Duration
    /// How often a thread was switched to after waiting.
    let wakeUps: Int

    private struct NotKnown: Error {}

    /// RUSAGE_SELF, which is an enumeration's case in some C libraries, and a number in others.
    private static let ownUsage: Int32 = 0

    static func current() throws -> ProcessTimes {
        var usage = rusage()
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0, getrusage(ownUsage, &usage) == 0 else {
            throw NotKnown()
        }
        return ProcessTimes(
            processor: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec), wakeUps: Int(usage.ru_nvcsw))
    }
}
