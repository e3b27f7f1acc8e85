/// The values of one row; each side makes a record of its own of it, before the clock runs.
public struct Sample: Sendable {
    /// Missing where the engine is to make it.
    public var id: Int64?
    /// No two samples have the same.
    public var name: String
    public var size: Int64
    public var score: Double
    public var digest: [UInt8]
    public var note: String?

    public init(name: String, size: Int64, score: Double, digest: [UInt8], note: String?) {
        self.name = name
        self.size = size
        self.score = score
        self.digest = digest
        self.note = note
    }
}

extension Sample {
    private static let words = ["amber", "birch", "cobalt", "delta", "élan", "fjord", "granite", "harbour"]

    /// A name of 14 to 31 bytes, a note in two of three rows.
    init(number: Int, using generator: inout SeededGenerator) {
        let words = "\(Self.word(&generator))-\(Self.word(&generator))"
        name = "\(words)-\(number)-\(UInt16.random(in: 0...9999, using: &generator))"
        size = Int64.random(in: 0...1_000_000_000, using: &generator)
        score = Double.random(in: 0...1, using: &generator)
        digest = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        note =
            number.isMultiple(of: 3)
            ? nil : "\(Self.word(&generator)) and \(Self.word(&generator)), row \(number) of many"
    }

    private static func word(_ generator: inout SeededGenerator) -> String {
        words[Int.random(in: words.indices, using: &generator)]
    }

    /// The same name with other values of the same lengths, so that no side measures the splitting of pages.
    func changed() -> Sample {
        var copy = self
        copy.size = size ^ 1
        copy.score = 1 - score
        copy.digest.reverse()
        copy.note = note.map { String($0.reversed()) }
        return copy
    }
}
