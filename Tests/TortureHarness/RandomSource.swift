/// Random numbers that a seed repeats: SplitMix64.
struct RandomSource: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A source for one part of the work, which does not depend on how many numbers the others took.
    init(seed: UInt64, part: String, round: Int) {
        var state = RandomSource.hash(part) ^ seed
        state = state &+ UInt64(round) &* 0x9E37_79B9_7F4A_7C15
        self.init(seed: state)
        _ = next()
    }

    mutating func next() -> UInt64 {
        state = state &+ 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// True once in so many times.
    mutating func oneIn(_ times: Int) -> Bool { number(1...times) == 1 }

    /// An element of a list that has some.
    mutating func pick<Element>(_ list: [Element]) -> Element { list[number(0...list.count - 1)] }

    /// Seconds to wait: short ones are as likely as long ones, since a command's steps lie close together.
    mutating func delay(upTo longest: Double) -> Double {
        let part = Double.random(in: 0...1, using: &self)
        return oneIn(2) ? longest * part : longest * part * part * part
    }

    /// FNV-1a.
    static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
