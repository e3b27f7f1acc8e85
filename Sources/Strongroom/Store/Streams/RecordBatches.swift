/// Reads the records of a stream from one snapshot: the next batches while the loop uses the one before.
final class RecordBatches<Source: Table> where Source.RecordType: Sendable {
    typealias Element = Source.RecordType

    private let stream: RecordStream<Source>
    private let queue = BatchQueue<Element>()
    /// The batch that is being filled.
    private let batch = RecordBatch<Element>()
    private var reader: HeldReader?
    private var isAtEnd = false
    private var isReading = false

    init(_ stream: RecordStream<Source>) {
        self.stream = stream
    }

    deinit {
        if queue.isFilling { reader?.stop() }
    }

    /// Reads the next batch.
    ///
    /// - Parameter records: Empty; receives the records, the last one first, and stays empty after the last batch.
    /// - Throws: `CancellationError`; ``StrongroomError`` with `closed`, `timedOut`, `typeMismatch`, `damaged`, or the
    ///   engine's failure. There are no further batches then.
    func next(into records: inout [Element]) async throws {
        precondition(!isReading, "Two tasks read one iterator of a record stream at the same time.")
        guard !isAtEnd else { return }
        isReading = true
        defer { isReading = false }
        do {
            try Task.checkCancellation()
            guard !stream.store.pool.hasOneConnection else {
                isAtEnd = true
                try await readAll()
                return swap(&records, &batch.records)
            }
            if let reader {
                try await next(into: &records, from: reader)
            } else {
                try await first(into: &records)
            }
        } catch {
            if queue.isFilling { reader?.stop() }
            (isAtEnd, reader, records) = (true, nil, [])
            throw error
        }
    }

    /// Acquires a reader and reads the first batch. A loop may need no more, so nothing is read ahead.
    private func first(into records: inout [Element]) async throws {
        let reader = try await stream.store.pool.holdReader(stream.limits)
        self.reader = reader
        let filling = filling
        try await reader.perform(making: filling.makeStatement) { try filling.fill($0, $1) }
        swap(&records, &batch.records)
        if batch.isLast { try await end(reader) }
    }

    private func next(into records: inout [Element], from reader: HeldReader) async throws {
        if queue.beginsFilling() { filling.begin(on: reader, Urgency(Task.currentPriority)) }
        queue.reuse(&records)
        let next = try await withTaskCancellationHandler {
            try await queue.next()
        } onCancel: {
            reader.stop()
        }
        records = next.records
        if next.isLast { try await end(reader) }
    }

    private func end(_ reader: HeldReader) async throws {
        isAtEnd = true
        self.reader = nil
        try await reader.finish()
    }

    private var filling: Filling<Source> { Filling(stream: stream, queue: queue, batch: batch) }

    /// For a store in memory, whose single connection must not be held: a write in the loop would wait for it.
    private func readAll() async throws {
        let (stream, batch) = (stream, batch)
        try await stream.store.pool.perform(.read, stream.limits) { connection in
            try connection.inSnapshot {
                let statement = try stream.query.statement(as: Element.self, on: connection)
                defer { statement.finish() }
                try stream.fill(batch, stream.query, statement, connection, false)
            }
        }
    }
}

/// The reader's side of a stream: fills batches, one after the other, until enough of them are ready.
private struct Filling<Source: Table>: Sendable where Source.RecordType: Sendable {
    let stream: RecordStream<Source>
    let queue: BatchQueue<Source.RecordType>
    let batch: RecordBatch<Source.RecordType>

    /// The batches of one part of the reader's work: its thread can then do what others wait for.
    private static var batchesOfPart: Int { 16 }

    var makeStatement: @Sendable (Connection) throws -> Statement {
        { [query = stream.query] in try query.statement(as: Source.RecordType.self, on: $0) }
    }

    func fill(_ statement: Statement, _ connection: Connection) throws {
        try stream.fill(batch, stream.query, statement, connection, true)
    }

    /// Begins a part of the reader's work, and the next one when it is done.
    func begin(on reader: HeldReader, _ urgency: Urgency) {
        reader.begin(urgency, making: makeStatement) { statement, connection in
            try fill(statement, connection)
            // The last batch of the part is added when the part is done: the loop may then end the reading.
            for _ in 1..<Self.batchesOfPart {
                guard queue.hasRoom(after: batch) else { break }
                // As at the end of a part: no record of a damaged page is passed on.
                try connection.checkPages()
                queue.add(batch)
                try fill(statement, connection)
            }
            return batch
        } completion: { result in
            if queue.end(result) { begin(on: reader, urgency) }
        }
    }
}

/// Some consecutive records of a query.
@usableFromInline
final class RecordBatch<Element: Sendable>: @unchecked Sendable {  // used by one part of the work at a time
    /// The records, the last one first, so that each is removed from the end. The array is used again and again.
    @exclusivity(unchecked) @usableFromInline var records: [Element] = []
    /// Whether no further records follow.
    @exclusivity(unchecked) @usableFromInline var isLast = false
    /// The number of the query's records so far, with those of the batch once it is filled.
    @exclusivity(unchecked) @usableFromInline var count = 0

    @usableFromInline static var largest: Int { 256 }
    /// Large rows take time, and many of them take memory.
    @usableFromInline static var longest: Duration { .milliseconds(2) }

