import Foundation

/// A change of one byte, one bit, or one page to zeros.
struct Flip: CustomStringConvertible {
    let path: String
    let offset: Int
    private let bytes: [UInt8]
    private let form: String

    var length: Int { bytes.count }

    /// A change anywhere in a file of pages; a page of zeros one time in six.
    init(of path: String, pageBytes: Int, _ random: inout RandomSource) throws {
        let size = try Self.size(of: path)
        guard random.oneIn(6), size > pageBytes else {
            try self.init(of: path, before: size, &random)
            return
        }
        let offset = random.number(1...size / pageBytes - 1) * pageBytes
        self.init(path, offset, Array(repeating: 0, count: pageBytes), "a page of zeros")
    }

    private init(_ path: String, _ offset: Int, _ bytes: [UInt8], _ form: String) {
        self.path = path
        self.offset = offset
        self.bytes = bytes
        self.form = form
    }

    /// A change of one byte before an offset.
    init(of path: String, before end: Int, _ random: inout RandomSource) throws {
        let size = min(end, try Self.size(of: path))
        guard size > 0, let file = FileHandle(forReadingAtPath: path) else {
            throw Fixture.Failure(description: "nothing to flip in \(path)")
        }
        let offset = random.number(0...size - 1)
        try file.seek(toOffset: UInt64(offset))
        let old = try file.read(upToCount: 1)?.first ?? 0
        try file.close()
        let bit = UInt8(1) << UInt8(random.number(0...7))
        let isBit = random.oneIn(2)
        let new = isBit ? old ^ bit : old &+ UInt8(random.number(1...255))
        self.init(path, offset, [new], isBit ? "a bit" : "a byte")
    }

    private static func size(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    func apply() throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: bytes)
        try file.close()
    }

    var description: String {
        "\(form) at \(offset) of \(path[(path.lastIndex(of: "/") ?? path.startIndex)...].dropFirst())"
    }
}
