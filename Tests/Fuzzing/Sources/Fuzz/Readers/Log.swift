@testable import Strongroom

extension Reader {
    /// A write-ahead log, of which the library finds the intact part itself.
    static let log = Reader("log", longest: 1 << 13) { input in
        if input.flag() {
            let bytes = input.remainder()
            _ = try scan(bytes, MemoryFile(bytes: Array(bytes.dropFirst(LogHeader.length))))
        } else {
            var log = ComposedLog(&input)
            let database = MemoryFile(bytes: input.part())
            while !input.isAtEnd, log.bytes.count < 1 << 18 { log.append(&input) }
            let scan = try scan(log.bytes, database)
            guard !log.hasDefect else { return }
            require(scan.damage == nil, "an intact log has no damage")
            require(scan.soundCommits == log.commits, "each commit of an intact log counts")
            require(scan.soundLength == Int64(log.committedLength), "an intact log ends with its last commit")
        }
    }

    private static func scan(_ bytes: [UInt8], _ database: MemoryFile) throws -> LogScan {
        let log = MemoryFile(bytes: bytes)
        let scan = try LogScan(log, of: database)
        require(scan.soundLength >= 0 && scan.soundLength <= log.size(), "the intact part is in the log")
        guard let header = try LogHeader(log) else { return scan }
        let frames = max(0, bytes.count - LogHeader.length) / header.frameLength
        require(scan.soundCommits <= frames, "a commit has a frame")
        if let damage = scan.damage {
            require((0...frames).contains(damage.frame), "the damage is in the log")
            require((1...frames).contains(damage.commits), "damage loses commits that the log has")
        }
        return scan
    }
}

/// A log with valid checksums, except where the input says otherwise.
private struct ComposedLog {
    private(set) var bytes: [UInt8] = []
    /// Whether a header or a frame is not as the engine writes it.
    private(set) var hasDefect = false
    private(set) var commits = 0
    private(set) var committedLength = 0
    private let isBigEndian: Bool
    private let pageSize: Int
    private let salts: [UInt8]
    private var checksum = LogChecksum()

    init(_ input: inout Input) {
        let kind = input.byte()
        isBigEndian = kind & 1 == 1
        pageSize = 512 << Int(kind >> 1 & 1)
        salts = input.bytes(8) + [UInt8](repeating: 1, count: 8)
        var header = (0x377F_0682 | UInt32(isBigEndian ? 1 : 0)).bigEndianBytes + UInt32(3_007_000).bigEndianBytes
        header += UInt32(pageSize).bigEndianBytes + UInt32(0).bigEndianBytes + salts.prefix(8)
        checksum = added(header)
        bytes = header + stored(checksum)
        guard kind & 4 != 0 else { return }
        bytes[Int(input.byte()) % bytes.count] ^= input.byte()
        hasDefect = true
    }

    mutating func append(_ input: inout Input) {
        let kind = input.byte()
        let page = UInt32(input.byte())
        let commit = kind & 1 == 1 ? page &+ 1 : 0
        let content = [UInt8](repeating: input.byte(), count: pageSize)
        let head = page.bigEndianBytes + commit.bigEndianBytes
        checksum = added(head)
        checksum = added(content)
        bytes += head + salts.prefix(8) + stored(checksum) + content
        if page == 0 { hasDefect = true }
        if kind & 2 != 0 {
            // Any byte of the frame, which a disk has damaged after it was written.
            let offset = input.number(below: LogHeader.frameHeader + pageSize)
            bytes[bytes.count - 1 - offset] ^= input.byte()
            hasDefect = true
        }
        if kind & 4 != 0 {
            bytes.removeLast(input.number(below: LogHeader.frameHeader + pageSize))
            hasDefect = true
        }
        guard commit > 0 else { return }
        commits += 1
        committedLength = bytes.count
    }

    private func added(_ bytes: [UInt8]) -> LogChecksum {
        // Aligned as a page's buffer is.
        withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 8) { buffer in
            buffer.copyBytes(from: bytes)
            return checksum.adding(UnsafeRawBufferPointer(buffer), isBigEndian: isBigEndian)
        }
    }

    private func stored(_ checksum: LogChecksum) -> [UInt8] {
        checksum.first.bigEndianBytes + checksum.second.bigEndianBytes
    }
}
