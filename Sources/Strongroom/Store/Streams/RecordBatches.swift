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
            let begins = reader == nil ? queue.beginsFirst() : queue.beginsAhead()
            let reader = if let reader { reader } else { try await stream.store.pool.holdReader(stream.limits) }
            self.reader = reader
            if begins { filling.begin(on: reader, Urgency(Task.currentPriority)) }
            queue.reuse(&records)
            let next = try await withTaskCancellationHandler {
                try await queue.take()
            } onCancel: {
                reader.stop()
            }
            records = next.records
            if next.isLast {
                isAtEnd = true
                self.reader = nil
                try await reader.finish()
            }
        } catch {
            if queue.isFilling { reader?.stop() }
            (isAtEnd, reader, records) = (true, nil, [])
            throw error
        }
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

    /// Begins a part of the reader's work.
    func begin(on reader: HeldReader, _ urgency: Urgency) {
        reader.begin(urgency) { [query = stream.query] connection in
            try query.statement(as: Source.RecordType.self, on: connection)
        } _: { statement, connection in
            while true {
                try stream.fill(batch, stream.query, statement, connection, true)
                guard queue.isFollowed(batch) else { return batch }
                // As at the end of a part: no record of a damaged page is passed on.
                try connection.checkPages()
                queue.add(batch)
            }
        } completion: { result in
            if queue.end(result) { begin(on: reader, urgency) }
        }
    }
}
