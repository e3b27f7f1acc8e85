extension EnglishStemmer {
    static let e = UInt8(ascii: "e")
    private static let y = UInt8(ascii: "y")

    /// A word that ends in two of these suffixes loses only the first that fits.
    static let doubleSuffixes: [(suffix: StaticString, replacement: StaticString)] = [
        ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("abli", "able"),
        ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
        ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
        ("iviti", "ive"), ("biliti", "ble"),
    ]

    static let suffixes: [(suffix: StaticString, replacement: StaticString)] = [
        ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
    ]

    static let lastSuffixes: [StaticString] = [
        "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
        "iti", "ous", "ive", "ize",
    ]

    static func isSOrT(_ letter: UInt8) -> Bool {
        letter == UInt8(ascii: "s") || letter == UInt8(ascii: "t")
    }

    func endsIn(_ suffix: StaticString) -> Bool {
        let count = suffix.utf8CodeUnitCount
        guard letters.count - start >= count else { return false }
        return suffix.withUTF8Buffer { bytes in
            var position = letters.count - count
            for byte in bytes {
                if letters[position] != byte { return false }
                position += 1
            }
            return true
        }
    }

    mutating func replace(_ suffix: StaticString, by replacement: StaticString) {
        letters.removeLast(suffix.utf8CodeUnitCount)
        replacement.withUTF8Buffer { letters.append(contentsOf: $0) }
    }

    /// The number of sequences of vowels and consonants before a position: m in [C](VC)^m[V].
    func measure(upTo end: Int) -> Int {
        var count = 0
        var isAfterVowel = false
        var isConsonant = false
        for position in start..<end {
            isConsonant = self.isConsonant(position, after: isConsonant)
            if isConsonant, isAfterVowel { count += 1 }
            isAfterVowel = !isConsonant
        }
        return count
    }

    func hasVowel(upTo end: Int) -> Bool {
        var isConsonant = false
        for position in start..<end {
            isConsonant = self.isConsonant(position, after: isConsonant)
            if !isConsonant { return true }
        }
        return false
    }

    var endsInDoubleConsonant: Bool {
        let last = letters.count - 1
        return last > start && letters[last] == letters[last - 1] && isConsonant(last)
    }

    /// Whether the letters before a position end in consonant, vowel, consonant, and the last is not w, x or y.
    func endsInShortSyllable(_ end: Int) -> Bool {
        guard end - start > 2, isConsonant(end - 1), !isConsonant(end - 2), isConsonant(end - 3) else {
            return false
        }
        switch letters[end - 1] {
        case UInt8(ascii: "w"), UInt8(ascii: "x"), Self.y: return false
        default: return true
        }
    }

    /// Whether the letter at a position is a consonant. "y" is one unless it stands after a consonant.
    private func isConsonant(_ position: Int) -> Bool {
        var isConsonant = false
        var first = position
        while first > start, letters[first] == Self.y { first -= 1 }
        for index in first...position { isConsonant = self.isConsonant(index, after: isConsonant) }
        return isConsonant
    }

    private func isConsonant(_ position: Int, after isConsonant: Bool) -> Bool {
        switch letters[position] {
        case UInt8(ascii: "a"), Self.e, UInt8(ascii: "i"), UInt8(ascii: "o"), UInt8(ascii: "u"): false
        case Self.y: position == start || !isConsonant
        default: true
        }
    }
}
