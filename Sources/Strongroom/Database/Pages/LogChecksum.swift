/// The running checksum of a write-ahead log ("WAL-mode File Format", section 1.4, sqlite.org/walformat.html).
struct LogChecksum: Equatable {
    var first: UInt32 = 0
    var second: UInt32 = 0

    /// Adds bytes, whose length is a multiple of 8 and whose alignment is 4.
    ///
    /// - Parameter isBigEndian: The byte order of the WAL's checksums.
    mutating func add(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) {
        // Not by generic loads, which are slow in a debug build.
        bytes.withMemoryRebound(to: UInt32.self) { words in
            guard let start = words.baseAddress else { return }
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
            (first, second) = (one, two)
        }
    }

    /// This checksum after adding bytes.
    func adding(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) -> LogChecksum {
        var copy = self
        copy.add(bytes, isBigEndian: isBigEndian)
        return copy
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
    /// Its length, in bytes.
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
    /// The computed checksum.
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
                    var former = [stored, computed]
                    for index in 0..<there / length {
                        let frame = LogFrame(
                            bytes: UnsafeRawBufferPointer(rebasing: buffer[index * length..<(index + 1) * length]),
                            isBigEndian: isBigEndian)
                        if former.contains(where: { frame.checksum(after: $0) == frame.stored }) { return frame.salts }
                        former = [frame.stored]
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

    /// The page's number.
    var page: Int { Int(number(at: 0)) }
    /// Whether it is a commit frame.
    var isCommit: Bool { number(at: 4) != 0 }
    var salts: UInt64 { bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self) }
    /// The stored checksum.
    var stored: LogChecksum { LogChecksum(first: number(at: 16), second: number(at: 20)) }
    var content: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[LogHeader.frameHeader...]) }

    private func number(at offset: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The computed checksum.
    ///
    /// - Parameter former: The checksum of the frame before, or of the header.
    func checksum(after former: LogChecksum) -> LogChecksum {
        former.adding(UnsafeRawBufferPointer(rebasing: bytes[..<8]), isBigEndian: isBigEndian)
            .adding(content, isBigEndian: isBigEndian)
    }

    /// Whether it was a commit frame before it was damaged, inferred from the commit mark. A change of another byte may
    /// look like one of the mark; the number of lost transactions of a damaged WAL is then too high by one.
    ///
    /// - Parameter computed: The checksum computed from its content.
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
