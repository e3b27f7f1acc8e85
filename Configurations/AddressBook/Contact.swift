public import Strongroom

/// A contact of the user.
public struct Contact: Table, Record, Equatable {
    /// The row's id; nil before the contact is stored.
    public var id: Int64?
    /// The name.
    public var name: String
    /// The email address.
    public var email: String?
    /// When the contact was added, in seconds since 1970; 0 if unknown.
    public var addedAt: Int64
    /// Whether the contact is shown at the top of lists.
    public var isFavourite: Bool

    /// Creates a contact that is not stored yet.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - email: The email address.
    ///   - addedAt: When it is added, in seconds since 1970.
    ///   - isFavourite: Whether the contact is shown at the top of lists.
    public init(name: String, email: String? = nil, addedAt: Int64 = 0, isFavourite: Bool = false) {
        self.name = name
        self.email = email
        self.addedAt = addedAt
        self.isFavourite = isFavourite
    }

    /// The typed columns.
    public struct Columns: Sendable {
        public let id = Column<Int64?>("id", primaryKey: true)
        public let name = Column<String>("name", indexed: true)
        public let email = Column<String?>("email")
        public let addedAt = Column<Int64>("added_at", default: 0)
        public let isFavourite = Column<Bool>("is_favourite", default: false)
    }

    public static let columns = Columns()

    public static let schema = TableSchema(
        "contact", columns.id, columns.name, columns.email, columns.addedAt, columns.isFavourite)

    public static func key(of contact: Contact) -> Int64? { contact.id }

    public static func setKey(_ key: Int64, of contact: inout Contact) { contact.id = key }

    public init(row: borrowing Row) throws {
        id = try row[0]
        name = try row[1]
        email = try row[2]
        addedAt = try row[3]
        isFavourite = try row[4]
    }

    public func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(name, at: 1)
        try bindings.set(email, at: 2)
        try bindings.set(addedAt, at: 3)
        try bindings.set(isFavourite, at: 4)
    }
}
