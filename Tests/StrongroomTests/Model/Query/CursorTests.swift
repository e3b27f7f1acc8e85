import Strongroom
import StrongroomTesting
import Testing

@Suite("Records one at a time")
struct CursorTests {
    private let temporary: TemporaryStore

    init() async throws {
        temporary = try await TemporaryStore(tables: [Contact.schema])
        try await temporary.store.write { db in _ = try Contact.insert(contentsOf: Contact.samples(5), in: db) }
    }

    @Test func oneRecordAfterTheOther() async throws {
        try await temporary.store.read { db in
            var ids: [Int64?] = []
            try Contact.order { $0.id.descending }.forEach(in: db) { ids.append($0.id) }
            #expect(ids == [5, 4, 3, 2, 1])
        }
    }

    @Test func twoOfOneQueryDoNotDisturbEachOther() async throws {
        try await temporary.store.read { db in
            let query = Contact.order { $0.id.ascending }
            var pairs: [[Int64?]] = []
            try query.forEach(in: db) { outer in
                try query.forEach(in: db) { inner in
                    pairs.append([outer.id, inner.id])
                }
            }
            #expect(pairs.count == 25 && pairs.first == [1, 1] && pairs.last == [5, 5])
        }
    }

    /// A long array gets the capacity for as many rows as there were the last time.
    @Test func oneStatementFindsMoreAndFewerRows() async throws {
        try await temporary.store.write { db in
            _ = try Contact.insert(contentsOf: Contact.samples(4_000, first: 6), in: db)
        }
        try await temporary.store.read { db in
            for count: Int64 in [4_005, 10, 3_000, 1_024, 1_025, 4_000, 0, 2] {
                let found = try Contact.where { $0.id <= count }.order { $0.id.ascending }.fetch(in: db)
                #expect(found.map(\.id) == (0..<count).map { $0 + 1 })
            }
        }
    }

    @Test func anErrorEndsItAndLeavesTheTransactionUsable() async throws {
        struct Enough: Error {}
        try await temporary.store.write { db in
            var seen = 0
            #expect(throws: Enough.self) {
                try Contact.query.forEach(in: db) { _ in
                    seen += 1
                    if seen == 2 { throw Enough() }
                }
            }
            #expect(seen == 2)
            try Contact.delete(1, in: db)
            #expect(try Contact.count(in: db) == 4)
        }
    }

    @Test("A mismatch names table, column, row id, what was there and what was wanted")
    func theRowThatDoesNotFitIsNamed() async throws {
        try await temporary.store.write { db in
            try db.execute("UPDATE contact SET score = 'high' WHERE id = 4")
            let query = Contact.where { $0.id > 1 }.order { $0.id.descending }
            for form in 0..<6 {
                let error = try expectFailure(.typeMismatch) { try read(query, form, db) }
                #expect(error.mismatch?.table == "contact")
                #expect(error.mismatch?.column == "score")
                #expect(error.mismatch?.rowID == 4)
                #expect(error.mismatch?.found == "text")
                #expect(error.mismatch?.wanted == "a number")
                #expect(!"\(error)".contains("high"))
            }
        }
    }

    /// Reads the query's records in one of the ways in which there are.
    private func read(_ query: Query<Contact>, _ form: Int, _ db: borrowing WriteTransaction) throws {
        switch form {
        case 0: _ = try query.fetch(in: db)
        case 1: _ = try query.limit(2, offset: 1).fetch(in: db)
        case 2: try query.forEach(in: db) { _ in }
        case 3: _ = try Contact.find(4, in: db)
        case 4: _ = try Contact.find([1, 4], in: db)
        default: _ = try Contact.all(in: db)
        }
    }
}
