import Strongroom
import StrongroomTesting
import Testing

@Suite("Rows as dictionaries")
struct DictionaryRowsTests {
    private let query: SQL = "SELECT name, score AS points, phone, photo, id > 1 AS late FROM contact ORDER BY id"

    @Test func eachColumnIsNamed() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in
            try Contact.insert(contentsOf: Contact.samples(2), in: db)
            let rows = try db.dictionaries(query)
            #expect(
                rows == [
                    ["name": "Contact 1", "points": 0.25, "phone": .null, "photo": .blob([1, 0, 255]), "late": 0],
                    ["name": "Contact 2", "points": 0.5, "phone": "+49 30 2", "photo": .blob([2, 0, 255]), "late": 1],
                ])
            #expect(try db.dictionary(query) == rows[0])
            let none = 7
            #expect(try db.dictionaries("SELECT name FROM contact WHERE id > \(none)") == [])
            #expect(try db.dictionary("SELECT name FROM contact WHERE id > \(none)") == nil)
            #expect(try db.dictionaries("UPDATE contact SET name = 'x' WHERE id = 1") == [])
            #expect(try db.dictionary("SELECT name FROM contact WHERE id = 1") == ["name": "x"])
        }
        #expect(
            try await store.read { db in try db.dictionaries("SELECT id FROM contact ORDER BY id") } == [
                ["id": 1], ["id": 2],
            ])
    }

    @Test func aNameThatOccursTwiceIsToldAlsoWithoutRows() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.read { db in
            let error = try expectFailure(.sql) {
                try db.dictionaries("SELECT a.id, b.name, b.id FROM contact a JOIN contact b")
            }
            #expect(
                error.message == """
                    The query returns two columns with the name "id", and a dictionary has one value for each name; \
                    name one of them differently, with AS.
                    """)
            #expect(error.sql == "SELECT a.id, b.name, b.id FROM contact a JOIN contact b")
            try expectFailure(.sql) { try db.dictionary("SELECT 1 AS x, 2 AS x") }
            #expect(try db.dictionary("SELECT 1 AS x, 2 AS X") == ["x": 1, "X": 2])
            try expectFailure(.sql) { try db.dictionaries("SELECT nothing") }
            try expectFailure(.readOnly) { try db.dictionaries("DELETE FROM contact") }
        }
    }

    @Test func aColumnAddedMeanwhileIsNamed() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in
            try Contact.insert(Contact(), in: db)
            #expect(try db.dictionary("SELECT * FROM contact")?.count == 6)
        }
        try await store.write { db in try db.execute("ALTER TABLE contact ADD COLUMN age INTEGER DEFAULT 36") }
        try await store.write { db in
            let row = try db.dictionary("SELECT * FROM contact")
            #expect(row?.count == 7 && row?["age"]?.int == 36)
        }
    }

    @Test func whatAValueHolds() {
        let values: [Value] = [.null, 1, 0, 7, 1.5, "7", .blob([7])]
        #expect(values.map(\.isNull) == [true, false, false, false, false, false, false])
        #expect(values.map(\.int) == [nil, 1, 0, 7, nil, nil, nil])
        #expect(values.map(\.double) == [nil, 1, 0, 7, 1.5, nil, nil])
        #expect(values.map(\.string) == [nil, nil, nil, nil, nil, "7", nil])
        #expect(values.map(\.bytes) == [nil, nil, nil, nil, nil, nil, [7]])
        #expect(values.map(\.bool) == [nil, true, false, nil, nil, nil, nil])
    }
}
