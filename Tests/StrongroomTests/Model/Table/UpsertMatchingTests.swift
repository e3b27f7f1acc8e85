import Strongroom
import StrongroomTesting
import Testing

@Suite("Upserts by columns that are not unique")
struct UpsertMatchingTests {
    @Table("stock")
    struct Stock: Equatable {
        var id: Int64?
        @Column(collation: .noCase) var name: String
        var city: String?
        var count: Int
        @Column(unique: true) var code: String?
    }

    @Table("journal")
    struct Entry: Equatable {
        var id: Int64?
        var text: String
        var note: String?

        static let hooks: RecordHooks<Entry>? = RecordHooks()
            .willSave { entry, _ in entry.text = entry.text.lowercased() }
            .didSave { entry, db in
                try db.execute("INSERT INTO trace VALUES (\("\(entry.id ?? 0) \(entry.text)"))")
                if entry.note == "refused" { throw Refusal(number: 1) }
            }
    }

    private func withStore(_ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void) async throws {
        try await TemporaryStore(tables: [Stock.schema, Entry.schema]).store.write { db in
            try db.execute("CREATE TABLE trace (text TEXT)")
            try body(db)
        }
    }

    @Test func oneRowIsUpdatedOrInserted() async throws {
        try await withStore { db throws in
            let stock = Stock(name: "nut", city: "Bonn", count: 1)
            #expect(try Stock.upsert(stock, .matching(\.name), in: db) == Upserted(.inserted, 1))
            let more = Stock(name: "NUT", count: 2)
            // As the column compares.
            #expect(try Stock.upsert(more, .matching(\.name, nils: .keep), in: db) == Upserted(.updated, 1))
            #expect(try Stock.all(in: db) == [Stock(id: 1, name: "NUT", city: "Bonn", count: 2)])
            #expect(try Stock.upsert(more, .matching(\.name), in: db) == Upserted(.updated, 1))
            #expect(try Stock.find(1, in: db)?.city == nil)
            // By its key, where nothing matches.
            let renamed = Stock(id: 1, name: "bolt", count: 3)
            #expect(try Stock.upsert(renamed, .matching(\.name), in: db) == Upserted(.updated, 1))
            let kept = Stock(id: 9, name: "ring", count: 4)
            #expect(try Stock.upsert(kept, .matching(\.name), in: db) == Upserted(.inserted, 9))
            #expect(try Stock.upsert(kept, .matching(\.id), in: db) == Upserted(.updated, 9))
            #expect(try Stock.count(in: db) == 2)
        }
    }

    @Test func severalRowsAreRefusedOrAllUpdated() async throws {
        try await withStore { db throws in
            try Stock.insert(
                contentsOf: [
                    Stock(name: "nut", city: "Bonn", count: 1, code: "x"), Stock(name: "nut", city: "Kiel", count: 2),
                    Stock(name: "bolt", city: "Bonn", count: 3),
                ], in: db)
            let before = try Stock.all(in: db)
            let stock = Stock(name: "nut", city: "Ulm", count: 7)
            let error = try expectFailure(.notUnique) { try Stock.upsert(stock, .matching(\.name), in: db) }
            #expect(
                error.message == """
                    Several rows of table "stock" have the record's value of "name"; nothing was changed. Match \
                    further columns, or update all of the rows with `several: .updateAll`.
                    """)
            #expect(try Stock.all(in: db) == before)
            let rows = try Stock.upsert(stock, .matching(\.name, several: .updateAll, nils: .keep), in: db)
            #expect(rows == Upserted(.updated, 1, others: [2]))
            #expect(
                try Stock.all(in: db).map(\.count) == [7, 7, 3] && Stock.all(in: db).map(\.code) == ["x", nil, nil])
            let one = try Stock.upsert(Stock(name: "nut", city: "Ulm", count: 8), .matching(\.name, \.count), in: db)
            #expect(one == Upserted(.inserted, 4))
            // Two rows cannot have one value of a unique column; neither is changed.
            let unique = Stock(name: "nut", city: "Ulm", count: 9, code: "y")
            try expectFailure(.constraint) {
                try Stock.upsert(unique, .matching(\.name, several: .updateAll), in: db)
            }
            #expect(try Stock.all(in: db).map(\.count) == [7, 7, 3, 8])
            try expectFailure(.missingKey) {
                try Stock.upsert(Stock(name: "x", count: 1), .matching(\.city, several: .updateAll), in: db)
            }
        }
    }

    @Test func aListIsWrittenWholeOrNotAtAll() async throws {
        try await withStore { db throws in
            let list = [Stock(name: "a", count: 1), Stock(name: "b", count: 1), Stock(name: "A", count: 2)]
            #expect(
                try Stock.upsert(contentsOf: list, .matching(\.name), in: db)
                    == [Upserted(.inserted, 1), Upserted(.inserted, 2), Upserted(.updated, 1)])
            try Stock.insert(Stock(name: "b", count: 5), in: db)
            try expectFailure(.notUnique) {
                try Stock.upsert(
                    contentsOf: [Stock(name: "c", count: 1), Stock(name: "b", count: 1)], .matching(\.name), in: db)
            }
            #expect(try Stock.all(in: db).map(\.name) == ["A", "b", "b"])
        }
    }

    @Test func hooksRunForTheRecordAndForEachRow() async throws {
        try await withStore { db throws in
            try db.execute("INSERT INTO journal (text) VALUES ('one'), ('one'), ('two')")
            let rows = try Entry.upsert(Entry(text: "ONE", note: "new"), .matching(\.text, several: .updateAll), in: db)
            #expect(rows.keys == [1, 2])
            #expect(try Entry.all(in: db).map(\.note) == ["new", "new", nil])
            #expect(try db.dictionaries("SELECT text FROM trace").map { $0["text"]?.string } == ["1 one", "2 one"])
            #expect(throws: Refusal.self) {
                try Entry.upsert(Entry(text: "TWO", note: "refused"), .matching(\.text), in: db)
            }
            #expect(try Entry.find(3, in: db)?.note == nil)
        }
    }
}
