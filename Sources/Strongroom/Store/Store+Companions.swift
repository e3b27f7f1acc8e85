/// What accompanies an open store.
extension Store {
    /// Adds a companion, which is ended when the store is closed.
    ///
    /// - Throws: ``StrongroomError`` with `closed`.
    package func add(_ companion: any StoreCompanion) throws {
        guard pool.companions.add(companion) else { throw pool.closed }
    }

    /// The companion of a type; nil if the store has none.
    package func companion<Companion: StoreCompanion>(_ type: Companion.Type) -> Companion? {
        pool.companions.first(type)
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
        guard !file.isInMemory, let key = try file.activeKey().derivedKey else {
            throw StrongroomError(
                .notReplicable,
                """
                The database is in memory or not encrypted, so there are no encrypted pages that a replica could have. \
                Give its configuration a key and a file, or leave out the replica.
                """,
                database: name.fileName)
        }
        return { [file] in
            CommitReader(try PageCipher(key, settings: key.settings)) {
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
    /// - Parameter isWhole: Whether the file must have every commit, without the WAL.
    /// - Returns: Nil if that is not known.
    package func fileStamp(ofWhole isWhole: Bool) throws -> FileStamp? {
        let file = try file.context().file
        return try isWhole ? .ofWholeFile(file) : .of(file)
    }

    /// Checkpoints the WAL without waiting, while this store does not write; its companions let the WAL go.
    package func checkpointWithoutWaiting() async throws {
        try pool.requireWriting()
        // A write that takes long is not waited for.
        let limits = OperationLimits(timeout: .milliseconds(500))
        try await pool.perform(.ungroupedWrite, limits) { [companions = pool.companions] connection in
            companions.checkpointing()
            if connection.checkpointWithoutWaiting() { companions.checkpointing() }
        }
    }
}
