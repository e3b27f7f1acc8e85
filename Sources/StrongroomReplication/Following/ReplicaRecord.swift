import Strongroom

/// What a database's host knows of its replica, in a file beside the database: without it a file that was put back from
/// a backup of its directory, or the file of a host that has lost the database to another one, would overwrite the
/// newer state of the replica.
struct ReplicaRecord: Equatable {
    /// The replica.
    var replica: ObjectHeader.Identifier
    /// The sessions of this file that may have written the newest change: the present one and the former one.
    var writers: [ObjectHeader.Identifier]

    private static let magic: [UInt8] = Array("StrngRec".utf8)
    private static let length = magic.count + 3 * ObjectHeader.Identifier.length + Digests.length

    var bytes: [UInt8] {
        let former = writers.count > 1 ? writers[1] : writers[0]
        let content = Self.magic + replica.bytes + writers[0].bytes + former.bytes
        return content + Digests.sha256(content)
    }

    init(replica: ObjectHeader.Identifier, writers: [ObjectHeader.Identifier]) {
        self.replica = replica
        self.writers = writers
    }

    /// - Returns: Nil for bytes that are no record, such as one that was cut off.
    init?(_ bytes: [UInt8]) {
        let content = Array(bytes.dropLast(Digests.length))
        guard bytes.count == Self.length, bytes.starts(with: Self.magic),
            Digests.sha256(content) == Array(bytes.suffix(Digests.length))
        else { return nil }
        let identifiers = (0..<3).map { index in
            let start = Self.magic.count + index * ObjectHeader.Identifier.length
            return ObjectHeader.Identifier(bytes: Array(bytes[start..<start + ObjectHeader.Identifier.length]))
        }
        self.init(replica: identifiers[0], writers: Array(identifiers[1...]))
    }
}