    init() {}

    /// Steps through a query's statement: to its end, or to ``largest`` records, or for ``longest``.
    ///
    /// - Parameters:
    ///   - isLimited: Whether the batch ends before the statement does.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, which names the row, or the engine's failure.
    @inlinable
    func fill<Source: Table>(
        from query: Query<Source>, _ statement: Statement, _ connection: Connection, isLimited: Bool
    ) throws where Source.RecordType == Element {
        // In place: the array's own method copies each record and releases it again.
        defer {
            count += records.count
            records.withUnsafeMutableBufferPointer { $0.reverse() }
        }
        let row = Row(statement)
        let start = ContinuousClock.now
        // Reading the clock takes as long as a column: it is read after 1, 2, 4, 8, 16, 24 … records.
        var nextLook = 1
        do {
            while try statement.step() {
                records.append(try Element(row: row))
                guard isLimited, records.count == nextLook else { continue }
                if nextLook >= Self.largest || ContinuousClock.now - start >= Self.longest { return }
                nextLook += min(nextLook, 8)
            }
        } catch {
            throw query.located(error, at: count + records.count, on: connection)
        }
        isLast = true
    }
}

/// The batches of a stream that are filled, and that its loop has not reached yet.
final class BatchQueue<Element: Sendable>: Sendable {
    struct Batch: Sendable {
        /// The last one first.
        var records: [Element]
        /// Whether no further batch follows.
        let isLast: Bool
    }

    /// With one batch filled, the reader fills another one, and does not wait for the loop.
    private static var most: Int { 2 }

    private struct Resumption {
        let continuation: CheckedContinuation<Batch, any Error>
        let result: Result<Batch, any Error>

        func resume() { continuation.resume(with: result) }
    }

    private struct State {
        var ready: [Batch] = []
        /// Whether a part of the reader's work fills batches.
        var isFilling = false
        /// Whether the last batch has been filled, or a part has failed.
        var isEnded = false
        var failure: (any Error)?
        var waiting: CheckedContinuation<Batch, any Error>?
        /// Arrays of former batches, whose memory is used again.
        var empty: [[Element]] = []

        /// Adds a batch.
        ///
        /// - Returns: The loop that waits for it, to be resumed outside the lock.
        mutating func add(_ batch: Batch) -> Resumption? {
            if batch.isLast { isEnded = true }
            if let waiting = waiting.take() { return Resumption(continuation: waiting, result: .success(batch)) }
            ready.append(batch)
            return nil
        }

        /// Records a failure, which follows the batches that are ready.
        mutating func fail(_ error: any Error) -> Resumption? {
            isEnded = true
            failure = error
            return waiting.take().map { Resumption(continuation: $0, result: .failure(error)) }
        }

        /// Whether a part has to begin, which is then recorded as begun.
        mutating func beginsFilling() -> Bool {
            guard !isFilling, !isEnded, ready.count < most else { return false }
            isFilling = true
            return true
        }
    }

    private let state = Locked(State())

    var isFilling: Bool { state.withLock { $0.isFilling } }

    /// Whether a part of the reader's work has to begin, which is then recorded as begun.
    func beginsFilling() -> Bool {
        state.withLock { $0.beginsFilling() }
    }

    /// The next batch; the task is suspended until it is filled.
    ///
    /// - Throws: The failure of the part that should have filled it.
    func next() async throws -> Batch {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { state -> Resumption? in
                if !state.ready.isEmpty {
                    return Resumption(continuation: continuation, result: .success(state.ready.removeFirst()))
                }
                if let failure = state.failure {
                    return Resumption(continuation: continuation, result: .failure(failure))
                }
                state.waiting = continuation
                return nil
            }?.resume()
        }
    }

    /// Keeps the array of a former batch, to use its memory again.
    func reuse(_ emptied: inout [Element]) {
        var array: [Element] = []
        swap(&array, &emptied)
        state.withLock { $0.empty.append(array) }
    }

    // MARK: The reader's side

    /// Whether there is room for another batch after one that is filled.
    func hasRoom(after batch: RecordBatch<Element>) -> Bool {
        state.withLock { !batch.isLast && $0.ready.count + 1 < Self.most }
    }

    /// Adds a batch, which is then empty.
    func add(_ batch: RecordBatch<Element>) {
        state.withLock { $0.add(Self.contents(of: batch, reusing: &$0.empty)) }?.resume()
    }

    /// Records that a part is done.
    ///
    /// - Parameter result: The batch that it filled last, which is added and then empty, or its failure.
    /// - Returns: Whether another part has to begin.
    func end(_ result: Result<RecordBatch<Element>, any Error>) -> Bool {
        let (resumption, begins) = state.withLock { state -> (Resumption?, Bool) in
            state.isFilling = false
            switch result {
            case .success(let batch):
                let resumption = state.add(Self.contents(of: batch, reusing: &state.empty))
                return (resumption, state.beginsFilling())
            case .failure(let error):
                return (state.fail(error), false)
            }
        }
        resumption?.resume()
        return begins
    }

    private static func contents(of batch: RecordBatch<Element>, reusing empty: inout [[Element]]) -> Batch {
        let contents = Batch(records: batch.records, isLast: batch.isLast)
        batch.records = empty.popLast() ?? []
        return contents
    }
}
