@testable import Strongroom

/// A file in memory.
struct MemoryFile: FileBytes {
    let bytes: [UInt8]

    func size() -> Int64 { Int64(bytes.count) }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        require(offset >= 0, "no file is read before its beginning")
        guard offset < bytes.count else { return 0 }
        let part = bytes[Int(offset)...].prefix(buffer.count)
        part.withUnsafeBytes { buffer.copyMemory(from: $0) }
        return part.count
    }
}
