/// What a read gives, now and again after each commit that has written a table that it reads. A slow consumer gets the
/// newest value.
///
/// ```swift
/// for try await count in store.values({ db in try Contact.count(in: db) }) {
///     await badge.show(count)
/// }
/// ```
///
/// It ends when the store is closed, with the newest value: closing reads it once more for whoever has not got it yet.
/// It throws what the read throws, and `CancellationError` when the task is cancelled. A value can come twice: what was
/// written may not have changed it. Commits of other processes, and of other stores of the same program, are not seen.
public struct ObservedValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let store: Store
    let label: String?
    let read: @Sendable (borrowing ReadTransaction) throws -> Value

    public func makeAsyncIterator() -> Iterator {
        Iterator(values: self)
    }

    /// Reads the values of ``ObservedValues``.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let values: ObservedValues
        private let observer: ChangeObserver
        /// What closing the store has read.
        private let last: Locked<Result<Value, any Error>?>
        private var isFirst = true

        fileprivate init(values: ObservedValues) {
            self.values = values
            let last = Locked<Result<Value, any Error>?>(nil)
            self.last = last
            observer = ChangeObserver(values.store.pool.hub, tables: nil) { [read = values.read] connection in
                let value = Result { try connection.inSnapshot { try read(ReadTransaction(connection)) } }
                last.withLock { $0 = value }
            }
        }

        /// The first value at once, every further one when it may have changed.
        ///
        /// - Returns: Nil when the store is closed.
        /// - Throws: What the read throws; `CancellationError`.
        public mutating func next() async throws -> Value? {
            if !isFirst, try await !observer.wait() { return try takeLast() }
            isFirst = false
            // What is committed after the snapshot counts as a change again.
            observer.begin()
            let read = values.read
            do {
                let limits = OperationLimits(label: values.label, isLast: true)
                return try await values.store.pool.perform(.read, limits) { [observer] connection in
                    let (value, tables) = try connection.inSnapshot {
                        try connection.watchingReads { try read(ReadTransaction(connection)) }
                    }
                    // Before the reader is given back: whoever closes the store then need not read it again.
                    observer.watch(tables)
                    return value
                }
            } catch let error as StrongroomError where error.code == .closed && values.store.pool.isClosing {
                // Nobody works any more whom closing would wait for.
                try await observer.waitForEnd()
                return try takeLast()
            }
        }

        private func takeLast() throws -> Value? {
            try last.withLock { $0.take() }?.get()
        }
    }
}

extension Store {
    /// What a read gives, now and again after each commit that has written a table that it reads.
    ///
    /// - Parameters:
    ///   - label: How errors name the reads, to those who wait for their reader.
    ///   - read: The read; which tables it reads may differ from time to time.
    /// - Returns: The values; read when they are iterated over.
    public func values<Value: Sendable>(
        label: String? = nil,
        _ read: @escaping @Sendable (borrowing ReadTransaction) throws -> Value
    ) -> ObservedValues<Value> {
        ObservedValues(store: self, label: label, read: read)
    }
}
