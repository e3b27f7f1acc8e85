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
                if let delivered, let former = delivered as? any Equatable, former.isEqual(to: value) { continue }
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

/// An observation that calls a closure; it ends when it is deinitialized.
///
/// ```swift
/// let observation = store.observe({ db in try Contact.count(in: db) }) { result in
///     if case .success(let count) = result { label.text = "\(count)" }
/// }
/// …
/// observation.cancel()
/// ```
public final class ObservationToken: Sendable {
    private let gate: Gate
    private let task: Task<Void, Never>

    /// Whether the closure may still be called.
    fileprivate final class Gate: Sendable {
        private let isOpen = Locked(true)
        private let executor: StoreExecutor

        init(_ executor: StoreExecutor) {
            self.executor = executor
        }

        /// Calls the closure, unless the observation has ended. Since the closure may block, another thread replaces
        /// the current one in the executor meanwhile.
        func pass(_ call: () -> Void) {
            if isOpen.withLock({ $0 }) { executor.blocking(call) }
        }

        func close() {
            isOpen.withLock { $0 = false }
        }
    }

    fileprivate init(on executor: StoreExecutor, _ run: @escaping @Sendable (Gate) async -> Void) {
        let gate = Gate(executor)
        self.gate = gate
        task = Task(executorPreference: executor) { await run(gate) }
    }

    deinit {
        cancel()
    }

    /// Ends the observation; can be called from any thread, also from the closure. A call of the closure that is
    /// starting or running completes; no further one is made.
    public func cancel() {
        gate.close()
        task.cancel()
    }
}

extension Store {
    /// Calls a closure with the value of a read: now, and again after each commit that has changed it.
    ///
    /// The same as ``values(label:_:)``, for code without tasks.
    ///
    /// - Parameters:
    ///   - label: The name of the reads in error messages, including timeouts of operations that wait for their reader.
    ///   - read: The read; the tables that it reads may change from one call to the next.
    ///   - onValue: Called on one of the store's threads, one call at a time; it may block and use the store. An error
    ///     of the read is passed to the last call. When the store is closed, the last call gets the newest value if it
    ///     was not delivered before, possibly after closing has returned.
    /// - Returns: The observation, which ends when it is deinitialized.
    public func observe<Value: Sendable>(
        label: String? = nil,
        _ read: @escaping @Sendable (borrowing ReadTransaction) throws -> Value,
        onValue: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> ObservationToken {
        let values = values(label: label, read)
        return ObservationToken(on: executor) { gate in
            do {
                for try await value in values { gate.pass { onValue(.success(value)) } }
            } catch {
                gate.pass { onValue(.failure(error)) }
            }
        }
    }

    /// Calls a closure after each commit that has written one of some tables.
    ///
    /// The same as ``changes(in:)``, for code without tasks.
    ///
    /// - Parameters:
    ///   - tables: The tables.
    ///   - onChange: Called on one of the store's threads, one call at a time; it may block and use the store.
    /// - Returns: The observation, which ends when it is deinitialized.
    public func observeChanges(
        in tables: any Table.Type...,
        onChange: @escaping @Sendable () -> Void
    ) -> ObservationToken {
        let observer = ChangeObserver(pool.broadcaster, tables: TableChanges.names(tables))
        return ObservationToken(on: executor) { gate in
            do {
                // Commits from here on are not missed, however late the task begins.
                while try await observer.wait() {
                    observer.begin()
                    gate.pass(onChange)
                }
            } catch {
                // Cancelled.
            }
        }
    }
}
