/// Numbers as FTS4 stores them in its tables `…_docsize` and `…_stat`: seven bits a byte, the lowest first. See "FTS3
/// and FTS4 Extensions", section 9 (sqlite.org/fts3.html).
///
/// The engine (SQLite 3.15.2 of SQLCipher 3.4.1) reads as many as it expects, also past the end of the value, and ends
/// the process at an empty one.
enum FullTextNumbers {
    /// Calls a closure for each number.
    ///
    /// - Returns: Whether the bytes are numbers to their end, each below 2⁴².
    @inline(__always)
    static func forEach(in bytes: some Sequence<UInt8>, _ body: (Int) -> Void) -> Bool {
        var (number, shift) = (0, 0)
        for byte in bytes {
            number |= Int(byte & 0x7F) << shift
            shift += 7
            guard byte & 0x80 == 0 else {
                guard shift < 42 else { return false }
                continue
            }
            body(number)
            (number, shift) = (0, 0)
        }
        return shift == 0
    }

    /// As many numbers as are expected; nil for other bytes.
    static func numbers(_ bytes: some Sequence<UInt8>, count: Int) -> [Int]? {
        var numbers: [Int] = []
        guard forEach(in: bytes, { numbers.append($0) }), numbers.count == count else { return nil }
        return numbers
    }

    /// The error for a full-text index with other numbers.
    static var damage: StrongroomError {
        StrongroomError(
            .damaged,
            """
            A full-text index has invalid lengths of texts. Rebuild it by `rebuildFullText(of:)`, or run \
            `strongroom reindex`.
            """)
    }
}
