import Strongroom

/// The record of the measures, written as a user writes one: in a module of its own, against the public API.
struct Entry: Table, Record {
    var id: Int64?
    var name: String
    var size: Int64
    var score: Double
    var digest: [UInt8]
    var note: String?

    struct Columns: Sendable {
        let id = Column<Int64?>("id", primaryKey: true)
        let name = Column<String>("name")
        let size = Column<Int64>("size")
        let score = Column<Double>("score")
        let digest = Column<[UInt8]>("digest")
        let note = Column<String?>("note")
    }
    static let columns = Columns()
    static let schema = TableSchema(
        "entry", columns.id, columns.name, columns.size, columns.score, columns.digest, columns.note)

    static func key(of entry: Entry) -> Int64? { entry.id }
    static func setKey(_ key: Int64, of entry: inout Entry) { entry.id = key }

    init(row: borrowing Row) throws {
        id = try row[0]
        name = try row[1]
        size = try row[2]
        score = try row[3]
        digest = try row[4]
        note = try row[5]
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(name, at: 1)
        try bindings.set(size, at: 2)
        try bindings.set(score, at: 3)
        try bindings.set(digest, at: 4)
        try bindings.set(note, at: 5)
    }
}

extension Entry {
    private static let words = ["amber", "birch", "cobalt", "delta", "élan", "fjord", "granite", "harbour"]

    /// An entry of the test data: a name of 14 to 31 bytes, a note in two of three rows.
    private init(number: Int, using generator: inout SeededGenerator) {
        name =
            "\(Self.word(&generator))-\(Self.word(&generator))-\(number)-\(UInt16.random(in: 0...9999, using: &generator))"
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

    /// The same entries in every run.
    static func testData(count: Int) -> [Entry] {
        var generator = SeededGenerator(seed: 1)
        return (0..<count).map { Entry(number: $0, using: &generator) }
    }
}

/// The same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
