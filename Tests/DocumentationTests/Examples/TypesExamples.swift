#if Macros
import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of «Types of columns»")
struct TypesExamples {
    @Table("contact")
    struct Contact {
        var id: Int64?
        var createdAt: Date
    }

    @Test func aDateInSQL() async throws {
        let query = try #require(try Documentation.examples(of: "Types.md").first { $0.language == "sql" }).text
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let date = try Date("2026-11-21T20:15:00Z", strategy: .iso8601)
        try await store.table(Contact.self).insert(Contact(createdAt: date))
        let shown = try await store.read { db in try db.value(SQL(stringLiteral: query), as: String.self) }
        #expect(shown == "2026-11-21 20:15:00")
    }

    @Table("receipt")
    struct Receipt {
        var id: Int64?
        var price: Decimal
    }

    private static let migrator = Migrator {
        Migration("4") { db in try db.createTable(Receipt.schema) }
        Migration("5") { db in try db.convertDecimals(of: Receipt.self) }
    }

    @Test func theDigitsOfADecimalInSQL() async throws {
        let query = try #require(try Documentation.examples(of: "Types.md").last { $0.language == "sql" }).text
        let store = try await TemporaryStore(tables: [Receipt.schema]).store
        for (price, digits) in [(Decimal(12.5), "12.5"), (-3, "-3"), (0, "0")] {
            let shown = try await store.write { db throws in
                try Receipt.truncate(in: db)
                try Receipt.insert(Receipt(price: price), in: db)
                return try db.value(SQL(stringLiteral: query), as: String.self)
            }
            #expect(shown == digits)
        }
        #expect(Self.migrator.newestVersion == "5")
    }
}
#endif
