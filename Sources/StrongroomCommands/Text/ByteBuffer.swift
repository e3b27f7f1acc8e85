/// A source's bytes one by one, with a look at the next one.
struct ByteBuffer {
    private let source: ByteSource
    private var bytes: [UInt8] = []
    private var place = 0
    private var isAtBeginning = true
    private var isAtEnd = false

    init(_ source: ByteSource) {
        self.source = source
    }

    /// The next byte, which stays; nil at the end.
    mutating func peek() throws -> UInt8? {
        if place == bytes.count {
            try refill()
            guard place < bytes.count else { return nil }
        }
        return bytes[place]
    }

    /// The next byte; nil at the end.
    mutating func take() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        place += 1
        return byte
    }

    /// The bytes before the next line feed, which is passed over; nil at the end.
    ///
    /// - Parameter limit: How many there may be.
    /// - Returns: The bytes, and whether there were more than the limit; those are passed over.
    mutating func takeLine(limit: Int) throws -> (bytes: [UInt8], isTooLong: Bool)? {
        guard try peek() != nil else { return nil }
        var line: [UInt8] = []
        var isTooLong = false
        while try peek() != nil {
            let end = bytes[place...].firstIndex(of: CSVReader.lineFeed)
            let part = bytes[place..<(end ?? bytes.count)]
            if line.count + part.count > limit { isTooLong = true } else { line += part }
            place = end.map { $0 + 1 } ?? bytes.count
            if end != nil { break }
        }
        return (line, isTooLong)
    }

    /// Passes over the byte order mark of UTF-8 at the beginning.
    ///
    /// - Throws: ``CommandFailure`` for that of UTF-16.
    mutating func passByteOrderMark() throws {
        guard isAtBeginning else { return }
        isAtBeginning = false
        // A pipe may give them one by one.
        while bytes.count < 3, !isAtEnd { try refill(keeping: bytes) }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
        guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
            throw CommandFailure("notUTF8", "The text is in UTF-16. Save it in UTF-8, then try again.", .dataError)
        }
    }

    private mutating func refill(keeping kept: [UInt8] = []) throws {
        guard !isAtEnd else { return }
        let portion = try source.next()
        isAtEnd = portion.isEmpty
        bytes = kept.isEmpty ? portion : kept + portion
        place = 0
    }
}
