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
        let numbers = [sequence, number, UInt64(size)]
        return Digests.stored(Self.magic + numbers.flatMap(\.bigEndianBytes) + digest + stamp.bytes)
    }

    /// - Throws: ``StoredReader/Damaged`` for bytes that are no state, such as one that was written in part.
    init(_ bytes: [UInt8]) throws {
        guard bytes.count == Self.length else { throw StoredReader.Damaged() }
        var reader = try StoredReader(bytes, magic: Self.magic)
        (sequence, number) = (try reader.number(), try reader.number())
        size = Int(clamping: try reader.number() as UInt64)
        digest = try reader.bytes(Digests.length)
        stamp = FileStamp(bytes: reader.remainder())
    }
}
