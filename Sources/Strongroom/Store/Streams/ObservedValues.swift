/// The values of a read: the current one, and a new one after each commit that has changed it. A slow consumer gets the
/// newest value only.
///
/// ```swift
/// for try await count in store.values({ db in try Contact.count(in: db) }) {
///     await badge.show(count)
/// }
/// ```
///
/// The read runs again after each commit that has written a table that it reads, and after each commit of another
/// process, whose tables are not known. If the type of the value is `Equatable`, a value that is equal (`==`) to the
/// last one is not delivered again; so `==` must compare all that the consumer shows, not only a key. Values of other
/// types, tuples among them, are not compared, and can be repeated.
///
/// The sequence ends when the store is closed, with the newest value: closing reads it once more if it was not
/// delivered. It throws what the read throws, and `CancellationError` if the task is cancelled.
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
        /// The value that was read while the store was closing.
        private let last: Locked<Result<Value, any Error>?>
        private var isFirst = true
        /// The value that was delivered last, if its type is `Equatable`.
        private var delivered: Value?

        fileprivate init(values: ObservedValues) {
            self.values = values
            let last = Locked<Result<Value, any Error>?>(nil)
            self.last = last
            observer = ChangeObserver(values.store.pool.broadcaster, tables: nil) { [read = values.read] connection in
                let value = Result { try connection.inKnownSnapshot { try read(ReadTransaction(connection)) } }
                last.withLock { $0 = value }
            }
        }

        /// The first value at once, each further one after a commit that has changed it or may have done so.
        ///
        /// - Returns: Nil when the store is closed.
        /// - Throws: What the read throws; `CancellationError`.
        public mutating func next() async throws -> Value? {
            while let value = try await read() {
                if let delivered, let last = delivered as? any Equatable, last.isEqual(to: value) { continue }
                delivered = value is any Equatable ? value : nil
                return value
            }
            return nil
        }

        private mutating func read() async throws -> Value? {
            if !isFirst, try await !observer.wait() { return try removeLast() }
            isFirst = false
            // A commit after the snapshot counts as a change again.
            observer.begin()
            let read = values.read
            do {
                let limits = OperationLimits(label: values.label, isLast: true)
                return try await values.store.pool.perform(.read, limits) { [observer] connection in
                    let (value, tables) = try connection.inKnownSnapshot {
                        try connection.watchingReads { try read(ReadTransaction(connection)) }
                    }
                    // Before the reader is released: otherwise closing the store would read the value again.
                    observer.watch(tables)
                    return value
                }
            } catch let error as StrongroomError where error.code == .closed && values.store.pool.isClosing {
                // No operation is left for closing to wait for.
                try await observer.waitForEnd()
                return try removeLast()
            }
        }

        private func removeLast() throws -> Value? {
            try last.withLock { $0.take() }?.get()
        }
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}

extension Store {
    /// The values of a read: the current one, and a new one after each commit that has changed it.
    ///
    /// - Parameters:
    ///   - label: The name of the reads in error messages, including timeouts of operations that wait for their reader.
    ///   - read: The read; the tables that it reads may change from one call to the next.
    /// - Returns: The values; read during iteration.
    public func values<Value: Sendable>(
        label: String? = nil,
        _ read: @escaping @Sendable (borrowing ReadTransaction) throws -> Value
    ) -> ObservedValues<Value> {
        ObservedValues(store: self, label: label, read: read)
    }
}
