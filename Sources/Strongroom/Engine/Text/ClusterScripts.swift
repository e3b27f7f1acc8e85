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
