#if os(Linux)
import Foundation

/// The memory of another process that it can write to.
struct ProcessMemory {
    private let folder: String

    init(_ process: Int32) {
        folder = "/proc/\(process)"
    }

    /// How often it holds something.
    func count(of secret: Data) throws -> Int {
        let maps = try String(contentsOfFile: "\(folder)/maps", encoding: .utf8)
        let memory = try FileHandle(forReadingFrom: URL(filePath: "\(folder)/mem"))
        return maps.split(separator: "\n").reduce(0) { sum, line in
            guard let range = line.firstMatch(of: /^([0-9a-f]+)-([0-9a-f]+) rw/) else { return sum }
            guard let start = UInt64(range.1, radix: 16), let end = UInt64(range.2, radix: 16) else { return sum }
            return sum + Self.count(of: secret, memory.fileDescriptor, start..<end)
        }
    }

    /// Looks at a range in pieces, each of which begins where the one before had room for all but the last byte of the
    /// secret.
    private static func count(of secret: Data, _ memory: Int32, _ range: Range<UInt64>) -> Int {
        let piece = 1 << 20
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 16)
        defer { buffer.deallocate() }
        guard let bytes = buffer.baseAddress else { return 0 }
        var count = 0
        for start in stride(from: range.lowerBound, to: range.upperBound, by: piece - secret.count + 1) {
            let length = pread(memory, bytes, min(piece, Int(range.upperBound - start)), off_t(start))
            // What the kernel keeps for itself cannot be read.
            guard length > 0 else { return count }
            let content = Data(bytesNoCopy: bytes, count: length, deallocator: .none)
            var rest = content.startIndex..<content.endIndex
            while let found = content.range(of: secret, in: rest) {
                count += 1
                rest = found.upperBound..<content.endIndex
            }
        }
        return count
    }
}
#endif
