/// Reads the records of a stream from one snapshot: the next batch while the loop uses the one before.
final class RecordBatches<Source: Table> where Source.RecordType: Sendable {
    typealias Element = Source.RecordType

    private let stream: RecordStream<Source>
    /// The batch that is being filled.
    private let batch = RecordBatch<Element>()
    private var reader: HeldReader?
    /// Fills the batch ahead of the loop.
    private var ahead: Task<Void, any Error>?
    private var isAtEnd = false
    private var isReading = false
    /// Whether a batch was read.
    private var hasBegun = false

    init(_ stream: RecordStream<Source>) {
        self.stream = stream
    }

    deinit {
        if ahead != nil { reader?.stop() }
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
            if stream.store.pool.hasOneConnection { try await readAll() } else { try await readBatch() }
            swap(&records, &batch.records)
            try await continueOrEnd()
        } catch {
            if ahead != nil { reader?.stop() }
            (isAtEnd, reader, ahead, records) = (true, nil, nil, [])
            throw error
        }
    }

    private func readBatch() async throws {
        guard let reader else {
            let reader = try await stream.store.pool.holdReader(stream.limits)
            self.reader = reader
            return try await stream.read(batch, by: reader)
        }
        guard let ahead else { return try await stream.read(batch, by: reader) }
        try await withTaskCancellationHandler {
            try await ahead.value
        } onCancel: {
            reader.stop()
        }
    }

    /// Begins to read the next batch, which the loop uses later, or releases the reader after the last one. A loop may
    /// need no more than the first one, so nothing is read ahead of it.
    private func continueOrEnd() async throws {
        guard !batch.isLast else {
            isAtEnd = true
            ahead = nil
            try await reader.take()?.finish()
            return
        }
        guard let reader, hasBegun else { return hasBegun = true }
        ahead = Task(executorPreference: stream.store.executor) { [stream, batch] in
            try await stream.read(batch, by: reader)
        }
    }

    /// For a store in memory, whose single connection must not be held: a write in the loop would wait for it.
    private func readAll() async throws {
        try await stream.store.pool.perform(.read, stream.limits) { [stream, batch] connection in
            try connection.inSnapshot {
                let statement = try stream.query.statement(as: Element.self, on: connection)
                defer { statement.finish() }
                try stream.fill(batch, stream.query, statement, connection, false)
            }
        }
    }
}

extension RecordStream {
    /// Fills a batch, on the reader's thread.
    fileprivate func read(_ batch: RecordBatch<Element>, by reader: HeldReader) async throws {
        try await reader.perform(making: { [query] in try query.statement(as: Element.self, on: $0) }) {
            [fill, query] in try fill(batch, query, $0, $1, true)
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
    /// The number of the query's records in the batches that were filled.
    @exclusivity(unchecked) @usableFromInline var count = 0

    @usableFromInline static var largest: Int { 256 }
    /// Large rows take time, and many of them take memory.
    @usableFromInline static var longest: Duration { .milliseconds(2) }

    init() {}

    /// Steps through a query's statement: to its end, or to ``largest`` records, or for ``longest``.
    ///
    /// - Parameter isLimited: Whether the batch ends before the statement does.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, which names the row, or the engine's failure.
    @inlinable
    func fill<Source: Table>(
        from query: Query<Source>, _ statement: Statement, _ connection: Connection, isLimited: Bool
    ) throws where Source.RecordType == Element {
        // Through the buffer: the array's own method copies each record and releases it again.
        defer {
            count += records.count
            records.withUnsafeMutableBufferPointer { $0.reverse() }
        }
        let row = Row(statement)
        let start = ContinuousClock.now
        // Reading the clock takes as long as a column: it is read after 1, 2, 4, 8, 16, 24 … records.
        var nextCheck = 1
        do {
            while try statement.step() {
                records.append(try Element(row: row))
                guard isLimited, records.count == nextCheck else { continue }
                if nextCheck >= Self.largest || ContinuousClock.now - start >= Self.longest { return }
                nextCheck += min(nextCheck, 8)
            }
        } catch {
            throw query.located(error, at: count + records.count, on: connection)
        }
        isLast = true
    }
}
