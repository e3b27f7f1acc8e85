import Dispatch
import Strongroom
import Synchronization

/// The reader of a database's commits, which one thread at a time uses.
final class ReadingThread: Sendable {
    private let queue = DispatchQueue(label: "strongroom.replication")
    private let reader = Reader()

    private final class Reader: @unchecked Sendable {  // guarded by the queue
        var value: CommitReader?
        var isSuspended = false

        func end() {
            value?.close()
            value = nil
        }
    }

    /// Runs work with the reader.
    ///
    /// - Parameter make: Makes the reader if there is none.
    /// - Throws: `CancellationError` while the reader is suspended.
    func run<T: Sendable>(
        making make: @escaping @Sendable () throws -> CommitReader,
        _ work: @escaping @Sendable (CommitReader) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [reader] in
                continuation.resume(
                    with: Result {
                        guard !reader.isSuspended else { throw CancellationError() }
                        let value = try reader.value ?? make()
                        reader.value = value
                        return try work(value)
                    })
            }
        }
    }

    /// Runs work with the reader; nil without one.
    func runAsync<T: Sendable>(_ work: @escaping @Sendable (CommitReader) throws -> T) async throws -> T? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [reader] in continuation.resume(with: Result { try reader.value.map(work) }) }
        }
    }

    /// Whether work that may take long is running, or waiting.
    private let isLong = Atomic(false)

    /// Runs work that may take long.
    func longer(_ body: () async throws -> Void) async rethrows {
        isLong.store(true, ordering: .sequentiallyConsistent)
        defer { isLong.store(false, ordering: .sequentiallyConsistent) }
        try await body()
    }

    /// Runs quick work with the reader on the current thread, unless other work takes long, or there is no reader.
    func runNow(_ work: (CommitReader) throws -> Void) rethrows {
        guard !isLong.load(ordering: .sequentiallyConsistent) else { return }
        try queue.sync {
            guard let value = reader.value else { return }
            try work(value)
        }
    }

    /// Closes the reader's connections; the next work makes another reader.
    func close() { queue.sync { reader.end() } }

    /// As ``close()``, without waiting for work that runs.
    func closeSoon() { queue.async { [reader] in reader.end() } }

    /// Closes the reader's connections, and makes none until ``resume()``.
    func suspend() {
        queue.sync {
            reader.isSuspended = true
            reader.end()
        }
    }

    func resume() { queue.sync { reader.isSuspended = false } }
}
