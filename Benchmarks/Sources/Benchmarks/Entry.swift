import Strongroom
import TestData

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

extension Entry: SampleTable {
    static let textColumn = "name"

    init(_ sample: Sample) {
        id = sample.id
        name = sample.name
        size = sample.size
        score = sample.score
        digest = sample.digest
        note = sample.note
    }
}

extension Summary {
    init(_ entries: [Entry]) {
        self.init()
        for entry in entries { add(entry) }
    }

    mutating func add(_ entry: Entry) {
        add(size: entry.size, name: entry.name, digestLength: entry.digest.count, note: entry.note)
    }
}
