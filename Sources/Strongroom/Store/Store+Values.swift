/// Reads and writes that change a value of the caller.
extension Store {
    /// Writes with a value that the closure may change, such as a record that receives its key.
    ///
    /// The closure gets a copy. The caller's value is changed when the transaction is committed: it is unchanged if the
    /// write fails.
    ///
    /// ```swift
    /// var contact = Contact(name: "Ada", email: "ada@example.org")
    /// try await store.write(&contact) { db, contact in
    ///     try Contact.insert(&contact, in: db)
    ///     try Phone.insert(Phone(contact: contact.id, number: "+49 30 1234"), in: db)
    /// }
    /// print(contact.id)
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value; several may be a tuple.
    ///   - author: The author, for tables that keep a history; see ``Writing/author``.
    ///   - kind: How the transaction begins, and whether other writes may share it.
    ///   - label: The name of the write in error messages, including timeouts of operations that wait for it.
    ///   - timeout: How long it may wait and run; nil for no limit.
    ///   - body: Runs once, on one of the store's threads. If it throws, its work is rolled back. If it calls
    ///     ``WriteTransaction/rollBack()``, its work is rolled back, too, and the value is unchanged.
    /// - Returns: What the closure returns.
    /// - Throws: As `write`; the value is unchanged then.
    @discardableResult
    public func write<Changed: Sendable, T: Sendable>(
        _ value: inout Changed,
        author: String? = nil,
        as kind: WriteKind = .shared,
        label: String? = nil,
        timeout: Duration? = nil,
        _ body: sending @escaping (borrowing WriteTransaction, inout Changed) throws -> T
    ) async throws -> T {
        nonisolated(unsafe) let body = body  // sent to this function, which calls it once
        let before = value
        let (result, after) = try await pool.write(as: kind, OperationLimits(label: label, timeout: timeout)) {
            connection in
            if let author { connection.setAuthor(author) }
            var copy = before
            let result = try body(WriteTransaction(connection), &copy)
            return (result, connection.transaction.rollback == .requested ? before : copy)
        }
        value = after
        return result
    }

    /// Reads with a value that the closure may change, such as records whose children are loaded.
    ///
    /// ```swift
    /// try await store.read(&contacts) { db, contacts in
    ///     try Contact.load(\.$phones, of: &contacts, in: db)
    ///     try Contact.load(\.$employer, of: &contacts, in: db)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value; several may be a tuple.
    ///   - label: The name of the read in error messages, including timeouts of operations that wait for its reader.
    ///   - timeout: How long it may wait and run; nil for no limit.
    ///   - body: Runs once, on one of the store's threads.
    /// - Returns: What the closure returns.
    /// - Throws: As `read`; the value is unchanged then.
    @discardableResult
    public func read<Changed: Sendable, T: Sendable>(
        _ value: inout Changed,
        label: String? = nil,
        timeout: Duration? = nil,
        _ body: sending @escaping (borrowing ReadTransaction, inout Changed) throws -> T
    ) async throws -> T {
        nonisolated(unsafe) let body = body  // sent to this function, which calls it once
        let before = value
        let (result, after) = try await pool.read(OperationLimits(label: label, timeout: timeout)) { connection in
            var copy = before
            let result = try body(ReadTransaction(connection), &copy)
            return (result, copy)
        }
        value = after
        return result
    }
}
