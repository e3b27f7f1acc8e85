/// The terms of texts that are all ASCII, which most rules leave as they are.
enum ASCIITerms {
    /// The folded letter or digit of each ASCII character; zero for all other bytes.
    private static let folded: [UInt8] = (0...255).map { TermScanner.foldedASCII($0) }

    /// Writes the terms in one pass into the result.
    ///
    /// - Returns: Nil for a text with another character.
    static func terms(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var isASCII = true
        let table = folded
        let terms = String(unsafeUninitializedCapacity: bytes.count) { terms in
            var (end, length) = (0, 0)
            for byte in bytes {
                let letter = table[Int(byte)]
                if letter != 0 {
                    // A space stands for at least one character that is none of a term, so there is room.
                    if length == 0, end > 0 {
                        terms[end] = 0x20
                        end += 1
                    }
                    if length < TermEncoding.longestTerm {
                        terms[end] = letter
                        end += 1
                    }
                    length += 1
                } else if byte < 0x80 {
                    length = 0
                } else {
                    isASCII = false
                    return 0
                }
            }
            return end
        }
        return isASCII ? terms : nil
    }
}
