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
}
#endif
