import Dispatch
import Strongroom

/// The reader of a database's commits, which one thread at a time uses.
final class ReadingThread: Sendable {
    private let queue = DispatchQueue(label: "strongroom.replication")
    private let reader = Reader()

    private final class Reader: @unchecked Sendable {  // guarded by the queue
        var value: CommitReader?
    }

    /// Runs work with the reader.
    ///
    /// - Parameter make: Makes the reader if there is none.
    func run<T: Sendable>(
        making make: @escaping @Sendable () throws -> CommitReader,
        _ work: @escaping @Sendable (CommitReader) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [reader] in
                continuation.resume(
                    with: Result {
                        let value = try reader.value ?? make()
                        reader.value = value
                        return try work(value)
                    })
            }
        }
    }

    /// As the async form, on the current thread; nil without a reader.
    func runNow<T>(_ work: (CommitReader) throws -> T) rethrows -> T? {
        try queue.sync { try reader.value.map(work) }
    }

    /// Closes the reader's connections; the next work makes another reader.
    func close() {
        queue.sync {
            reader.value?.close()
            reader.value = nil
        }
    }
}
