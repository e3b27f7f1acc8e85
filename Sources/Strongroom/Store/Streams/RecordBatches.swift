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
