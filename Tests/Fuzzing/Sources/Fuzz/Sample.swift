import Foundation
import Strongroom

/// A record with a column of each kind, declared by hand: the macros' plug-in is not compiled with coverage.
struct Sample: Table, Record {
    var id: Int64?
    var name: String
    var nickname: String?
    var age: Int
    var small: UInt8
    var score: Double?
    var ratio: Float
    var isActive: Bool
    var born: Date?
    var due: Date?
    var token: UUID?
    var price: Decimal
    var amount: Decimal?
    var photo: [UInt8]
    var tags: JSON<[String]>?
    var extra: SQLValue

    struct Columns: Sendable {
        let id = Column<Int64?>("id", primaryKey: true)
        let name = Column<String>("name", default: "")
        let nickname = Column<String?>("nick`name")
        let age = Column<Int>("age", default: 0)
        let small = Column<UInt8>("small", default: 0)
        let score = Column<Double?>("score")
        let ratio = Column<Float>("ratio", default: 0)
        let isActive = Column<Bool>("isActive", default: false)
        let born = Column<Date?>("born")
        let due = Column<Date?>("due", as: .iso8601)
        let token = Column<UUID?>("token")
        let price = Column<Decimal>("price", default: 0)
        let amount = Column<Decimal?>("amount", scale: 2)
        let photo = Column<[UInt8]>("photo", default: [])
        let tags = Column<JSON<[String]>?>("tags")
        let extra = Column<SQLValue>("extra", default: .null)
    }

    static let columns = Columns()
    static let schema = TableSchema(
        "sample", columns.id, columns.name, columns.nickname, columns.age, columns.small, columns.score, columns.ratio,
        columns.isActive, columns.born, columns.due, columns.token, columns.price, columns.amount, columns.photo,
        columns.tags, columns.extra)

    static func key(of sample: Sample) -> Int64? { sample.id }
    static func setKey(_ key: Int64, of sample: inout Sample) { sample.id = key }

    init(row: borrowing Row) throws {
        id = try row[0]
        name = try row[1]
        nickname = try row[2]
        age = try row[3]
        small = try row[4]
        score = try row[5]
        ratio = try row[6]
        isActive = try row[7]
        born = try row[8]
        due = try row.dateIfPresent(at: 9, as: .iso8601)
        token = try row[10]
        price = try row[11]
        amount = try row.decimalIfPresent(at: 12, scale: 2)
        photo = try row[13]
        tags = try row[14]
        extra = try row[15]
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(name, at: 1)
        try bindings.set(nickname, at: 2)
        try bindings.set(age, at: 3)
        try bindings.set(small, at: 4)
        try bindings.set(score, at: 5)
        try bindings.set(ratio, at: 6)
        try bindings.set(isActive, at: 7)
        try bindings.set(born, at: 8)
        try bindings.set(due, at: 9, as: .iso8601)
        try bindings.set(token, at: 10)
        try bindings.set(price, at: 11)
        try bindings.set(amount, at: 12, scale: 2)
        try bindings.set(photo, at: 13)
        try bindings.set(tags, at: 14)
        try bindings.set(extra, at: 15)
    }
}
