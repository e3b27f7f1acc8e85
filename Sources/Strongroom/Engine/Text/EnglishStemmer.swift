/// Porter's algorithm of 1980: M. F. Porter, "An algorithm for suffix stripping", Program 14 (3), pages 130–137.
///
/// The rules are those of the paper; the later changes of its author (`logi` → `log`, `bli` → `ble`) are left out. As
/// in the author's own program, words of one or two letters stay as they are.
struct EnglishStemmer {
    /// All bytes of the caller, which are moved here during the work; the word begins at `start`.
    var letters: [UInt8] = []
    let start: Int

    /// Reduces the word at the end of the bytes to its stem, if it consists of the letters a–z.
    static func reduce(_ bytes: inout [UInt8], from start: Int) {
        guard bytes.count - start > 2, bytes[start...].allSatisfy({ $0 &- 0x61 < 26 }) else { return }
        var stemmer = EnglishStemmer(start: start)
        swap(&stemmer.letters, &bytes)
        stemmer.run()
        swap(&stemmer.letters, &bytes)
    }

    private init(start: Int) { self.start = start }

    private mutating func run() {
        removePlural()
        removePastTense()
        if endsIn("y"), hasVowel(upTo: letters.count - 1) { replace("y", by: "i") }
        replaceFirst(of: Self.doubleSuffixes)
        replaceFirst(of: Self.suffixes)
        removeLastSuffix()
        removeFinalE()
    }

    // Step 1a.
    private mutating func removePlural() {
        if endsIn("sses") || endsIn("ies") {
            letters.removeLast(2)
        } else if endsIn("s"), !endsIn("ss") {
            letters.removeLast()
        }
    }

    // Step 1b.
    private mutating func removePastTense() {
        if endsIn("eed") {
            if measure(upTo: letters.count - 3) > 0 { letters.removeLast() }
            return
        }
        let count = endsIn("ed") ? 2 : endsIn("ing") ? 3 : 0
        guard count > 0, hasVowel(upTo: letters.count - count) else { return }
        letters.removeLast(count)
        if endsIn("at") || endsIn("bl") || endsIn("iz") {
            letters.append(Self.e)
        } else if endsInDoubleConsonant, !endsIn("l"), !endsIn("s"), !endsIn("z") {
            letters.removeLast()
        } else if measure(upTo: letters.count) == 1, endsInShortSyllable(letters.count) {
            letters.append(Self.e)
        }
    }

    // Steps 2 and 3.
    private mutating func replaceFirst(of rules: [(suffix: StaticString, replacement: StaticString)]) {
        for rule in rules where endsIn(rule.suffix) {
            if measure(upTo: letters.count - rule.suffix.utf8CodeUnitCount) > 0 {
                replace(rule.suffix, by: rule.replacement)
            }
            return
        }
    }

    // Step 4.
    private mutating func removeLastSuffix() {
        for suffix in Self.lastSuffixes where endsIn(suffix) {
            let stemEnd = letters.count - suffix.utf8CodeUnitCount
            let isAllowed = !endsIn("ion") || endsIn("sion") || endsIn("tion")
            if isAllowed, measure(upTo: stemEnd) > 1 { letters.removeLast(suffix.utf8CodeUnitCount) }
            return
        }
    }

    // Step 5.
    private mutating func removeFinalE() {
        if endsIn("e") {
            let stemEnd = letters.count - 1
            let count = measure(upTo: stemEnd)
            if count > 1 || count == 1 && !endsInShortSyllable(stemEnd) { letters.removeLast() }
        }
        if endsIn("ll"), measure(upTo: letters.count) > 1 { letters.removeLast() }
    }
}

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

    /// Whether the letter at a position is a consonant. "y" is one unless it follows a consonant.
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
