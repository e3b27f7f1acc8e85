import Strongroom
import TestData

/// The record of the upserts: an ``Entry`` whose text is unique.
struct Account: Table, Record {
    var id: Int64?
    var email: String
    var size: Int64
    var score: Double
    var digest: [UInt8]
    var note: String?

    struct Columns: Sendable {
        let id = Column<Int64?>("id", primaryKey: true)
        let email = Column<String>("email", unique: true)
        let size = Column<Int64>("size")
        let score = Column<Double>("score")
        let digest = Column<[UInt8]>("digest")
        let note = Column<String?>("note")
    }
    static let columns = Columns()
    static let schema = TableSchema(
        "account", columns.id, columns.email, columns.size, columns.score, columns.digest, columns.note)

    static func key(of account: Account) -> Int64? { account.id }
    static func setKey(_ key: Int64, of account: inout Account) { account.id = key }

    init(row: borrowing Row) throws {
        id = try row[0]
        email = try row[1]
        size = try row[2]
        score = try row[3]
        digest = try row[4]
        note = try row[5]
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(email, at: 1)
        try bindings.set(size, at: 2)
        try bindings.set(score, at: 3)
        try bindings.set(digest, at: 4)
        try bindings.set(note, at: 5)
    }
}

extension Account: SampleTable {
    static let textColumn = "email"

    init(_ sample: Sample) {
        id = sample.id
        email = sample.name
        size = sample.size
        score = sample.score
        digest = sample.digest
        note = sample.note
    }
}
