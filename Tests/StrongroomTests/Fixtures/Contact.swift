import Strongroom

/// A table and its record, written by hand: the one that most tests store.
struct Contact: Table, Record, Equatable {
    var id: Int64?
    var name: String
    var email: String
    var phone: String?
    var score: Double
    var photo: [UInt8]

    init(
        id: Int64? = nil,
        name: String = "Ada",
        email: String = "ada@example.org",
        phone: String? = nil,
        score: Double = 1.5,
        photo: [UInt8] = [0, 255]
    ) {
        self.id = id
        self.name = name
        self.email = email
        self.phone = phone
        self.score = score
        self.photo = photo
    }

    struct Columns: Sendable {
        let id = Column<Int64?>("id", primaryKey: true)
        let name = Column<String>("name")
        let email = Column<String>("email", unique: true)
        let phone = Column<String?>("phone")
        let score = Column<Double>("score", default: 0)
        let photo = Column<[UInt8]>("photo")
    }

    static let columns = Columns()

    static let schema = TableSchema(
        "contact",
        columns.id, columns.name, columns.email, columns.phone, columns.score, columns.photo,
        indexes: [TableIndex(on: columns.name)]
    )

    static func key(of contact: Contact) -> Int64? { contact.id }
    static func setKey(_ key: Int64, of contact: inout Contact) { contact.id = key }

    init(row: borrowing Row) throws {
        id = try row[0]
        name = try row[1]
        email = try row[2]
        phone = try row[3]
        score = try row[4]
        photo = try row[5]
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(name, at: 1)
        try bindings.set(email, at: 2)
        try bindings.set(phone, at: 3)
        try bindings.set(score, at: 4)
        try bindings.set(photo, at: 5)
    }

    /// Contacts that differ in every column, without keys.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - first: The number in the first one's name and address.
    static func samples(_ count: Int, first: Int = 1) -> [Contact] {
        (first..<first + count).map { number in
            Contact(
                name: "Contact \(number)",
                email: "contact\(number)@example.org",
                phone: number.isMultiple(of: 2) ? "+49 30 \(number)" : nil,
                score: Double(number) / 4,
                photo: [UInt8(truncatingIfNeeded: number), 0, 255]
            )
        }
    }
}
