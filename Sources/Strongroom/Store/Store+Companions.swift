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

    /// Ends what ``refuseWrites(_:)`` has begun.
    package func acceptWrites() {
        pool.acceptWrites()
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

    /// The path of the record of what was shipped to a replica.
    package func replicaRecordPath() throws -> String { try file.contextToWrite().file.replicaRecordPath }

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
