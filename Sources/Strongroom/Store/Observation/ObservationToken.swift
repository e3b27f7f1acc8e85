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
