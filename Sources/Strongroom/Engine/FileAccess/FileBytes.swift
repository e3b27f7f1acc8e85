/// A file that is read in parts.
protocol FileBytes {
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
