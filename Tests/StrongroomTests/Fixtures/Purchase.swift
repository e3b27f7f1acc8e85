import Strongroom

/// What a contact bought: a second table for joins.
@Table("purchase")
struct Purchase: Equatable {
    var id: Int64?
    @Column(indexed: true, references: Reference("contact", onDelete: .cascade)) var buyer: Int64
    var article: String
    var total: Int
}

/// The price of an article in a shop: a key of two columns, and two columns that are unique together.
@Table("price")
struct Price: Equatable {
    @Column(primaryKey: true) var shop: String
    @Column(primaryKey: true) var article: Int64
    var label: String?
    var edition: Int
    var cents: Int?

    static var indexes: [TableIndex] { [TableIndex(on: columns.label, columns.edition, unique: true)] }
}

/// A table with nothing but a key, which the engine never gives twice.
@Table("counter")
struct Counter: Equatable {
    @Column(autoincrement: true) var id: Int64?
}
