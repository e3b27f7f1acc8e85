import StrongroomTesting
import Strongroom

/// A record with columns of every class, most of which may be NULL, for conditions.
struct Sample: Table, Record, Equatable {
    var id: Int64?
    var word: String?
    var note: String
    var number: Double?
    var size: Int64
    var flag: Bool?
    var data: [UInt8]?

    struct Columns: Sendable {
        let id = Column<Int64?>("id", primaryKey: true)
        let word = Column<String?>("word")
        let note = Column<String>("note")
        let number = Column<Double?>("number")
        let size = Column<Int64>("size")
        let flag = Column<Bool?>("flag")
        let data = Column<[UInt8]?>("data")
    }

    static let columns = Columns()
    static let schema = TableSchema(
        "sample", columns.id, columns.word, columns.note, columns.number, columns.size, columns.flag, columns.data)

    static func key(of sample: Sample) -> Int64? { sample.id }
    static func setKey(_ key: Int64, of sample: inout Sample) { sample.id = key }

    init(row: borrowing Row) throws {
        id = try row[0]
        word = try row[1]
        note = try row[2]
        number = try row[3]
        size = try row[4]
        flag = try row[5]
        data = try row[6]
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(word, at: 1)
        try bindings.set(note, at: 2)
        try bindings.set(number, at: 3)
        try bindings.set(size, at: 4)
        try bindings.set(flag, at: 5)
        try bindings.set(data, at: 6)
    }

    /// A random sample whose values come up again in others, so that comparisons find something.
    init(id: Int64, _ generator: inout SeededGenerator) {
        self.id = id
        word = generator.sometimesNil { $0.text(upTo: 3) }
        note = generator.text(upTo: 3)
        number = generator.sometimesNil { $0.smallNumber() }
        size = Int64.random(in: -3...3, using: &generator)
        flag = generator.sometimesNil { $0.next().isMultiple(of: 2) }
        data = generator.sometimesNil { $0.bytes(upTo: 1) }
    }
}
