/// Determines the valid part of a WAL without the engine, which stops at the first invalid frame and does not report
/// the frames after it.
///
/// A frame is valid if it has the WAL's salts and its checksum continues that of the frame before. A power failure may
/// leave the end of a WAL in any state, but affects at most its last transaction: each transaction is flushed before
/// the next begins. After the first invalid frame, frames of a single transaction are therefore a torn end. Two
/// consecutive commit frames, the second of which continues the checksum of the first, were flushed: that is damage.
/// Frames left over from an earlier, longer transaction count as one transaction; frames left over from an earlier WAL
/// have other salts.
struct LogScan: Equatable {
    struct Damage: Equatable {
        /// The first invalid frame, counted from 1; 0 for the header.
        let frame: Int
        /// The number of committed transactions that the engine would not read.
        let commits: Int
    }

    /// The length in bytes up to the last commit frame before anything invalid; 0 if there is none.
    private(set) var soundLength: Int64 = 0
    /// The number of transactions up to there.
    private(set) var soundCommits = 0
    /// The damage; nil also for a torn end.
    private(set) var damage: Damage?

    /// Bytes per read.
    private static let portion = 256 << 10

    /// Scans a WAL.
    init(_ log: any FileBytes, of database: any FileBytes) throws {
        guard let header = try LogHeader(log) else { return }
        var progress = LogProgress(header)
        try Self.forEachFrame(of: log, header) { progress.meet($1) }
        soundCommits = progress.soundCommits
        let frames = progress.soundFrames
        soundLength = frames == 0 ? 0 : Int64(LogHeader.length + frames * header.frameLength)
        guard progress.lostCommits > 0, let frame = progress.firstBad else { return }
        // A WAL that is about to be restarted is completely checkpointed, and its header may be half written.
        if !header.isSound, try Self.isInFile(log, header, frames: progress.lastLost, database) { return }
        damage = Damage(frame: frame, commits: progress.lostCommits)
    }

    /// Reads frames; they are counted from 0, and valid during the call.
    static func forEachFrame(
        of log: any FileBytes, _ header: LogHeader, from first: Int = 0, count: Int = .max,
        _ body: (Int, LogFrame) throws -> Void
    ) throws {
        let length = header.frameLength
        let portion = min(max(1, portion / length), count)
        try withUnsafeTemporaryAllocation(byteCount: portion * length, alignment: 16) { buffer in
            var number = first
            var left = count
            while left > 0 {
                let wanted = min(portion, left)
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(wanted * length)])
                let offset = Int64(LogHeader.length) + Int64(number) * Int64(length)
                let there = try log.read(at: offset, into: part) / length
                for index in 0..<there {
                    let bytes = UnsafeRawBufferPointer(rebasing: part[index * length..<(index + 1) * length])
                    try body(number + index, LogFrame(bytes: bytes, isBigEndian: header.isBigEndian))
                }
                guard there == wanted else { return }
                number += there
                left -= there
            }
        }
    }

    /// Whether the database file contains each page as in the WAL, so that nothing is lost with the WAL.
    private static func isInFile(
        _ log: any FileBytes, _ header: LogHeader, frames: Int, _ database: any FileBytes
    ) throws -> Bool {
        var newest: [Int: Int] = [:]
        try forEachFrame(of: log, header, count: frames) { newest[$1.page] = $0 }
        var isInFile = true
        try withUnsafeTemporaryAllocation(byteCount: header.pageSize, alignment: 16) { buffer in
            try forEachFrame(of: log, header, count: frames) { number, frame in
                guard isInFile, newest[frame.page] == number else { return }
                // Only a damaged frame has no page.
                guard frame.page > 0 else { return isInFile = false }
                let there = try database.read(at: Int64(frame.page - 1) * Int64(header.pageSize), into: buffer)
                isInFile = there == header.pageSize && UnsafeRawBufferPointer(buffer).elementsEqual(frame.content)
            }
        }
        return isInFile
    }
}

/// The sequence of frames in a WAL, including damaged ones.
private struct LogProgress {
    /// A checksum from which the next frame may continue, and the transactions committed up to there.
    private struct End {
        let checksum: LogChecksum
        /// The transactions whose frames continue each other without a gap.
        let commits: Int
        /// All transactions since the last one that the engine reads.
        let lost: Int
    }

