/// The records of a query, one at a time, from one snapshot; only a few of them are in memory at the same time.
///
/// ```swift
/// for try await contact in store.stream(Contact.where { $0.phone != nil }) {
///     try await send(contact)
/// }
/// ```
///
/// A reader is acquired with the first record and released after the last one, when the loop ends early, and at the
/// next read after the task was cancelled. It reads batches of up to 256 records; once the loop has used the first one,
/// it is one batch ahead, so that at most 512 records are in memory. A slow loop holds it for long: meanwhile the WAL
/// cannot be truncated, closing the store waits, and reads in the loop's body need another reader. In a store in
/// memory, all records are read at once. For few records see ``Query/fetch(in:)``.
public struct RecordStream<Source: Table>: AsyncSequence, Sendable where Source.RecordType: Sendable {
    public typealias Element = Source.RecordType

    let store: Store
    let query: Query<Source>
    let limits: OperationLimits
    /// Fills a batch; compiled for the record's type where the stream is made.
    let fill: Filling

    @usableFromInline
    typealias Filling =
        @Sendable (RecordBatch<Element>, Query<Source>, Statement, Connection, Bool) throws -> Void

    @usableFromInline
    init(
        _ store: Store, _ query: Query<Source>, label: String?, timeout: Duration?, _ fill: @escaping Filling
    ) {
        self.store = store
        self.query = query
        limits = OperationLimits(label: label, timeout: timeout)
        self.fill = fill
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: self)
    }

    /// Reads the records of a ``RecordStream``. Its copies read the same stream, one of them at a time.
    public struct Iterator: AsyncIteratorProtocol {
        /// Those that have been read, the last one first.
        @usableFromInline var records: [Element] = []
        private let batches: RecordBatches<Source>

        fileprivate init(stream: RecordStream) {
            batches = RecordBatches(stream)
        }

        /// The next record, or nil after the last one.
        ///
        /// - Parameter actor: The actor of the caller, on which it is resumed.
        /// - Throws: `CancellationError` if the task is cancelled; ``StrongroomError`` with `closed`, `typeMismatch`,
        ///   `damaged`, or the engine's failure. There are no further records then.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            if records.isEmpty { try await read(isolation: actor) }
            return records.popLast()
        }

        @usableFromInline
        mutating func read(isolation actor: isolated (any Actor)?) async throws {
            try await batches.next(into: &records)
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
    @inlinable
    public func stream<Source: Table>(
        _ query: Query<Source>,
        label: String? = nil,
        timeout: Duration? = nil
    ) -> RecordStream<Source> {
        RecordStream(self, query, label: label, timeout: timeout) {
            batch, query, statement, connection, isLimited in
            try batch.fill(from: query, statement, connection, isLimited: isLimited)
        }
    }
}
