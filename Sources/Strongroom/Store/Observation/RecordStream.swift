/// The records of a query, one at a time, from one snapshot; only a few of them are in memory at the same time.
///
/// ```swift
/// for try await contact in store.stream(Contact.where { $0.phone != nil }) {
///     try await send(contact)
/// }
/// ```
///
/// A reader is acquired with the first record and released after the last one, when the loop ends early, and at the
/// next read after the task was cancelled. A slow loop holds it for long: meanwhile the WAL cannot be truncated,
/// closing the store waits, and reads in the loop's body need another reader. In a store in memory, all records are
/// read at once. For few records see ``Query/fetch(in:)``.
public struct RecordStream<Source: Table>: AsyncSequence, Sendable where Source.RecordType: Sendable {
    public typealias Element = Source.RecordType

    let store: Store
    let query: Query<Source>
    let limits: OperationLimits

    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: self)
    }

    /// Reads the records of a ``RecordStream``.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: RecordStream
        private var reader: HeldReader?
        private var records: [Source.RecordType] = []
        private var index = 0
        /// The records before the next one.
        private var count = 0
        private var isAtEnd = false

        fileprivate init(stream: RecordStream) {
            self.stream = stream
        }

        /// The next record, or nil after the last one.
        ///
        /// - Throws: `CancellationError` if the task is cancelled; ``StrongroomError`` with `closed`, `typeMismatch`,
        ///   `damaged`, or the engine's failure. There are no further records then.
        public mutating func next() async throws -> Source.RecordType? {
            if index == records.count {
                do {
                    try await read()
                } catch {
                    (isAtEnd, reader, records, index) = (true, nil, [], 0)
                    throw error
                }
            }
            guard index < records.count else { return nil }
            defer { index += 1 }
            return records[index]
        }

        private mutating func read() async throws {
            (records, index) = ([], 0)
            guard !isAtEnd else { return }
            guard !stream.store.pool.hasOneConnection else { return try await readAll() }
            let reader = if let reader { reader } else { try await stream.store.pool.holdReader(stream.limits) }
            self.reader = reader
            let (query, count) = (stream.query, count)
            let batch = try await reader.perform(
                making: { try query.statement(as: Source.RecordType.self, on: $0) },
                { statement, connection in try Batch(query, after: count, statement, connection) }
            )
            self.count += batch.records.count
            records = batch.records
            guard batch.isLast else { return }
            isAtEnd = true
            try await reader.finish()
            self.reader = nil
        }

        /// For a store in memory, whose single connection must not be held: a write in the loop would wait for it.
        private mutating func readAll() async throws {
            let query = stream.query
            isAtEnd = true
            records = try await stream.store.pool.perform(.read, stream.limits) { connection in
                try connection.inSnapshot {
                    let statement = try query.statement(as: Source.RecordType.self, on: connection)
                    defer { statement.finish() }
                    return try Batch(query, after: 0, statement, connection, isLimited: false).records
                }
            }
        }
    }

    /// The records of one read: a limited number, or all.
    private struct Batch: Sendable {
        var records: [Source.RecordType] = []
        var isLast = false

        private static var largest: Int { 256 }
        /// Large rows take time, and many of them take memory.
        private static var longest: Duration { .milliseconds(2) }

        init(
            _ query: Query<Source>, after count: Int, _ statement: Statement, _ connection: Connection,
            isLimited: Bool = true
        ) throws {
            let start = ContinuousClock.now
            let row = Row(statement)
            do {
                repeat {
                    guard try statement.step() else {
                        isLast = true
                        return
                    }
                    records.append(try Source.RecordType(row: row))
                } while !isLimited || records.count < Self.largest && ContinuousClock.now - start < Self.longest
            } catch {
                throw query.located(error, at: count + records.count, on: connection)
            }
        }
    }
}

extension Store {
    /// The records of a query, one at a time.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - label: The name of the read in error messages, including timeouts of operations that wait for its reader.
    ///   - timeout: How long the first record may wait for a reader; nil for no limit.
    /// - Returns: The records; read when they are iterated over, each time from the snapshot of that moment. The
    ///   iteration throws ``StrongroomError`` with `timedOut`, `closed`, `typeMismatch`, `damaged`, or the engine's
    ///   failure.
    public func stream<Source: Table>(
        _ query: Query<Source>,
        label: String? = nil,
        timeout: Duration? = nil
    ) -> RecordStream<Source> {
        RecordStream(store: self, query: query, limits: OperationLimits(label: label, timeout: timeout))
    }
}