    private let header: LogHeader
    private var frames = 0
    private var isSound: Bool
    private(set) var soundFrames = 0
    private(set) var soundCommits = 0
    /// The first invalid frame, counted from 1; 0 for the header.
    private(set) var firstBad: Int?
    /// One end, or two after an invalid frame, whose checksum may be correct and its content wrong, or the reverse.
    private var ends: [End]
    /// With this many transactions, one of them must have been flushed.
    private var proof = 2
    /// 0 as long as the invalid frames may be a torn end.
    private(set) var lostCommits = 0
    /// The last frame of the last lost transaction.
    private(set) var lastLost = 0

    init(_ header: LogHeader) {
        self.header = header
        isSound = header.isSound
        firstBad = header.isSound ? nil : 0
        let checksums = header.isSound ? [header.stored] : [header.stored, header.computed]
        ends = checksums.map { End(checksum: $0, commits: 0, lost: 0) }
    }

    mutating func meet(_ frame: LogFrame) {
        frames += 1
        guard isSound else { return follow(frame) }
        guard frame.salts == header.salts, frame.page != 0, frame.checksum(after: ends[0].checksum) == frame.stored
        else {
            isSound = false
            firstBad = frames
            return follow(frame)
        }
        ends = [End(checksum: frame.stored, commits: 0, lost: 0)]
        guard frame.isCommit else { return }
        soundFrames = frames
        soundCommits += 1
    }

    private mutating func follow(_ frame: LogFrame) {
        let computed = ends.map { frame.checksum(after: $0.checksum) }
        if let index = computed.firstIndex(of: frame.stored) {
            // The header was flushed before the first frame was written.
            if frames == 1, !header.isSound { proof = 1 }
            let own = frame.isCommit ? 1 : 0
            let end = End(
                checksum: frame.stored, commits: ends[index].commits + own, lost: ends[index].lost + own)
            ends = [end]
            guard own > 0, end.commits >= proof else { return }
            (lostCommits, lastLost) = (end.lost, frames)
            return
        }
        let end = ends[0]
        let isOfThisLog = frame.salts == header.salts
        let own = isOfThisLog && frame.wasCommit(computed[0]) ? 1 : 0
        ends = [End(checksum: computed[0], commits: end.commits + own, lost: end.lost + own)]
        // Frames of an earlier WAL continue each other, too.
        if isOfThisLog { ends.insert(End(checksum: frame.stored, commits: own, lost: end.lost + own), at: 0) }
    }
}

/// The running checksum of a write-ahead log ("WAL-mode File Format", section 1.4, sqlite.org/walformat.html).
struct LogChecksum: Equatable {
    var first: UInt32 = 0
    var second: UInt32 = 0

    /// This checksum after adding bytes, whose length is a multiple of 8 and whose alignment is 4.
    func adding(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) -> LogChecksum {
        // Not by generic loads, which are slow in a debug build.
        bytes.withMemoryRebound(to: UInt32.self) { words in
            guard let start = words.baseAddress else { return self }
            var (one, two) = (first, second)
            var index = 0
            let count = words.count
            if isBigEndian == (1.littleEndian == 1) {
                while index < count {
                    one = one &+ start[index].byteSwapped &+ two
                    two = two &+ start[index + 1].byteSwapped &+ one
                    index += 2
                }
            } else {
                while index < count {
                    one = one &+ start[index] &+ two
                    two = two &+ start[index + 1] &+ one
                    index += 2
                }
            }
            return LogChecksum(first: one, second: two)
        }
    }

    /// The difference that an increment of the last number makes to a checksum after so many more bytes. It is linear:
    /// an increment of n makes n times that difference.
    static func effect(behind count: Int) -> LogChecksum {
        var effect = LogChecksum(first: 0, second: 1)
        for _ in 0..<count / 8 {
            effect.first = effect.first &+ effect.second
            effect.second = effect.second &+ effect.first
        }
        return effect
    }
}

/// The header of a WAL.
struct LogHeader {
    static let length = 32
    static let frameHeader = 24

    private static let magic: UInt32 = 0x377F_0682
    private static let pageSizes = (9...16).map { 1 << $0 }
    /// The number of bytes that its checksum covers.
    private static let covered = 24
    /// The number of frames from which the format is inferred if the header is damaged.
    private static let framesTried = 4

    /// Whether the engine accepts the header; otherwise it treats the WAL as empty, and the format is inferred from the
    /// frames.
    private(set) var isSound: Bool
    private(set) var isBigEndian: Bool
    private(set) var pageSize: Int
    /// The salts of every frame of this WAL; frames left over from an earlier one have others.
    private(set) var salts: UInt64
    /// The stored checksum, from which that of the first frame continues.
    let stored: LogChecksum
    private(set) var computed: LogChecksum

