import Strongroom

/// What a contact bought: a second table for joins.
struct Purchase: Table, Record, Equatable {
    var id: Int64?
    var buyer: Int64
    var article: String
    var total: Int

    struct Columns: Sendable {
        let id = Column<Int64?>("id", primaryKey: true)
        let buyer = Column<Int64>("buyer", indexed: true, references: Reference("contact", onDelete: .cascade))
        let article = Column<String>("article")
        let total = Column<Int>("total")
    }

    static let columns = Columns()
    static let schema = TableSchema("purchase", columns.id, columns.buyer, columns.article, columns.total)

    static func key(of purchase: Purchase) -> Int64? { purchase.id }
    static func setKey(_ key: Int64, of purchase: inout Purchase) { purchase.id = key }
}

extension Purchase {
    init(row: borrowing Row) throws {
        id = try row[0]
        buyer = try row[1]
        article = try row[2]
        total = try row[3]
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(buyer, at: 1)
        try bindings.set(article, at: 2)
        try bindings.set(total, at: 3)
    }
}

/// The price of an article in a shop: a key of two columns, and two columns that are unique together.
struct Price: Table, Record, Equatable {
    struct Key: TableKey {
        var shop: String
        var article: Int64

        static let columnCount = 2

        init(shop: String, article: Int64) {
            self.shop = shop
            self.article = article
        }

        init(from row: borrowing Row, at index: Int) throws {
            shop = try row[index]
            article = try row[index + 1]
        }

        func bind(to bindings: borrowing Bindings, at index: Int) throws {
            try bindings.set(shop, at: index)
            try bindings.set(article, at: index + 1)
        }
    }

    var shop: String
    var article: Int64
    var label: String?
    var edition: Int
    var cents: Int?

    struct Columns: Sendable {
        let shop = Column<String>("shop", primaryKey: true)
        let article = Column<Int64>("article", primaryKey: true)
        let label = Column<String?>("label")
        let edition = Column<Int>("edition")
        let cents = Column<Int?>("cents")
    }

    static let columns = Columns()
    static let schema = TableSchema(
        "price", columns.shop, columns.article, columns.label, columns.edition, columns.cents,
        indexes: [TableIndex(on: columns.label, columns.edition, unique: true)]
    )

    static func key(of price: Price) -> Key? { Key(shop: price.shop, article: price.article) }
    static func setKey(_ key: Key, of price: inout Price) {
        price.shop = key.shop
        price.article = key.article
    }
}

extension Price {
    init(row: borrowing Row) throws {
        shop = try row[0]
        article = try row[1]
        label = try row[2]
        edition = try row[3]
        cents = try row[4]
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(shop, at: 0)
        try bindings.set(article, at: 1)
        try bindings.set(label, at: 2)
        try bindings.set(edition, at: 3)
        try bindings.set(cents, at: 4)
    }
}
