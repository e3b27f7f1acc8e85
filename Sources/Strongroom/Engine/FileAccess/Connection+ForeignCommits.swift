/// Commits that other connections make, in this process or another.
extension Connection {
    /// What ``findForeignCommits()`` has found.
    struct ForeignFinding: Equatable {
        /// Whether another connection has committed since the last call.
        var isFound: Bool
        /// Whether a commit may follow that the file system reports no more: its frames are in the WAL and are not
        /// valid yet, or a lock keeps this connection from reading.
        var mayFollow: Bool
    }

    /// Records what is committed now: only later commits are found.
    func recordDataVersion() throws {
        file.dataVersion = try dataVersion()
    }

    /// Whether others have committed since the last call, or since ``recordDataVersion()``; true in the first call
    /// without either. In a transaction, commits from before its beginning.
    ///
    /// The engine's counter does not count this connection's commits. See SQLite's documentation, "PRAGMA data_version"
    /// (sqlite.org/pragma.html).
    func findForeignCommits() throws -> ForeignFinding {
        // Before the counter is read: a commit that becomes valid in between is found by it.
        let mayFollow = try !isInTransaction && hasUnpublishedCommit()
        do {
            let version = try withoutWaiting { try dataVersion() }
            defer { file.dataVersion = version }
            return ForeignFinding(isFound: version != file.dataVersion, mayFollow: mayFollow)
        } catch let error as StrongroomError where error.code == .busy {
            return ForeignFinding(isFound: false, mayFollow: true)
        }
    }

    /// As ``findForeignCommits()``, while no other connection writes: no commit follows unless the file is written
    /// again.
    func findForeignCommitsLockingOut() throws -> ForeignFinding {
        // Otherwise a lock is never granted, and commits are waited for.
        guard !isReadOnly, isWriter else { return try findForeignCommits() }
        do {
            try withoutWaiting { try run(.beginImmediate) }
        } catch let error as StrongroomError where error.code == .busy {
            return ForeignFinding(isFound: false, mayFollow: true)
        }
        defer { try? run(.rollback) }
        return try findForeignCommits()
    }

    private func dataVersion() throws -> Int64 {
        guard case .integer(let version) = try ownValue("PRAGMA data_version") else {
            throw StrongroomError(.engine, "The engine does not report the data version.", database: database)
        }
        return version
    }

    private func withoutWaiting<T>(_ body: () throws -> T) rethrows -> T {
        let before = waiting.timeout
        waiting.timeout = 0
        defer { waiting.timeout = before }
        return try body()
    }

    // MARK: Commits in the WAL that are not valid yet

    /// The frames that are looked at; further ones count as a commit that may follow.
    private static let maxFrames = 64

    /// Whether the WAL has a complete commit after its valid part. A commit writes its frames, flushes them, and then
    /// makes them valid in the WAL index, which is mapped memory: no watch of the file system reports that last step.
    ///
    /// The forms of the WAL and of its index are part of the file format ("WAL-mode File Format",
    /// sqlite.org/walformat.html; "Database File Format", section 4, sqlite.org/fileformat2.html).
    private func hasUnpublishedCommit() throws -> Bool {
        // Without a WAL, the file is locked until the commit is complete.
        guard let log = try? logFile(), let index = try? logIndex() else { return false }
        let header = UnsafeRawBufferPointer(start: index, count: Self.indexHeaderLength)
        let copy = UnsafeRawBufferPointer(start: index + Self.indexHeaderLength, count: Self.indexHeaderLength)
        // It is being written.
        guard header.elementsEqual(copy) else { return true }
        let size = Int(header.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
        let frameLength = Int64(size & 0xFE00 | (size & 1) << 16) + 24
        let valid = Int64(header.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
        let published = [UInt8](header[32..<40])
        guard let salts = try saltsOfNextFrames(log, published, isEmpty: valid == 0) else { return false }
        return try withUnsafeTemporaryAllocation(byteCount: 24, alignment: 8) { frame in
            for number in valid..<valid + Int64(Self.maxFrames) {
                let count = try log.read(at: 32 + number * frameLength, into: frame)
                // Frames of an earlier WAL have other salts.
                guard count == 24, frame[8..<16].elementsEqual(salts) else { return false }
                // The last frame of a transaction has the size of the database.
                if frame.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0 { return true }
            }
            return true
        }
    }

    /// The salts that frames after the valid part have; nil if there can be none.
    ///
    /// A restart of the WAL publishes the new salts in the index, the first of them increased by one, before frames are
    /// written. The first commit of a new WAL publishes them only at its end; before, they are in the WAL's header.
    private func saltsOfNextFrames(_ log: EngineFile, _ published: [UInt8], isEmpty: Bool) throws -> [UInt8]? {
        guard isEmpty else { return published }
        return try withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { header in
            guard try log.read(at: 0, into: header) == 32 else { return nil }
            let written = [UInt8](header[16..<24])
            let counts = [written, published].map { salts in salts[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
            // What the WAL held before it was restarted.
            return written != published && counts[0] &+ 1 == counts[1] ? nil : written
        }
    }
}
