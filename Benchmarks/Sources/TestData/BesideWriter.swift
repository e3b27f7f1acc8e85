import Synchronization

/// What tasks that read, and one that writes beside them, did in the time of the reads.
public struct BesideWriter: Sendable {
    public let found: Summary
    /// Of the reads.
    public let duration: Duration
    /// The writes in that time.
    public let writes: Int
    /// With the one before that time, and those that were still running at its end.
    public let allWrites: Int

    /// The time that a number of writes took on the average.
    public func duration(ofWrites count: Int) -> Duration { duration * count / max(1, writes) }

    private final class Progress: Sendable {
        let writes = Atomic<Int>(0)
        let isOver = Atomic<Bool>(false)
    }

    /// Reads beside a task that writes one row after the other, as fast as it can, until the reads are done.
    ///
    /// - Parameters:
    ///   - write: Writes one row; receives how many there were before.
    ///   - read: Does all the reads.
    public static func measure(
        write: @escaping @Sendable (Int) async throws -> Void,
        read: () async throws -> Summary
    ) async throws -> BesideWriter {
        // So that the writer need not be woken in the measured time.
        try await write(0)
        let progress = Progress()
        async let writer: Void = {
            var count = 0
            while !progress.isOver.load(ordering: .relaxed) {
                count += 1
                try await write(count)
                progress.writes.store(count, ordering: .relaxed)
            }
        }()
        let start = ContinuousClock.now
        let found = try await read()
        let duration = ContinuousClock.now - start
        let writes = progress.writes.load(ordering: .relaxed)
        progress.isOver.store(true, ordering: .relaxed)
        try await writer
        return BesideWriter(
            found: found,
            duration: duration,
            writes: writes,
            allWrites: 1 + progress.writes.load(ordering: .relaxed)
        )
    }
}
