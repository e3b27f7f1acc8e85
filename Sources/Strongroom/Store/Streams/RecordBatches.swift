/// Reads the records of a stream from one snapshot: the next batch while the loop uses the one before.
final class RecordBatches<Source: Table> where Source.RecordType: Sendable {
    typealias Batch = RecordBatch<Source.RecordType>

    private let stream: RecordStream<Source>
    private let batch = Batch()
    private var reader: HeldReader?
    /// The filling of the batch, which has begun.
    private var filling: WorkAhead<Void>?
    /// The number of records in the batches so far.
    private var count = 0
    private var isAtEnd = false
    private var isReading = false

    init(_ stream: RecordStream<Source>) {
        self.stream = stream
    }

    deinit {
        if filling != nil { reader?.stop() }
    }

    /// Reads the next batch.
    ///
    /// - Parameter records: Empty; receives the records, the last one first, and stays empty after the last batch.
    /// - Throws: `CancellationError`; ``StrongroomError`` with `closed`, `timedOut`, `typeMismatch`, `damaged`, or the
    ///   engine's failure. There are no further batches then.
    func next(into records: inout [Source.RecordType]) async throws {
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
            // A loop may need no more than the first batch, so nothing is read ahead then.
            let isFirst = reader == nil
            let reader = if let reader { reader } else { try await stream.store.pool.holdReader(stream.limits) }
            self.reader = reader
            if let filling {
                try await reader.finished(filling)
            } else {
                try await reader.perform(making: makeStatement, filler)
            }
            filling = nil
            count += batch.records.count
            swap(&records, &batch.records)
            if batch.isLast {
                isAtEnd = true
                self.reader = nil
                try await reader.finish()
            } else if !isFirst {
                filling = reader.begin(making: makeStatement, filler)
            }
        } catch {
            if filling != nil { reader?.stop() }
            (isAtEnd, reader, filling, records) = (true, nil, nil, [])
            throw error
        }
    }

    private var makeStatement: @Sendable (Connection) throws -> Statement {
        let query = stream.query
        return { try query.statement(as: Source.RecordType.self, on: $0) }
    }

    /// Fills the batch, which is empty.
    private var filler: @Sendable (Statement, Connection) throws -> Void {
        let (stream, batch, count) = (stream, batch, count)
        return { try stream.fill(batch, stream.query, count, $0, $1, true) }
    }

    /// For a store in memory, whose single connection must not be held: a write in the loop would wait for it.
    private func readAll() async throws {
        let (stream, batch) = (stream, batch)
        try await stream.store.pool.perform(.read, stream.limits) { connection in
            try connection.inSnapshot {
                let statement = try stream.query.statement(as: Source.RecordType.self, on: connection)
                defer { statement.finish() }
                try stream.fill(batch, stream.query, 0, statement, connection, false)
            }
        }
    }
}
