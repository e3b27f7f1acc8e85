/// The records of a query, one after the other, from one snapshot; however many there are, a few are in memory at one
/// time.
///
/// ```swift
/// for try await contact in store.stream(Contact.where { $0.phone != nil }) {
///     try await send(contact)
/// }
/// ```
///
/// A reader is taken with the first record and given back after the last one, when the loop is left, and when the next
/// records are to be read after the task was cancelled. A loop that takes long keeps it for long: the log cannot become
/// shorter meanwhile, closing the store waits, and what the loop's body reads from the same store needs another reader.
/// Of a store in memory all records are read at once. See ``Query/fetch(in:)`` for few records.
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
        private var place = 0
        /// The records before those.
        private var count = 0
        private var isAtEnd = false

        fileprivate init(stream: RecordStream) {
            self.stream = stream
        }

        /// The next record, or nil after the last one.
        ///
        /// - Throws: `CancellationError` when the task is cancelled; ``StrongroomError`` with `closed`, `typeMismatch`,
        ///   `damaged`, or the engine's failure. There are no further records then.
        public mutating func next() async throws -> Source.RecordType? {
            if place == records.count {
                do {
                    try await read()
                } catch {
                    (isAtEnd, reader, records, place) = (true, nil, [], 0)
                    throw error
                }
            }
            guard place < records.count else { return nil }
            defer { place += 1 }
            return records[place]
        }

        private mutating func read() async throws {
            (records, place) = ([], 0)
            guard !isAtEnd else { return }
            guard !stream.store.pool.hasOneSeat else { return try await readAll() }
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

        /// Of a store in memory, whose one connection nobody may keep: what the loop writes would wait for it.
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

    /// As many records as are read at one time, or all.
    private struct Batch: Sendable {
        var records: [Source.RecordType] = []
        var isLast = false

        private static var largest: Int { 256 }
        /// Large rows take time, and many of them would take memory.
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
    /// The records of a query, one after the other.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - label: How errors name the read, to those who wait for its reader.
    ///   - timeout: How long the first record may wait for a reader; nil for as long as it takes.
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
