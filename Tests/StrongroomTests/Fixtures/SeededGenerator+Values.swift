import StrongroomTesting

extension SeededGenerator {
    /// A number of any size and kind but NaN; the bits are random, so the very large and the very small come up.
    mutating func number() -> Double {
        let number = Double(bitPattern: next())
        return number.isNaN ? 0.1 : number
    }

    /// Text of up to some pieces: letters, quotes, wildcards, NULs, combining marks, emoji.
    mutating func text(upTo length: Int = 12) -> String {
        let pieces = [
            "a", "B", "z", "0", " ", "'", "\"", "%", "_", "*", "?", "[", "]", "\\", ";", "--", "\0", "\n", "é",
            "e\u{301}", "ß",
            "漢", "👩‍👩‍👧", "🇩🇪", "\u{FEFF}", "\u{10FFFF}",
        ]
        return (0..<Int.random(in: 0...length, using: &self)).reduce(into: "") { text, _ in
            text += pieces[Int.random(in: 0..<pieces.count, using: &self)]
        }
    }

    /// Bytes, from none to some.
    mutating func bytes(upTo length: Int = 40) -> [UInt8] {
        (0..<Int.random(in: 0...length, using: &self)).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// A number out of few.
    mutating func smallNumber() -> Double {
        [-.infinity, -1.5, -1, 0, 0.5, 1, 2, .infinity][Int.random(in: 0..<8, using: &self)]
    }

    /// Nil once in a few times, otherwise what is made.
    mutating func sometimesNil<T>(_ make: (inout SeededGenerator) -> T) -> T? {
        next().isMultiple(of: 4) ? nil : make(&self)
    }
}
