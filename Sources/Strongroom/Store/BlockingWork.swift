import Foundation

/// Runs blocking work of a task on a thread of its own, away from Swift's cooperative threads.
enum BlockingWork {
    static func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread {
                Thread.current.name = "strongroom.job"
                continuation.resume(with: Result { try work() })
            }
            thread.start()
        }
    }
}
