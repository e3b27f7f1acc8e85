/// A file of which parts can be read.
protocol FileBytes {
    /// The file's length in bytes.
    func size() throws -> Int64

    /// Reads bytes.
    ///
    /// - Parameters:
    ///   - offset: Where they begin.
    ///   - buffer: Gets them.
    /// - Returns: How many there were: fewer than the buffer has room for at the file's end.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
