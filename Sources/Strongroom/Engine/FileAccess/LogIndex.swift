import CSQLCipher
import Foundation
import Synchronization

/// The committed part of a WAL, as the WAL's index publishes it ("WAL-mode File Format", section 2.1,
/// sqlite.org/walformat.html).
package struct PublishedLog: Equatable, Sendable {
    /// The salts of its frames, in the form in which frames store them.
    let salts: UInt64
    let frames: Int
    /// How many of them, from the first on, have been checkpointed.
    let framesInFile: Int
    /// The number of pages of the database after the last commit; meaningless without frames.
    let pages: Int
    let checksum: (first: UInt32, second: UInt32)
    /// The byte order of the checksums.
    let isBigEndian: Bool

    /// Whether the file has every page of the WAL.
    var isInFile: Bool { frames == framesInFile }

    package static func == (left: PublishedLog, right: PublishedLog) -> Bool {
        left.salts == right.salts && left.frames == right.frames && left.checksum == right.checksum
    }
}

/// The header of a WAL index, which is followed by a copy of it.
///
/// The form of the index is part of the file format ("WAL-mode File Format", section 2, sqlite.org/walformat.html).
private struct LogIndexHeader {
    private static let length = 48

    private let bytes: [UInt8]
    /// How many frames, from the first on, have been checkpointed.
    private let framesInFile: UInt32

    /// - Parameter index: The first page of the index.
    /// - Returns: Nil if the header differs from its copy, as while a commit is published: that writes the copy first,
    ///   and the header after a barrier.
    init?(_ index: UnsafeRawPointer) {
        let header = UnsafeRawBufferPointer(start: index, count: Self.length)
        bytes = [UInt8](header)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        let copy = UnsafeRawBufferPointer(start: index + Self.length, count: Self.length)
        guard copy.elementsEqual(bytes) else { return nil }
        framesInFile = index.loadUnaligned(fromByteOffset: 2 * Self.length, as: UInt32.self)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        // A restart of the WAL in between has set the number of checkpointed frames back.
        guard header.elementsEqual(bytes) else { return nil }
    }

    private func number<T: FixedWidthInteger>(at offset: Int, as type: T.Type = UInt32.self) -> T {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }

    var isInitialized: Bool { bytes[12] == 1 }

    /// The length of a frame with its header, in bytes.
    var frameLength: Int64 {
        let size = Int64(number(at: 14, as: UInt16.self))
        return (size & 0xFE00 | (size & 1) << 16) + 24
    }

    var frames: Int { Int(number(at: 16)) }

    /// The salts, in the form in which frames store them.
    var salts: ArraySlice<UInt8> { bytes[32..<40] }

    var log: PublishedLog {
        PublishedLog(
            salts: number(at: 32, as: UInt64.self), frames: frames, framesInFile: min(frames, Int(framesInFile)),
            pages: Int(number(at: 20)), checksum: (number(at: 24), number(at: 28)), isBigEndian: bytes[13] != 0)
    }
}

extension Connection {
    /// Whether a connection of this process or another has a valid WAL index, which says what part of the WAL is valid.
    /// Otherwise the engine rebuilds the index from the WAL when it first reads the database, up to the first invalid
    /// frame. To be called before the first read.
    var isLogInUse: Bool {
        let (file, index, _, _) = mapIndex()
        defer { if let file { _ = file.pointee.pMethods.pointee.xShmUnmap(file, 0) } }
        return index.flatMap { LogIndexHeader($0)?.isInitialized } ?? false
    }

    /// The committed part of the WAL; for a connection in a transaction, whose beginning has repaired an index that a
    /// killed process has left half written.
    ///
    /// - Returns: Nil if the database is not in WAL mode, the connection reads only the database file, or a commit is
    ///   being published for long.
    func publishedLog() throws -> PublishedLog? {
        guard mode != .untouched, try ownValue("PRAGMA journal_mode") == .text("wal") else { return nil }
        let index = try logIndex()
        for _ in 0..<Self.attempts {
            if let header = LogIndexHeader(index) { return header.log }
            pause()
        }
        return nil
    }

