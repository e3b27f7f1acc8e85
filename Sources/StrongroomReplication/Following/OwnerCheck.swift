import Strongroom

/// Whether the newest change of a replica is one that this file has shipped.
enum OwnerCheck {
    /// Throws unless a writer may continue a replica.
    ///
    /// - Parameters:
    ///   - head: The newest change; nil for none.
    ///   - record: What was shipped from this file; nil for nothing.
    /// - Throws: `StrongroomError` with `replicaMissing`, `otherReplica`, `notOwner`.
    static func require(_ head: ReplicaFolder.Head?, _ record: ReplicaRecord?, _ folder: ReplicaFolder) throws {
        let number = head?.header.number ?? 0
        if let record, record.number > number, head == nil || head?.header.replica == record.replica {
            throw missing(record.number, number, folder)
        }
        guard let head else { return }
        guard let record else {
            throw StrongroomError(
                .otherReplica,
                """
                The folder "\(folder.name)" of the object store has a replica already, and this database has no record \
                of it: it may belong to another database, or to a newer state of this one. Restore it, or give the \
                replica another folder, or continue it with this file by `Replica.takesOver` (`--take-over` in the \
                tool).
                """)
        }
        guard record.replica == head.header.replica else {
            throw StrongroomError(
                .otherReplica,
                """
                The folder "\(folder.name)" of the object store has the replica of another database. Give the replica \
                another folder.
                """)
        }
        guard record.has(number, head.digest) else { throw StrongroomError.notOwner(folder.name) }
    }

    private static func missing(_ shipped: UInt64, _ newest: UInt64, _ folder: ReplicaFolder) -> StrongroomError {
        let found = newest == 0 ? "has no change" : "ends with change \(newest)"
        return StrongroomError(
            .replicaMissing,
            """
            The replica "\(folder.name)" \(found), and this database has shipped change \(shipped) to it. The object \
            store has lost it, or there is another one at its location, such as a directory whose file system is not \
            mounted. Bring it back, and it continues; or begin it anew with this file by `Replica.takesOver` \
            (`--take-over` in the tool).
            """)
    }

    /// Reads the newest change, and throws unless this file may go on writing the replica.
    ///
    /// A store of this process or of another one may ship at the same time: a change is foreign only if it is
    /// the newest before and after the record was read.
    static func run(_ folder: ReplicaFolder, of store: Store) async throws {
        var head = try await folder.head()
        var attempts = Self.attempts
        while true {
            let own = try ReplicaRecordFile(reading: store.replicaRecordPath(folder.recordName))?.record
            do {
                return try require(head, recordWithChange(head, own, store) ?? own, folder)
            } catch {
                let next = try await folder.head()
                attempts -= 1
                guard next != head, attempts > 0 else { throw error }
                head = next
            }
        }
    }

    /// Two changes of this host's own hardly come between a request and the reading of the record once.
    private static let attempts = 10

    /// The record that has the newest change: this replica's, or that of another location at which it was before.
    private static func recordWithChange(
        _ head: ReplicaFolder.Head?, _ own: ReplicaRecord?, _ store: Store
    ) throws -> ReplicaRecord? {
        guard let head else { return nil }
        func has(_ record: ReplicaRecord) -> Bool {
            record.replica == head.header.replica && record.has(head.header.number, head.digest)
        }
        if let own, has(own) { return own }
        return try store.replicaRecordPaths().lazy.compactMap { (try? ReplicaRecordFile(reading: $0))?.record }
            .first(where: has)
    }
}
