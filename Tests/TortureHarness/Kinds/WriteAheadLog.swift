import Foundation

/// Where the commits of a `-wal` file lie. Its frames' headers are not encrypted.
struct WriteAheadLog {
    static let headerBytes = 32
    private static let frameHeaderBytes = 24

    /// The byte ranges of the commits that count, first to last.
    private(set) var commits: [Range<Int>] = []

    /// - Parameter bytes: The whole file.
    init(_ bytes: [UInt8]) {
        guard bytes.count > Self.headerBytes else { return }
        func word(_ offset: Int) -> UInt32 {
            bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        let frame = Self.frameHeaderBytes + Int(word(8))
        var start = Self.headerBytes
        var offset = start
        while offset + frame <= bytes.count {
            // Frames of an older run have other salts.
            guard word(offset + 8) == word(16), word(offset + 12) == word(20) else { break }
            offset += frame
            if word(offset - frame + 4) != 0 {
                commits.append(start..<offset)
                start = offset
            }
        }
    }

    /// Whether a byte belongs to the header or to a commit before the last.
    func isBeforeTheLastCommit(_ offset: Int) -> Bool { offset < (commits.last?.lowerBound ?? 0) }

    func isInTheLastCommit(_ offset: Int) -> Bool { commits.last?.contains(offset) == true }
}
