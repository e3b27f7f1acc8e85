/// A file that is read in parts.
package protocol FileBytes {
    /// The file's length in bytes.
    func size() throws -> Int64

    /// Reads bytes.
    ///
    /// - Parameters:
    ///   - offset: Where to begin, in bytes.
    ///   - buffer: Where the bytes are stored.
    /// - Returns: The number of bytes read: less than the size of the buffer at the end of the file.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

extension FileBytes {
    /// Reads bytes: fewer than a number of them at the end of the file.
    package func bytes(at offset: Int64, _ count: Int) throws -> [UInt8] {
        try [UInt8](capacity: count) { buffer, filled in
            filled = try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }
}
