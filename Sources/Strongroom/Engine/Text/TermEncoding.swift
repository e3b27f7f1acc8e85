/// How a term is written in an index.
///
/// The engines' tokenizers split at ASCII characters that are neither letters nor digits, and fold ASCII capitals. A
/// term keeps such scalars as private-use scalars, U+E000 plus their number, so that it stays one term.
enum TermEncoding {
    /// The number of scalars of an encoded term; what follows is cut, in texts as in questions.
    static let longestTerm = 128

    /// The number of the scalar that takes the place of the scalar of a given number.
    static func encoded(_ scalar: UInt32) -> UInt32 {
        isKept(scalar) ? scalar : 0xE000 + scalar
    }

    /// The encoded term, cut at 128 scalars.
    static func encoded(_ term: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in term.unicodeScalars.prefix(longestTerm) {
            guard let encoded = Unicode.Scalar(encoded(scalar.value)) else { continue }
            result.append(encoded)
        }
        return String(result)
    }

    private static func isKept(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x30...0x39, 0x61...0x7A, 0x80...: true
        default: false
        }
    }
}
