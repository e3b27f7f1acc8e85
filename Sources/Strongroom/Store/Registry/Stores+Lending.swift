/// Stores that are open while they are used.
extension Stores {
    /// How many lent stores are kept open, and for how long.
    ///
    /// A lower limit closes idle stores at once, and stores in use when they are returned.
    public var lendingLimits: LendingLimits {
        get { state.withLock { $0.registry.limits } }
        set { perform { $0.setLimits(newValue) } }
    }

    /// Uses a store, which is opened if necessary, shared with other users meanwhile, and kept open for an idle time
    /// afterwards.
    ///
    /// ```swift
    /// let names = try await stores.withStore("clinic_a.sqlite") { store in
    ///     try await store.read { db in try Patient.order { $0.name }.fetch(in: db) }
    /// }
    /// ```
    ///
    /// At the limit of ``lendingLimits``, an idle store is closed for this one; if all are in use, the call waits in
    /// FIFO order, except inside the closure of another use, which may have what it would wait for: the limit is
    /// exceeded then. A store is not closed while a closure uses it, unless a program closes it itself, by `close` or
    /// `closeAll`. Use nothing of it afterwards; what lasts longer, such as a loop over observed values, needs a
    /// ``StoreLease``.
    ///
    /// - Parameters:
    ///   - fileName: The database's name, such as `clinic_a.sqlite`.
    ///   - timeout: How long to wait for other users at a limit; nil for no limit of time.
    ///   - label: Who uses the store, for the report of a shutdown; nil for the source file and line.
    ///   - file: The source file of the call.
    ///   - line: The line of the call.
    ///   - body: Uses the store; called once, in the caller's isolation.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; as `open`; `CancellationError` if the task is cancelled while it waits;
    ///   ``StrongroomError`` with `timedOut`, `closed` after ``shutDown(within:)``.
    @discardableResult
    public func withStore<T>(
        _ fileName: String, timeout: Duration? = nil, label: String? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ body: (Store) async throws -> T
    ) async throws -> T {
        try await withStore(DatabaseName(fileName), timeout: timeout, label: label, file: file, line: line, body)
    }

    /// Uses a store whose name is already validated; otherwise as the method for a text.
    @discardableResult
    public func withStore<T>(
        _ name: DatabaseName, timeout: Duration? = nil, label: String? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ body: (Store) async throws -> T
    ) async throws -> T {
        let lease = try await lease(name, timeout: timeout, label: label, file: file, line: line)
        defer { lease.end() }
        return try await StoreUse.run(.closure, name, of: self) { try await body(lease.store) }
    }

    /// Opens a store if necessary, and keeps it open until the lease ends. A task that has a lease and requests another
    /// store waits for the limits: with as many such tasks as stores that may be open, they wait for each other.
    ///
    /// ```swift
    /// let lease = try await stores.lease("clinic_a.sqlite")
    /// defer { lease.end() }
    /// ```
    ///
    /// - Parameters:
    ///   - fileName: The database's name, such as `clinic_a.sqlite`.
    ///   - timeout: How long to wait for other users at a limit; nil for no limit of time.
    ///   - label: Who uses the store, for the report of a shutdown; nil for the source file and line.
    ///   - file: The source file of the call.
    ///   - line: The line of the call.
    /// - Returns: The lease.
    /// - Throws: As ``withStore(_:timeout:label:file:line:_:)-(String,_,_,_,_,_)``.
    public func lease(
        _ fileName: String, timeout: Duration? = nil, label: String? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> StoreLease {
        try await lease(DatabaseName(fileName), timeout: timeout, label: label, file: file, line: line)
    }

    /// Opens a store whose name is already validated if necessary, and keeps it open until the lease ends; otherwise as
    /// the method for a text.
    public func lease(
        _ name: DatabaseName, timeout: Duration? = nil, label: String? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> StoreLease {
        try Task.checkCancellation()
        let (loan, store, isFirst) = try await request(name, .borrow, timeout: timeout)
        return StoreLease(store, loan, of: self, label: label ?? "\(file):\(line)", isFirst: isFirst)
    }
}
