import Strongroom

/// A state of a file that a replica has, as it is stored behind the ``ReplicaRecord``: as long as the file has the
/// stamp, and the change is the replica's newest one, there is nothing to ship.
struct ShippedState: Sendable, Equatable {
    /// The ``ReplicaRecord/sequence`` of the record that it belongs to: any later one ends it.
    let sequence: UInt64
    /// The number of the change whose state the file has.
    let number: UInt64
    /// Its digest.
    let digest: [UInt8]
    /// The length of its object, in bytes.
    let size: Int
    /// The stamp of the file.
    let stamp: FileStamp

    private static let magic: [UInt8] = Array("StrngFil".utf8)
    static let length = magic.count + 24 + Digests.length + FileStamp.length + Digests.length

    init(sequence: UInt64, number: UInt64, digest: [UInt8], size: Int, stamp: FileStamp) {
        self.sequence = sequence
        self.number = number
        self.digest = digest
        self.size = size
        self.stamp = stamp
    }

    var bytes: [UInt8] {
        var content = Self.magic
        content.append(sequence)
        content.append(number)
        content.append(UInt64(size))
        content += digest + stamp.bytes
        return content + Digests.sha256(content)
    }

    /// - Returns: Nil for bytes that are no state, such as one that was written in part.
    init?(_ bytes: [UInt8]) {
        let content = Array(bytes.dropLast(Digests.length))
        guard bytes.count == Self.length, bytes.starts(with: Self.magic),
            Digests.sha256(content) == Array(bytes.suffix(Digests.length))
        else { return nil }
        let start = Self.magic.count
        let size: UInt64 = content.number(at: start + 16)
        self.init(
            sequence: content.number(at: start), number: content.number(at: start + 8),
            digest: Array(content[start + 24..<start + 24 + Digests.length]), size: Int(clamping: size),
            stamp: FileStamp(bytes: Array(content[(start + 24 + Digests.length)...])))
    }
}
