import CSQLCipher
import Synchronization

/// The committed part of a WAL, as the WAL's index publishes it ("WAL-mode File Format", section 2.1,
/// sqlite.org/walformat.html).
package struct PublishedLog: Equatable, Sendable {
    /// The salts of its frames, in the form in which frames store them.
    let salts: UInt64
    /// The number of committed frames.
    let frames: Int
    /// How many of them, from the first on, have been checkpointed.
    let framesInFile: Int
    /// The number of pages of the database after the last commit; meaningless without frames.
    let pages: Int
    /// The checksum of the last frame.
    let checksum: (first: UInt32, second: UInt32)
    /// The byte order of the checksums.
    let isBigEndian: Bool

    /// Whether the file has every page of the WAL.
    var isInFile: Bool { frames == framesInFile }

    package static func == (left: PublishedLog, right: PublishedLog) -> Bool {
        left.salts == right.salts && left.frames == right.frames && left.checksum == right.checksum
    }
}

extension Connection {
    /// The committed part of the WAL; for a connection in a transaction, whose beginning has repaired an index that a
    /// killed process has left half written.
    ///
    /// - Returns: Nil if the database is not in WAL mode, or a commit is being published for long.
    func publishedLog() throws -> PublishedLog? {
        guard try ownValue("PRAGMA journal_mode") == .text("wal") else { return nil }
        let index = try logIndex()
        for _ in 0..<Self.attempts {
            // A commit writes the copy first, and the header after a barrier.
            let header = UnsafeRawBufferPointer(start: index, count: Self.indexHeaderLength)
            let bytes = [UInt8](header)
            atomicMemoryFence(ordering: .sequentiallyConsistent)
            let copy = UnsafeRawBufferPointer(start: index + Self.indexHeaderLength, count: Self.indexHeaderLength)
            guard copy.elementsEqual(bytes) else {
                pause()
                continue
            }
            let inFile = index.loadUnaligned(fromByteOffset: 2 * Self.indexHeaderLength, as: UInt32.self)
            atomicMemoryFence(ordering: .sequentiallyConsistent)
            // A restart of the WAL in between has set the number of checkpointed frames back.
            guard header.elementsEqual(bytes) else { continue }
            return bytes.withUnsafeBytes { header in
                func number(_ offset: Int) -> UInt32 { header.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
                return PublishedLog(
                    salts: header.loadUnaligned(fromByteOffset: 32, as: UInt64.self), frames: Int(number(16)),
                    framesInFile: Int(min(inFile, number(16))), pages: Int(number(20)),
                    checksum: (number(24), number(28)), isBigEndian: header[13] != 0)
            }
        }
        return nil
    }

    private static let attempts = 100

    /// Checkpoints what no reader needs in the WAL, without waiting; to be called outside a transaction.
    ///
    /// - Returns: Whether no other checkpoint was running.
    func checkpointWithoutWaiting() -> Bool {
        sqlite3_wal_checkpoint_v2(pointer, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil) == SQLITE_OK
    }
}
