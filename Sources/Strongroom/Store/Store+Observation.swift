import Logging

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

extension Store {
    /// Reports each commit that has written one of some tables.
    ///
    /// A statement that could have written a table counts even if it matched no row.
    ///
    /// - Parameter tables: The tables.
    /// - Returns: The changes since the start of the iteration.
    public func changes(in tables: any Table.Type...) -> TableChanges {
        TableChanges(broadcaster: pool.broadcaster, tables: Set(tables.map { TableUse.name($0.schema.name) }))
    }
}

extension Store {
    /// Adds a participant, which is ended when the store is closed.
    ///
    /// - Throws: ``StrongroomError`` with `closed`.
    package func add(_ participant: any StoreParticipant) throws {
        guard pool.add(participant) else { throw pool.closed }
    }

    /// The participant of a type; nil if the store has none.
    package func participant<Participant: StoreParticipant>(_ type: Participant.Type) -> Participant? {
        pool.participants.withLock { $0 }.lazy.compactMap { $0 as? Participant }.first
    }

    /// Ends the store's right to write for good: every later write throws an error, and so do those that run.
    package func refuseWrites(_ error: StrongroomError) { pool.right.end(error) }

    /// Limits the store's right to write: from a moment on, every write throws an error, also one that has begun.
    ///
    /// - Parameters:
    ///   - deadline: The moment; nil if no write is accepted until there is another one.
    ///   - error: What writes throw then.
    package func allowWrites(until deadline: WriteDeadline?, then error: StrongroomError) {
        pool.right.limit(to: deadline, then: error)
    }

    /// Flushes the WAL to the disk: a program that commits without doing so may have written it.
    package func synchronizeLog() throws {
        let log = try file.context().file.sideFiles.log
        if try FileStatus.at(log) != nil { try FileSystem.synchronize(log) }
    }

    /// The length of the WAL, in bytes; nil if it is not known.
    package func logLength() -> Int64? {
        guard let log = try? file.context().file.sideFiles.log else { return nil }
        return (try? FileStatus.at(log))??.size
    }

    /// The paths of all records of what was shipped to replicas.
    package func replicaRecordPaths() throws -> [String] { try file.contextToWrite().file.replicaRecordPaths() }

    /// Makes readers of the store's commits, as they are stored; does not retain the store.
    ///
    /// - Throws: ``StrongroomError`` with `notReplicable` if the database is in memory or not encrypted; `closed`.
    package func commitReaders() throws -> @Sendable () throws -> CommitReader {
        guard !file.isInMemory, let key = try file.derivedKey() else {
            throw StrongroomError(
                .notReplicable,
                """
                The database is in memory or not encrypted, so there are no encrypted pages that a replica could have. \
                Give its configuration a key and a file, or leave out the replica.
                """,
                database: name.fileName)
        }
        return { [file] in
            CommitReader(try PageCipher(key)) {
                let connection = try file.connect(as: .reader)
                do { try connection.keepLittleMemory() } catch {
                    connection.close()
                    throw error
                }
                return connection
            }
        }
    }

    /// The path of the record of what was shipped to a replica.
    ///
    /// - Parameter name: What distinguishes the record from those of other replicas.
    package func replicaRecordPath(_ name: String) throws -> String {
        try file.contextToWrite().file.replicaRecordPath(name)
    }

    /// The envelope of the database, as it is stored; nil if there is none.
    package func envelope() throws -> [UInt8]? {
        let file = try file.context().file
        return try EnvelopeFile(databasePath: file.path, name: file.name).stored()
    }

    /// What shows that the file was not written since.
    ///
    /// - Parameter isComplete: Whether the file must have every commit, without the WAL.
    /// - Returns: Nil if that is not known.
    package func fileStamp(ofCompleteFile isComplete: Bool) throws -> FileStamp? {
        let file = try file.context().file
        return try isComplete ? .ofCompleteFile(file) : .of(file)
    }

    /// Checkpoints the WAL without waiting, while this store does not write; its participants let the WAL go.
    package func checkpointWithoutWaiting() async throws {
        try pool.requireWriting()
        // A write that takes long is not waited for.
        let limits = OperationLimits(timeout: .milliseconds(500))
        try await pool.perform(.ungroupedWrite, limits) { [pool] connection in
            pool.letLogGo()
            if connection.checkpointWithoutWaiting() { pool.letLogGo() }
        }
    }
}

/// Writes that no caller waits for.
extension Store {
    /// The deferred writes; closing the store queues all of them in one step.
    package var deferredWrites: Locked<[ObjectIdentifier: any DeferredWrite]> { pool.deferredWrites }

    /// Queues a write and returns at once; it runs later, in a transaction that other writes may share.
    ///
    /// Closing the store waits for the write and for `finish`.
    ///
    /// - Parameters:
    ///   - label: Its name in error messages.
    ///   - work: The write.
    ///   - undone: Called if the write has failed and is undone, before the next write; must return quickly.
    ///   - finish: Called once with the outcome, on the thread that has committed; must neither read nor write with a
    ///     blocking call, nor wait for a thread that does.
    package func queueWrite(
        _ label: String,
        _ work: @escaping @Sendable (borrowing WriteTransaction) throws -> Void,
        undone: @escaping @Sendable () -> Void,
        finish: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        pool.queueWrite(label, { connection in try work(WriteTransaction(connection)) }, undone: undone, finish: finish)
    }

    /// Logs failures that are reported to no caller, to the configuration's logger or, without one, to swift-log's
    /// default.
    ///
    /// - Returns: Logs a message with metadata; also works after the store is closed.
    package func failureLog() -> @Sendable (_ message: String, _ metadata: [String: String]) -> Void {
        // Without a context the store is closed, and the write fails with that error.
        var logger = (try? file.context())?.logger ?? Logger(label: "strongroom")
        logger[metadataKey: "database"] = .string(name.fileName)
        return { [logger] message, metadata in
            logger.error("\(message)", metadata: metadata.mapValues { .string($0) })
        }
    }
}
