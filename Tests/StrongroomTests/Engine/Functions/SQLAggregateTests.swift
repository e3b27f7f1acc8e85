import Strongroom
import StrongroomTesting
import Synchronization
import Testing

@Suite("Aggregates in Swift")
struct SQLAggregateTests {
    private typealias F = SampleFunctions

    private func store() async throws -> TemporaryStore {
        let temporary = try await TemporaryStore(tables: [Article.schema], functions: F.all)
        try await temporary.store.write { db in
            let rows: [(String, Double?, Int)] = [
                ("a", 1, 1), ("b", 5, 1), ("c", 3, 1), ("d", nil, 1), ("e", 7, 2), ("f", nil, 3),
            ]
            for (title, price, rank) in rows { try Article.insert(Article(title, price: price, rank: rank), in: db) }
        }
        return temporary
    }

    @Test func `an aggregate is computed for each group, without rows that are NULL`() async throws {
        try await store().store.read { db in
            let groups = try Article.group { $0.rank }.select { ($0.rank, F.median($0.price)) }.fetch(in: db)
            #expect(groups.map(\.0) == [1, 2, 3])
            #expect(groups.map(\.1) == [3, 7, nil])
            #expect(try db.value("SELECT median(price) FROM article WHERE rank > 9", as: Double?.self) == .some(nil))
            let titles = try db.value(
                "SELECT joined(title, '-') FROM (SELECT title FROM article ORDER BY title)", as: String.self)
            #expect(titles == "a-b-c-d-e-f")
            let both = try db.value("SELECT joined(title, '') || median(price) FROM article", as: String.self)
            #expect(both == "abcdef5.0")
        }
    }

    @Test func `the error of a row or of the result is that of the statement`() async throws {
        let bad = SQLAggregate("never", into: 0) { (count: inout Int, _: Value) in
            count += 1
        } result: { count -> Int in
            throw F.Refusal(text: "\(count)")
        }
        try await TemporaryStore(functions: F.all + [bad]).store.read { db in
            #expect(throws: F.Refusal(text: "bad")) {
                try db.value("SELECT joined(x, '') FROM (SELECT 'bad' AS x)", as: String.self)
            }
            #expect(throws: F.Refusal(text: "2")) {
                try db.value("SELECT never(x) FROM (SELECT 1 AS x UNION ALL SELECT NULL)", as: Int.self)
            }
            let error = try expectFailure(.typeMismatch) {
                try db.value("SELECT median(x) FROM (SELECT 'text' AS x)", as: Double.self)
            }
            #expect(error.mismatch?.function == "median")
            #expect(try db.value("SELECT joined('x', '')", as: String.self) == "x")
        }
    }

    @Test func `an error of the engine is not hidden by that of a group which it ends`() async throws {
        let bad = SQLAggregate("never", into: 0) { (_: inout Int, _: Int) in
        } result: { _ -> Int in
            throw F.Refusal(text: "partial")
        }
        try await TemporaryStore(functions: [bad]).store.read { db in
            let rows: SQL = "(SELECT 1 AS x UNION ALL SELECT -9223372036854775808)"
            try expectFailure(.limit) { try db.value("SELECT never(abs(x)) FROM \(rows)", as: Int.self) }
            #expect(throws: F.Refusal(text: "partial")) { try db.value("SELECT never(1)", as: Int.self) }
        }
    }

    @Test func `the state of a group is released, also when its statement ends early`() async throws {
        let counter = Counter()
        let held = SQLAggregate("held", into: Held(counter)) { (held: inout Held, number: Int) in
            if number == 3 { throw F.Refusal(text: "3") }
        } result: { _ in
            1
        }
        try await TemporaryStore(functions: [held]).store.read { db in
            let rows: SQL = "SELECT held(i) FROM (SELECT 1 AS i UNION ALL SELECT 2 UNION ALL SELECT 4) GROUP BY i"
            let all = try db.values(rows, as: Int.self)
            let first = try db.value(rows, as: Int.self)
            #expect(all == [1, 1, 1] && first == 1)
            #expect(throws: F.Refusal(text: "3")) {
                try db.value("SELECT held(i) FROM (SELECT 1 AS i UNION ALL SELECT 3)", as: Int.self)
            }
        }
        #expect(counter.alive == 0)
        #expect(counter.made >= 5)
    }

    private final class Counter: Sendable {
        private let counts = Mutex((alive: 0, made: 0))

        var alive: Int { counts.withLock { $0.alive } }
        var made: Int { counts.withLock { $0.made } }

        func begin() { counts.withLock { ($0.alive, $0.made) = ($0.alive + 1, $0.made + 1) } }
        func end() { counts.withLock { $0.alive -= 1 } }
    }

    private final class Held: Sendable {
        private let counter: Counter

        init(_ counter: Counter) {
            self.counter = counter
            counter.begin()
        }

        deinit { counter.end() }
    }
}
