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

    /// Makes every later write of the store throw an error; those that run end as usual.
    package func refuseWrites(_ error: StrongroomError) {
        pool.refuseWrites(error)
    }

    /// A reader of the store's commits, as they are stored.
    ///
    /// - Throws: ``StrongroomError`` with `notReplicable` if the database is in memory or not encrypted; `closed`.
    package func makeCommitReader() throws -> CommitReader {
        guard !file.isInMemory, let layout = try file.activeKey().derivedKey?.settings.layout else {
            throw StrongroomError(
                .notReplicable,
                """
                The database is in memory or not encrypted, so there are no encrypted pages that a replica could have. \
                Give its configuration a key and a file, or leave out the replica.
                """,
                database: name.fileName)
        }
        return CommitReader(layout) { [file] in try file.connect(as: .reader) }
    }

    /// The record of which replica the database has; nil if there is none.
    package func replicaRecord() throws -> [UInt8]? {
        try FileSystem.firstBytesIfThere(of: file.context().file.replicaRecordPath, 4_096)
    }

    /// Writes that record; a crash leaves the former one or this.
    package func writeReplicaRecord(_ bytes: [UInt8]) throws {
        let path = try file.contextToWrite().file.replicaRecordPath
        let temporary = path + ".new"
        try FileSystem.removeCopy(temporary)
        let new = try PlainFile(making: temporary)
        try bytes.withUnsafeBytes { try new.write($0, at: 0) }
        try new.synchronize()
        try new.replace(path)
        try FileSystem.synchronize(FileSystem.directory(of: path))
    }

    /// The envelope of the database, as it is stored; nil if there is none.
    package func envelope() throws -> [UInt8]? {
        let file = try file.context().file
        return try EnvelopeFile(databasePath: file.path, name: file.name).stored()
    }

    /// Runs work while no connection, of this process or another, writes to the file.
    package func whileNothingIsWritten<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await pool.write(as: .immediate, OperationLimits()) { _ in try body() }
    }
}
