public import Strongroom

/// A phone number of a contact.
public struct PhoneNumber: Table, Record, Equatable {
    /// The row's id; nil before the number is stored.
    public var id: Int64?
    /// The id of the ``Contact``; its numbers are deleted with it.
    public var contact: Int64
    /// The number as entered; not empty, and unique for a contact.
    public var number: String
    /// The kind of number, such as `work`.
    public var label: String

    /// Creates a number that is not stored yet.
    ///
    /// - Parameters:
    ///   - contact: The id of the contact.
    ///   - number: The number; not empty.
    ///   - label: The kind of number.
    public init(contact: Int64, number: String, label: String = "phone") {
        self.contact = contact
        self.number = number
        self.label = label
    }

    /// The typed columns.
    public struct Columns: Sendable {
        public let id = Column<Int64?>("id", primaryKey: true)
        public let contact = Column<Int64>("contact", references: Reference("contact", onDelete: .cascade))
        public let number = Column<String>("number", check: "length(number) > 0")
        public let label = Column<String>("label", default: "phone")
    }

    public static let columns = Columns()

    public static let schema = TableSchema(
        "phone_number", columns.id, columns.contact, columns.number, columns.label,
        indexes: [TableIndex(on: columns.contact, columns.number, unique: true)])

    public static func key(of number: PhoneNumber) -> Int64? { number.id }

    public static func setKey(_ key: Int64, of number: inout PhoneNumber) { number.id = key }

    public init(row: borrowing Row) throws {
        id = try row[0]
        contact = try row[1]
        number = try row[2]
        label = try row[3]
    }

    public func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(contact, at: 1)
        try bindings.set(number, at: 2)
        try bindings.set(label, at: 3)
    }
}
