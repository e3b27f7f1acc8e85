import Foundation
import Strongroom

/// A table with a column of every kind that a predicate as text meets; some columns are named otherwise than their
/// properties.
struct Person: Table, Record, Equatable {
    var id: Int64?
    var name = ""
    var nickname: String?
    var email: String?
    var age = 0
    var small: UInt8 = 0
    var score: Double?
    var ratio: Float = 0
    var isActive = false
    var born: Date?
    var token = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var price: Decimal = 0
    var kind = Kind.friend
    var photo: [UInt8] = []
    var tags = JSON<[String]>([])
    var extra = SQLValue.null
    var `in`: Int?

    enum Kind: Int, ColumnValue { case friend, colleague }

    struct Columns: Sendable {
        let id = Column<Int64?>("id", primaryKey: true)
        let name = Column<String>("name")
        let nickname = Column<String?>("nickname")
        let email = Column<String?>("e-mail")
        let age = Column<Int>("age")
        let small = Column<UInt8>("small")
        let score = Column<Double?>("score")
        let ratio = Column<Float>("ratio")
        let isActive = Column<Bool>("is`Active")
        let born = Column<Date?>("born")
        let token = Column<UUID>("token")
        let price = Column<Decimal>("price")
        let kind = Column<Kind>("kind")
        let photo = Column<[UInt8]>("photo")
        let tags = Column<JSON<[String]>>("tags")
        let extra = Column<SQLValue>("extra")
        let `in` = Column<Int?>("in")
    }

    static let columns = Columns()
    static let schema = TableSchema(
        "person", columns.id, columns.name, columns.nickname, columns.email, columns.age, columns.small, columns.score,
        columns.ratio, columns.isActive, columns.born, columns.token, columns.price, columns.kind, columns.photo,
        columns.tags, columns.extra, columns.in)

    static func key(of person: Person) -> Int64? { person.id }
    static func setKey(_ key: Int64, of person: inout Person) { person.id = key }

    init() {}

    init(row: borrowing Row) throws {
        id = try row[0]
        name = try row[1]
        nickname = try row[2]
        email = try row[3]
        age = try row[4]
        small = try row[5]
        score = try row[6]
        ratio = try row[7]
        isActive = try row[8]
        born = try row[9]
        token = try row[10]
        price = try row[11]
        kind = try row[12]
        photo = try row[13]
        tags = try row[14]
        extra = try row[15]
        `in` = try row[16]
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(name, at: 1)
        try bindings.set(nickname, at: 2)
        try bindings.set(email, at: 3)
        try bindings.set(age, at: 4)
        try bindings.set(small, at: 5)
        try bindings.set(score, at: 6)
        try bindings.set(ratio, at: 7)
        try bindings.set(isActive, at: 8)
        try bindings.set(born, at: 9)
        try bindings.set(token, at: 10)
        try bindings.set(price, at: 11)
        try bindings.set(kind, at: 12)
        try bindings.set(photo, at: 13)
        try bindings.set(tags, at: 14)
        try bindings.set(extra, at: 15)
        try bindings.set(`in`, at: 16)
    }
}
