/// What every side of the measures works on; the same in every run and in every process.
public enum TestData {
    public static let passphrase = "correct horse battery staple"
    public static let rawKey = [UInt8](0..<32)
    /// The raw key in the engine's own form.
    public static let rawKeyText = "x'\(rawKey.map { hexadecimal($0) }.joined())'"
    /// The rows that the measures write and read.
    public static let rowCount = 200_000
    /// The rows of an upsert.
    public static let upsertCount = 100_000
    /// The readers that a side may use.
    public static let readerCount = 4

    /// The rows that are inserted in a write each.
    public static let awaitedWriteCount = 1_920
    /// The rows that are read in a read each.
    public static let awaitedReadCount = 24_000
    /// The rows that are read in a read each beside a task that writes.
    public static let besideWriterCount = 48_000
    /// The rows of a stream.
    public static let streamedCount = 1_000_000

    /// The tasks that write at the same time.
    public static let writingTasks = 64
    /// The tasks that read at the same time.
    public static let readingTasks = 8

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }

    /// Does a number of things in as many tasks as are asked for, each its share of them.
    public static func inTasks(
        _ tasks: Int,
        of count: Int,
        _ body: @escaping @Sendable (Range<Int>) async throws -> Summary
    ) async throws -> Summary {
        try await withThrowingTaskGroup { group in
            for task in 0..<tasks {
                group.addTask { try await body((task * count / tasks)..<((task + 1) * count / tasks)) }
            }
            return try await group.reduce(into: Summary()) { sum, part in sum.add(part) }
        }
    }

    /// Rows without a key, for inserts.
    public static func rows(count: Int = rowCount) -> [Sample] {
        var generator = SeededGenerator(seed: 1)
        return (0..<count).map { Sample(number: $0, using: &generator) }
    }

    /// The rows of a stream, which are made a batch at a time, so that they need no memory.
    public static func batches(count: Int = streamedCount, size: Int = 10_000) -> some Sequence<[Sample]> {
        sequence(state: (0, SeededGenerator(seed: 1))) { state -> [Sample]? in
            guard state.0 < count else { return nil }
            let numbers = state.0..<min(state.0 + size, count)
            state.0 = numbers.upperBound
            return numbers.map { Sample(number: $0, using: &state.1) }
        }
    }

    /// The keys of the rows after their insertion, shuffled.
    public static func shuffledKeys() -> [Int64] {
        var generator = SeededGenerator(seed: 2)
        return (1...Int64(rowCount)).shuffled(using: &generator)
    }

    /// Keys of rows, at random; some may be there twice.
    ///
    /// - Parameter rows: The number of rows, whose keys are 1, 2, …
    public static func randomKeys(_ count: Int, of rows: Int, seed: UInt64) -> [Int64] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in Int64.random(in: 1...Int64(rows), using: &generator) }
    }

    /// The rows with their keys and with new values in all other columns.
    public static func changedRows() -> [Sample] {
        rows().enumerated().map { index, row in
            var changed = row.changed()
            changed.id = Int64(index) + 1
            changed.name = String(changed.name.reversed())
            return changed
        }
    }

    /// The rows that are there before an upsert: every second one.
    public static func rowsBeforeUpsert() -> [Sample] {
        accounts().enumerated().compactMap { $0.offset.isMultiple(of: 2) ? $0.element : nil }
    }

    /// The rows of an upsert, without keys: old and new in turn.
    public static func upsertRows() -> [Sample] {
        accounts().map { $0.changed() }
    }

    /// Rows whose names are addresses in ascending order. In another order, pages that the cache has let go of would
    /// cost more than everything else, and all sides would measure the cipher.
    private static func accounts() -> [Sample] {
        rows(count: upsertCount).enumerated().map { index, row in
            var account = row
            account.name = "member\(1_000_000 + index)@example.org"
            return account
        }
    }
}
