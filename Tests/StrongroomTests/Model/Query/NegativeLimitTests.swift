import Strongroom
import StrongroomTesting
import Testing

/// Numbers of a query that a request to a service may contain.
@Suite("Negative limits and distances")
struct NegativeLimitTests {
    @Test(arguments: [(-1, 0), (2, -1), (.min, .min), (0, -1)])
    func aNegativeLimitOrOffsetFailsWhenTheQueryRuns(limit: Int, offset: Int) async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db throws in
            try Contact.insert(contentsOf: Contact.samples(5), in: db)
            let query = Contact.query.limit(limit, offset: offset)
            try expectFailure(.invalidArgument) { try query.fetch(in: db) }
            try expectFailure(.invalidArgument) { try query.first(in: db) }
            try expectFailure(.invalidArgument) { try query.count(in: db) }
            try expectFailure(.invalidArgument) { try query.delete(in: db) }
            try expectFailure(.invalidArgument) { try query.select { $0.name }.fetch(in: db) }
            #expect(try Contact.count(in: db) == 5)
        }
    }

    @Test(.enabled(if: (try? EngineFeatures.current().hasWindowFunctions) ?? false, "no window functions"))
    func aNegativeDistanceCountsInTheOtherDirection() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db throws in
            try Contact.insert(contentsOf: Contact.samples(3), in: db)
            let before = try Contact.query.select {
                WindowFunction.previous($0.id, by: 1).over(orderedBy: $0.id.ascending)
            }.fetch(in: db)
            let after = try Contact.query.select {
                WindowFunction.next($0.id, by: -1).over(orderedBy: $0.id.ascending)
            }.fetch(in: db)
            #expect(before == [nil, 1, 2] && after == before)
            let sums = try Contact.query.select {
                $0.id.sum().over(orderedBy: $0.id.ascending, frame: .rows(preceding: -1, following: 1))
            }.fetch(in: db)
            #expect(sums == [2, 3, nil])
        }
    }

    /// Also of `AND`, and where the loop puts each condition before the others.
    @Test(arguments: [87, 88, 300], [false, true])
    func manyConditionsAreOneQuery(count: Int, isBefore: Bool) async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db throws in
            try Contact.insert(contentsOf: Contact.samples(400), in: db)
            let keys = 1..<Int64(count)
            let any = Contact.where { columns in
                keys.reduce(columns.id == 0) { isBefore ? columns.id == $1 || $0 : $0 || columns.id == $1 }
            }
            #expect(try any.count(in: db) == count - 1)
            let all = Contact.where { columns in
                keys.reduce(columns.id != 0) { isBefore ? columns.id != $1 && $0 : $0 && columns.id != $1 }
            }
            #expect(try all.count(in: db) == 401 - count)
            let mixed = Contact.where { columns in
                let any = keys.reduce(columns.id == 0) { $0 || (columns.id == $1 && columns.id > 1) }
                return any && columns.id < 10
            }
            #expect(try mixed.count(in: db) == 8)
        }
    }
}
