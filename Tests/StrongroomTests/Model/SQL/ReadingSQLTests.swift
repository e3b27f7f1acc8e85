import Strongroom
import StrongroomTesting
import Testing

struct ReadingSQLTests {
    @Test func rowsComeOneAtATimeByPlaceAndByName() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in try Contact.insert(contentsOf: Contact.samples(3), in: db) }
        let seen = try await store.read { db in
            var seen: [String] = []
            try db.forEachRow("SELECT id, name AS label, phone FROM contact WHERE id > \(1) ORDER BY id") { row in
                let id: Int64 = try row[0]
                let label: String = try row["label"]
                let phone: String? = try row["phone"]
                #expect(row.count == 3)
                #expect(row.name(at: 1) == "label")
                seen.append("\(id) \(label) \(phone ?? "-")")
            }
            return seen
        }
        #expect(seen == ["2 Contact 2 +49 30 2", "3 Contact 3 -"])
    }

    @Test func anErrorOfTheClosureEndsTheQuery() async throws {
        struct Stop: Error {}
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in try Contact.insert(contentsOf: Contact.samples(3), in: db) }
        await #expect(throws: Stop.self) {
            try await store.read { db in try db.forEachRow("SELECT 1 FROM contact") { _ in throw Stop() } }
        }
    }

    @Test func aValueIsTheFirstColumnOfTheFirstRowOrNil() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in try Contact.insert(contentsOf: Contact.samples(3), in: db) }
        try await store.read { db in
            let first: Int64? = try db.value("SELECT id, name FROM contact ORDER BY id DESC")
            #expect(first == 3)
            let none = try db.value("SELECT id FROM contact WHERE id = \(99)", as: Int64.self)
            #expect(none == nil)
            let null = try db.value("SELECT phone FROM contact WHERE id = 1", as: String?.self)
            #expect(null == .some(.none))
            try expectFailure(.typeMismatch) { try db.value("SELECT phone FROM contact WHERE id = 1", as: String.self) }
        }
    }

    /// An error while rows are read is an error, not the end of the rows.
    @Test func anErrorHalfwayThroughIsNotTheEndOfTheData() async throws {
        try await TemporaryStore().store.read { db in
            var rows = 0
            let query: SQL = "SELECT abs(column1) FROM (SELECT 1 AS column1 UNION ALL SELECT -9223372036854775807 - 1)"
            try expectFailure(.limit) { try db.forEachRow(query) { _ in rows += 1 } }
            #expect(rows == 1)
        }
    }
}
