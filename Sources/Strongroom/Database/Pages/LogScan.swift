/// What of a write-ahead log counts, found without the engine, which stops at the first frame that does not fit and
/// says nothing of those behind.
///
/// A frame fits when it has the log's salts and its checksum goes on from the frame before. A power cut leaves the end
/// of a log in any state, but not more than its last transaction: each one is on the disk before the next begins. So of
/// what lies behind the first frame that does not fit, frames of one transaction are a torn end, and frames that two
/// have ended with, one going on from the other, were on the disk: that is damage. What an earlier, longer transaction
/// has left behind is one as well, and what an earlier log has left has other salts.
struct LogScan: Equatable {
    struct Damage: Equatable {
        /// The first frame that does not fit, counted from 1; 0 for the header.
        let frame: Int
        /// The committed transactions that the engine would not see.
        let commits: Int
    }

    /// Bytes up to the end of the last transaction before anything that does not fit; 0 without one.
    private(set) var soundLength: Int64 = 0
    /// The transactions up to there.
    private(set) var soundCommits = 0
    /// Nil also for a torn end.
    private(set) var damage: Damage?

    /// Bytes that are read at one time.
    private static let portion = 256 << 10

    /// Reads a log.
    ///
    /// - Parameters:
    ///   - log: The log; also one of no bytes.
    ///   - database: The file beside it.
    init(_ log: any FileBytes, of database: any FileBytes) throws {
        guard let header = try LogHeader(log) else { return }
        var course = LogCourse(header)
        try Self.forEachFrame(of: log, header) { course.meet($0) }
        soundCommits = course.soundCommits
        soundLength = course.soundFrames == 0 ? 0 : Int64(LogHeader.length + course.soundFrames * header.frameLength)
        guard course.lostCommits > 0, let frame = course.firstBad else { return }
        // A log that is about to be begun anew is in the file already, and its header may be half written.
        if !header.isSound, try Self.isInFile(log, header, frames: course.lastLost, database) { return }
        damage = Damage(frame: frame, commits: course.lostCommits)
    }

    private static func forEachFrame(
        of log: any FileBytes, _ header: LogHeader, _ body: (LogFrame) throws -> Void
    ) throws {
        let length = header.frameLength
        let count = max(1, portion / length)
        try withUnsafeTemporaryAllocation(byteCount: count * length, alignment: 16) { buffer in
            var offset = Int64(LogHeader.length)
            while true {
                let there = try log.read(at: offset, into: buffer) / length
                for place in 0..<there {
                    let bytes = UnsafeRawBufferPointer(rebasing: buffer[place * length..<(place + 1) * length])
                    try body(LogFrame(bytes: bytes, isBigEndian: header.isBigEndian))
                }
                guard there == count else { return }
                offset += Int64(there * length)
            }
        }
    }

    /// Whether the database's file has each page as the log has it, so that nothing is lost with the log.
    private static func isInFile(
        _ log: any FileBytes, _ header: LogHeader, frames: Int, _ database: any FileBytes
    ) throws -> Bool {
        var newest: [Int: Int] = [:]
        var number = 0
        try forEachFrame(of: log, header) { frame in
            number += 1
            if number <= frames { newest[frame.page] = number }
        }
        number = 0
        var isInFile = true
        try withUnsafeTemporaryAllocation(byteCount: header.pageSize, alignment: 16) { buffer in
            try forEachFrame(of: log, header) { frame in
                number += 1
                guard isInFile, number <= frames, newest[frame.page] == number else { return }
                let there = try database.read(at: Int64(frame.page - 1) * Int64(header.pageSize), into: buffer)
                isInFile = there == header.pageSize && UnsafeRawBufferPointer(buffer).elementsEqual(frame.content)
            }
        }
        return isInFile
    }
}

/// How the frames of a log follow each other, damaged ones included.
private struct LogCourse {
    /// A checksum from which the next frame may go on, and the transactions that have ended when it does.
    private struct End {
        let checksum: LogChecksum
        /// Those whose frames go on from each other without a gap.
        let commits: Int
        /// All of them since the last one that the engine sees.
        let lost: Int
    }

    private let header: LogHeader
    private var frames = 0
    private var isSound: Bool
    private(set) var soundFrames = 0
    private(set) var soundCommits = 0
    /// The first frame that does not fit, counted from 1; 0 for the header.
    private(set) var firstBad: Int?
    /// One, or behind a frame that does not fit two: its checksum may be right and its content wrong, or the other way
    /// round.
    private var ends: [End]
    /// With so many transactions one of them must have been on the disk.
    private var proof = 2
    /// 0 as long as what does not fit may be a torn end.
    private(set) var lostCommits = 0
    /// The frame that the last of them ends with.
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
        if let place = computed.firstIndex(of: frame.stored) {
            // The header was on the disk before the first frame was written.
            if frames == 1, !header.isSound { proof = 1 }
            let own = frame.isCommit ? 1 : 0
            let end = End(
                checksum: frame.stored, commits: ends[place].commits + own, lost: ends[place].lost + own)
            ends = [end]
            guard own > 0, end.commits >= proof else { return }
            (lostCommits, lastLost) = (end.lost, frames)
            return
        }
        let former = ends[0]
        let isOfThisLog = frame.salts == header.salts
        let own = isOfThisLog && frame.wasCommit(computed[0]) ? 1 : 0
        ends = [End(checksum: computed[0], commits: former.commits + own, lost: former.lost + own)]
        // Frames of an earlier log go on from each other as well.
        if isOfThisLog { ends.insert(End(checksum: frame.stored, commits: own, lost: former.lost + own), at: 0) }
    }
}
