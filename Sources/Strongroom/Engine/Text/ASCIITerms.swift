/// The terms of texts that are all ASCII, which most rules leave as they are.
enum ASCIITerms {
    /// The folded letter or digit of each ASCII character; zero for the others, and `foreign` for bytes of other
    /// characters.
    private static let folded: [UInt8] = (0...255).map { $0 < 0x80 ? TermScanner.foldedASCII($0) : foreign }

    private static let foreign: UInt8 = 0xFF

    /// Writes the terms in one pass, with one space between them.
    ///
    /// - Parameter terms: Room for one byte more than the text has.
    /// - Returns: The number of bytes; nil for a text with another character.
    static func write(_ bytes: UnsafeBufferPointer<UInt8>, into terms: UnsafeMutablePointer<UInt8>) -> Int? {
        folded.withUnsafeBufferPointer { folded in
            // Each byte is written and counts if it belongs to a term, or is the first one after a term.
            var (end, length) = (0, 0)
            for byte in bytes {
                let letter = folded[Int(byte)]
                if letter == foreign { return nil }
                let isLetter = letter != 0
                terms[end] = isLetter ? letter : 0x20
                length = isLetter ? length + 1 : -length
                let isSpace = length < 0
                let isRoom = length > 0 && length <= TermEncoding.longestTerm
                end += isRoom || isSpace ? 1 : 0
                if !isLetter { length = 0 }
            }
            return length == 0 && end > 0 ? end - 1 : end
        }
    }

    /// - Returns: The terms; nil for a text with another character.
    static func terms(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var isASCII = true
        let terms = String(unsafeUninitializedCapacity: bytes.count + 1) { terms in
            guard let start = terms.baseAddress, let count = write(bytes, into: start) else {
                isASCII = false
                return 0
            }
            return count
        }
        return isASCII ? terms : nil
    }
}
