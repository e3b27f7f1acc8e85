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
