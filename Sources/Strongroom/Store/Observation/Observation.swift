/// An observation that calls a closure; it ends when nobody refers to it any more.
///
/// ```swift
/// let observation = store.observe({ db in try Contact.count(in: db) }) { result in
///     if case .success(let count) = result { label.text = "\(count)" }
/// }
/// …
/// observation.cancel()
/// ```
public final class Observation: Sendable {
    private let gate: Gate
    private let task: Task<Void, Never>

    /// Whether the closure may still be called.
    fileprivate final class Gate: Sendable {
        private let isOpen = Locked(true)
        private let executor: StoreExecutor

        init(_ executor: StoreExecutor) {
            self.executor = executor
        }

        /// Calls the closure, if it may be called. While it runs, another thread takes its thread's place in the
        /// store's work: it may wait for that.
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

    /// Ends the observation, from any thread, the closure's included. A call of the closure that is just beginning, or
    /// has begun, runs to its end; there is none after it.
    public func cancel() {
        gate.close()
        task.cancel()
    }
}

extension Store {
    /// Calls a closure with what a read gives: now, and again after each commit that has written a table that it reads.
    ///
    /// The same as ``values(label:_:)``, for code without tasks.
    ///
    /// - Parameters:
    ///   - label: How errors name the reads, to those who wait for their reader.
    ///   - read: The read; which tables it reads may differ from time to time.
    ///   - onValue: Called on one of the store's threads, one call after the other, where it may block and use the
    ///     store. A failure is what the read throws, and the last call. When the store is closed it is told the newest
    ///     value if it does not know it yet, maybe when closing has returned, and nothing more.
    /// - Returns: The observation, which ends when nobody refers to it.
    public func observe<Value: Sendable>(
        label: String? = nil,
        _ read: @escaping @Sendable (borrowing ReadTransaction) throws -> Value,
        onValue: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Observation {
        let values = values(label: label, read)
        return Observation(on: executor) { gate in
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
    ///   - onChange: Called on one of the store's threads, one call after the other, where it may block and use the
    ///     store.
    /// - Returns: The observation, which ends when nobody refers to it.
    public func observeChanges(
        in tables: any Table.Type...,
        onChange: @escaping @Sendable () -> Void
    ) -> Observation {
        let observer = ChangeObserver(pool.hub, tables: TableChanges.names(tables))
        return Observation(on: executor) { gate in
            do {
                // What is committed from here on is not missed, however late the task begins.
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
