/// Reads a source byte by byte, with one byte of look-ahead.
struct ByteBuffer {
    private let source: ByteSource
    private var bytes: [UInt8] = []
    private var position = 0
    private var isAtBeginning = true
    private var isAtEnd = false

    init(_ source: ByteSource) {
        self.source = source
    }

    /// The next byte, without consuming it; nil at the end.
    mutating func peek() throws -> UInt8? {
        if position == bytes.count {
            try refill()
            guard position < bytes.count else { return nil }
        }
        return bytes[position]
    }

    /// The next byte; nil at the end.
    mutating func next() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        position += 1
        return byte
    }

    /// Appends the bytes before the next one of four, as far as they have been read, to a field.
    ///
    /// - Returns: Their number, which may be 0.
    mutating func appendBytes(
        before first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8, to field: inout [UInt8]
    ) -> Int {
        let start = position
        position = bytes.withUnsafeBufferPointer { bytes in
            let end =
                bytes[start...].firstIndex { $0 == first || $0 == second || $0 == third || $0 == fourth }
                ?? bytes.count
            field.append(contentsOf: bytes[start..<end])
            return end
        }
        return position - start
    }

    /// The bytes before the next line feed, which is skipped; nil at the end.
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Returns: The bytes, and whether the limit was exceeded; the excess bytes are skipped.
    mutating func nextLine(limit: Int) throws -> (bytes: [UInt8], isTooLong: Bool)? {
        guard try peek() != nil else { return nil }
        var line: [UInt8] = []
        var isTooLong = false
        while try peek() != nil {
            let end = bytes[position...].firstIndex(of: CSVReader.lineFeed)
            let part = bytes[position..<(end ?? bytes.count)]
            if line.count + part.count > limit { isTooLong = true } else { line += part }
            position = end.map { $0 + 1 } ?? bytes.count
            if end != nil { break }
        }
        return (line, isTooLong)
    }

    /// Skips a UTF-8 byte order mark at the beginning.
    ///
    /// - Throws: ``CommandFailure`` for a UTF-16 byte order mark.
    mutating func passByteOrderMark() throws {
        guard isAtBeginning else { return }
        isAtBeginning = false
        // A pipe may return single bytes.
        while bytes.count < 3, !isAtEnd { try refill(keeping: bytes) }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
            throw CommandFailure("notUTF8", "The text is in UTF-16. Save it in UTF-8, then try again.", .dataError)
        }
    }

    private mutating func refill(keeping kept: [UInt8] = []) throws {
        guard !isAtEnd else { return }
        let portion = try source.next()
        isAtEnd = portion.isEmpty
        bytes = kept.isEmpty ? portion : kept + portion
        position = 0
    }
}
