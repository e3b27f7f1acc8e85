import Foundation

/// Foundation's normalisation forms for many short lists of scalars.
///
/// A call for each list takes long because of its fixed cost, a single one because its cost grows with the square of
/// the text's length, so the lists are joined in groups.
enum Normalization {
    /// The canonical decompositions (NFD) of scalars.
    static func canonicalDecompositions(_ scalars: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
        grouped(scalars.map { [$0] }) { $0.decomposedStringWithCanonicalMapping }
    }

    /// The compatibility decompositions (NFKD) of scalars.
    static func compatibilityDecompositions(_ scalars: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
        grouped(scalars.map { [$0] }) { $0.decomposedStringWithCompatibilityMapping }
    }

    /// The canonical compositions (NFC) of lists of scalars.
    static func compositions(_ lists: [[Unicode.Scalar]]) -> [[Unicode.Scalar]] {
        grouped(lists) { $0.precomposedStringWithCanonicalMapping }
    }

    /// A folded term in canonical order and composed. A combining iota is a letter once the order is canonical.
    static func composed(_ term: String) -> String {
        guard term.unicodeScalars.contains(Folding.combiningIota) else {
            return term.precomposedStringWithCanonicalMapping
        }
        var letters = String.UnicodeScalarView()
        for scalar in term.decomposedStringWithCanonicalMapping.unicodeScalars {
            letters.append(scalar == Folding.combiningIota ? "ι" : scalar)
        }
        return String(letters).precomposedStringWithCanonicalMapping
    }

    private static func grouped(
        _ lists: [[Unicode.Scalar]], _ normalized: (String) -> String
    ) -> [[Unicode.Scalar]] {
        stride(from: 0, to: lists.count, by: 256).flatMap { start in
            // A line feed neither composes nor moves in canonical order.
            var text = String.UnicodeScalarView()
            for list in lists[start..<min(start + 256, lists.count)] {
                for scalar in list { text.append(scalar) }
                text.append("\n")
            }
            return normalized(String(text)).unicodeScalars
                .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(Array.init)
        }
    }
}

/// How a term is written in an index.
///
/// The engines' tokenizers split at ASCII characters that are neither letters nor digits, and fold ASCII capitals. A
/// term keeps such scalars as private-use scalars, U+E000 plus their number, so that it stays one term.
enum TermEncoding {
    /// The maximum number of scalars of an encoded term; longer ones are truncated in documents and queries.
    static let longestTerm = 128

    /// The number of the scalar that replaces the scalar with a number.
    static func encoded(_ scalar: UInt32) -> UInt32 {
        switch scalar {
        case 0x30...0x39, 0x61...0x7A, 0x80...: scalar
        default: 0xE000 + scalar
        }
    }

    /// The encoded term, cut at 128 scalars.
    static func encoded(_ term: String) -> String {
        let scalars = term.unicodeScalars.prefix(longestTerm).compactMap { Unicode.Scalar(encoded($0.value)) }
        return String(String.UnicodeScalarView(scalars))
    }
}

/// Reads and writes scalars of valid UTF-8.
enum UTF8Scalar {
    /// The scalar at a position of valid UTF-8, and the position after it.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> (scalar: UInt32, end: Int) {
        let first = UInt32(bytes[position])
        func next(_ offset: Int) -> UInt32 {
            position + offset < bytes.count ? UInt32(bytes[position + offset] & 0x3F) : 0
        }
        switch first {
        case ..<0x80: return (first, position + 1)
        case ..<0xE0: return ((first & 0x1F) << 6 | next(1), position + 2)
        case ..<0xF0: return ((first & 0x0F) << 12 | next(1) << 6 | next(2), position + 3)
        default: return ((first & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3), position + 4)
        }
    }

    static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        func continuation(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3F) }
        switch scalar {
        case ..<0x80:
            bytes.append(UInt8(scalar))
        case ..<0x800:
            bytes.append(UInt8(0xC0 | scalar >> 6))
            bytes.append(continuation(0))
        case ..<0x1_0000:
            bytes.append(UInt8(0xE0 | scalar >> 12))
            bytes.append(continuation(6))
            bytes.append(continuation(0))
        default:
            bytes.append(UInt8(0xF0 | scalar >> 18 & 0x07))
            bytes.append(continuation(12))
            bytes.append(continuation(6))
            bytes.append(continuation(0))
        }
    }
}

/// The scripts that are written without spaces, or whose words carry attached particles: one token a character.
enum ClusterScripts {
    /// Whether a folded letter, mark or digit belongs to one of the scripts.
    static func contains(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x0E00...0x0EFF,  // Thai, Lao
            0x0F00...0x0FFF,  // Tibetan
            0x1000...0x109F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F,  // Myanmar
            0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7FF,  // Hangul
            0x1780...0x17FF,  // Khmer
            0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x3029, 0x3031...0x3035, 0x3038...0x303C,  // Han
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF,
            0x3041...0x30FF, 0x31F0...0x31FF, 0x1AFF0...0x1B16F:  // Hiragana, Katakana
            true
        default: false
        }
    }

    /// Whether a letter is no character of its own after another: the second half of Thai and Lao AM, and the vowel
    /// and final consonant of a Hangul syllable written as single letters.
    static func continues(_ previous: UInt32, _ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x0E32: previous == 0x0E4D
        case 0x0EB2: previous == 0x0ECD
        case 0x1160...0x11A7, 0xD7B0...0xD7C6: isHangulInitial(previous)
        case 0x11A8...0x11FF, 0xD7CB...0xD7FB: isHangulVowel(previous)
        default: false
        }
    }

    private static func isHangulInitial(_ scalar: UInt32) -> Bool {
        (0x1100...0x115F).contains(scalar) || (0xA960...0xA97C).contains(scalar)
    }

    /// Whether a final consonant may follow: a vowel, or a syllable without a final consonant.
    private static func isHangulVowel(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x1160...0x11A7, 0xD7B0...0xD7C6: true
        case 0xAC00...0xD7A3: (scalar - 0xAC00) % 28 == 0
        default: false
        }
    }
}