    var frameLength: Int { Self.frameHeader + pageSize }

    /// Where the page of a frame begins; frames are counted from 0.
    static func offset(ofFrame frame: Int, pageSize: Int) -> Int64 {
        Int64(length) + Int64(frame) * Int64(frameHeader + pageSize) + Int64(frameHeader)
    }

    /// - Returns: Nil if the header is incomplete.
    init?(_ log: any FileBytes) throws {
        var bytes = [UInt8](repeating: 0, count: Self.length)
        guard try bytes.withUnsafeMutableBytes({ try log.read(at: 0, into: $0) }) == Self.length else { return nil }
        let magic = UInt32(truncatingIfNeeded: bytes.integer(at: 0) ?? 0)
        isBigEndian = magic & 1 == 1
        pageSize = bytes.integer(at: 8) ?? 0
        salts = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: UInt64.self) }
        stored = LogChecksum(
            first: UInt32(truncatingIfNeeded: bytes.integer(at: 24) ?? 0),
            second: UInt32(truncatingIfNeeded: bytes.integer(at: 28) ?? 0))
        computed = Self.checksum(bytes, isBigEndian)
        isSound = magic & ~1 == Self.magic && Self.pageSizes.contains(pageSize) && computed == stored
        if !isSound, try !guess(bytes, log) { return nil }
    }

    private static func checksum(_ bytes: [UInt8], _ isBigEndian: Bool) -> LogChecksum {
        bytes.withUnsafeBytes {
            LogChecksum().adding(UnsafeRawBufferPointer(rebasing: $0[..<covered]), isBigEndian: isBigEndian)
        }
    }

    /// Infers the format in which the first frames match the header, or each other.
    ///
    /// - Returns: False if there is none: the file is not a WAL.
    private mutating func guess(_ bytes: [UInt8], _ log: any FileBytes) throws -> Bool {
        for size in Self.pageSizes {
            let length = Self.frameHeader + size
            var bytesOfFrames = [UInt8](repeating: 0, count: Self.framesTried * length)
            let there = try bytesOfFrames.withUnsafeMutableBytes { try log.read(at: Int64(Self.length), into: $0) }
            for isBigEndian in [isBigEndian, !isBigEndian] {
                let computed = Self.checksum(bytes, isBigEndian)
                let found = bytesOfFrames.withUnsafeBytes { buffer -> UInt64? in
                    var sums = [stored, computed]
                    for index in 0..<there / length {
                        let frame = LogFrame(
                            bytes: UnsafeRawBufferPointer(rebasing: buffer[index * length..<(index + 1) * length]),
                            isBigEndian: isBigEndian)
                        if sums.contains(where: { frame.checksum(after: $0) == frame.stored }) { return frame.salts }
                        sums = [frame.stored]
                    }
                    return nil
                }
                guard let found else { continue }
                (self.isBigEndian, self.computed, pageSize, salts) = (isBigEndian, computed, size, found)
                return true
            }
        }
        return false
    }
}

/// A frame of a WAL: a page and its frame header. Valid as long as the bytes are.
struct LogFrame {
    let bytes: UnsafeRawBufferPointer
    let isBigEndian: Bool

    var page: Int { Int(number(at: 0)) }
    var isCommit: Bool { number(at: 4) != 0 }
    var salts: UInt64 { bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self) }
    var stored: LogChecksum { LogChecksum(first: number(at: 16), second: number(at: 20)) }
    var content: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[LogHeader.frameHeader...]) }

    private func number(at offset: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    func checksum(after previous: LogChecksum) -> LogChecksum {
        previous.adding(UnsafeRawBufferPointer(rebasing: bytes[..<8]), isBigEndian: isBigEndian)
            .adding(content, isBigEndian: isBigEndian)
    }

    /// Whether it was a commit frame before it was damaged, inferred from the commit mark. A change of another byte may
    /// look like one of the mark; the number of lost transactions of a damaged WAL is then too high by one.
    func wasCommit(_ computed: LogChecksum) -> Bool {
        let effect = LogChecksum.effect(behind: content.count)
        let (first, second) = (stored.first &- computed.first, stored.second &- computed.second)
        func fits(_ added: UInt32) -> Bool { effect.first &* added == first && effect.second &* added == second }
        guard !isCommit else {
            let mark = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
            return !fits(0 &- (isBigEndian ? UInt32(bigEndian: mark) : UInt32(littleEndian: mark)))
        }
        return (0..<4).contains { index in (1...255).contains { (byte: UInt32) in fits(byte << (8 * UInt32(index))) } }
    }
}