    private static let attempts = 100

    /// The first page of the WAL index, which all connections share.
    func logIndex() throws -> UnsafeMutableRawPointer {
        guard mode != .withoutIndex else {
            throw StrongroomError(
                .diskFull,
                """
                The database has a WAL, and there is no space for the WAL's index, so its pages cannot be checked. \
                \(StrongroomError.Code.diskFull.advice)
                """,
                database: database)
        }
        let (_, index, result, systemError) = mapIndex()
        if let index { return index }
        let code = ResultCode(extended: result)
        if code.primary == SQLITE_READONLY { throw unreadableIndex(code) }
        // Extending it needs disk space.
        let kind = StrongroomError.Code(code, systemError: systemError)
        throw StrongroomError(
            kind, "The engine does not provide access to the WAL's index. \(kind.advice)", database: database,
            resultCode: code)
    }

    /// Maps the first page of the WAL index, without extending it: the engine truncates an index without users.
    private func mapIndex() -> (
        file: FileMethods.File?, index: UnsafeMutableRawPointer?, result: Int32, systemError: Int32
    ) {
        guard let file = openFile(SQLITE_FCNTL_FILE_POINTER), file.pointee.pMethods.pointee.iVersion >= 2 else {
            return (nil, nil, SQLITE_ERROR, 0)
        }
        var index: UnsafeMutableRawPointer?
        let result = file.pointee.pMethods.pointee.xShmMap(file, 0, Self.indexPage, 0, &index)
        // Read-only access is enough, and is all that a read-only disk allows.
        let isMapped = result == SQLITE_OK || result & 0xFF == SQLITE_READONLY
        return (file, isMapped ? index : nil, result, errno)
    }

    private func unreadableIndex(_ code: ResultCode) -> StrongroomError {
        StrongroomError(
            .permissionDenied,
            """
            The database has a WAL in a directory where the WAL's index cannot be created, so its pages cannot be \
            checked. Copy both, while no program has them open, to a directory that may be written.
            """,
            database: database, resultCode: code)
    }

    /// Bytes of a page of the WAL index.
    static let indexPage: Int32 = 32_768

    // MARK: Commits in the WAL that are not valid yet

    /// The most frames that are examined; further ones are treated as a commit that may follow.
    private static let maxFrames = 64

    /// Whether the WAL has a complete commit after its valid part. A commit writes its frames, flushes them, and then
    /// makes them valid in the WAL index, which is mapped memory: no watch of the file system reports that last step.
    ///
    /// See also "Database File Format", section 4 (sqlite.org/fileformat2.html).
    func hasUnpublishedCommit() throws -> Bool {
        // Without a WAL, the file is locked until the commit is complete.
        guard let log = try? logFile(), let index = try? logIndex() else { return false }
        // It is being written.
        guard let header = LogIndexHeader(index) else { return true }
        guard let salts = try saltsOfNextFrames(log, header) else { return false }
        return try withUnsafeTemporaryAllocation(byteCount: 24, alignment: 8) { frame in
            for number in header.frames..<header.frames + Self.maxFrames {
                let count = try log.read(at: 32 + Int64(number) * header.frameLength, into: frame)
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
    private func saltsOfNextFrames(_ log: EngineFile, _ header: LogIndexHeader) throws -> [UInt8]? {
        let published = [UInt8](header.salts)
        guard header.frames == 0 else { return published }
        return try withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { header in
            guard try log.read(at: 0, into: header) == 32 else { return nil }
            let written = [UInt8](header[16..<24])
            let counts = [written, published].map { salts in salts[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
            // What the WAL held before it was restarted.
            return written != published && counts[0] &+ 1 == counts[1] ? nil : written
        }
    }
}
