import Strongroom
import StrongroomTesting
import Testing

/// A column of truth values is a condition.
struct BooleanColumnTests {
    @Table("member")
    struct Member: Equatable {
        var id: Int64?
        var isActive: Bool
        var isPaid: Bool?
        var age: Int
    }

    @Table("visit")
    struct Visit {
        var id: Int64?
        var member: Int64
        var isLate: Bool
    }

    private let store: Store

    init() async throws {
        store = try await TemporaryStore(tables: [Member.schema, Visit.schema]).store
        try await store.write { db in
            var members: [Member] = []
            for isActive in [true, false] {
                for isPaid in [true, false, nil] {
                    for age in [2, 30] { members.append(Member(isActive: isActive, isPaid: isPaid, age: age)) }
                }
            }
            try Member.insert(contentsOf: members, in: db)
            try Visit.insert(contentsOf: (1...12).map { Visit(member: $0, isLate: $0 % 2 == 0) }, in: db)
        }
    }

    /// Each query, its WHERE clause, and which rows it selects; NULL is neither true nor false.
    private static let cases: [(Query<Member>, String, @Sendable (Member) -> Bool)] = [
        (Member.where { $0.isActive }, "(`isActive` = 1)", { $0.isActive }),
        (Member.where { !$0.isActive }, "(`isActive` = 0)", { !$0.isActive }),
        (Member.where { $0.isPaid }, "(`isPaid` = 1)", { $0.isPaid == true }),
        (Member.where { !$0.isPaid }, "(`isPaid` = 0)", { $0.isPaid == false }),
        (
            Member.where { $0.isActive && $0.age > 3 }, "((`isActive` = 1) AND (`age` > ?))",
            { $0.isActive && $0.age > 3 }
        ),
        (
            Member.where { $0.age > 3 || $0.isPaid }, "((`age` > ?) OR (`isPaid` = 1))",
            { $0.age > 3 || $0.isPaid == true }
        ),
        (
            Member.where { $0.isActive || $0.isPaid && !$0.isActive },
            "((`isActive` = 1) OR ((`isPaid` = 1) AND (`isActive` = 0)))",
            { $0.isActive || $0.isPaid == true && !$0.isActive }
        ),
        (
            Member.where { !($0.isActive && $0.isPaid) }, "(NOT ((`isActive` = 1) AND (`isPaid` = 1)))",
            { !$0.isActive || $0.isPaid == false }
        ),
        (
            Member.query.where { $0.isActive }.where { $0.isPaid },
            "((`isActive` = 1) AND (`isPaid` = 1))", { $0.isActive && $0.isPaid == true }
        ),
    ]

    @Test(arguments: cases.indices)
    func selects(index: Int) async throws {
        let (query, clause, isSelected) = Self.cases[index]
        try await store.read { db in
            let found = try db.expectSQL(
                "SELECT `id`, `isActive`, `isPaid`, `age` FROM `member` WHERE \(clause)"
            ) { try query.fetch(in: db) }
            #expect(found == (try Member.all(in: db).filter(isSelected)))
        }
    }

    @Test func inAJoin() async throws {
        try await store.read { db in
            let found = try Member.join(Visit.self) { member, visit in member.id == visit.member }
                .where { member, visit in member.isActive && !visit.isLate }.fetch(in: db)
            #expect(found.map { $0.0.id } == [1, 3, 5])
        }
    }

    @Test func theIndexIsUsed() async throws {
        try await store.write { db in
            try db.execute("CREATE INDEX active ON member (isActive)")
            var details: [String] = []
            try db.forEachRow("EXPLAIN QUERY PLAN SELECT * FROM member WHERE (\"isActive\" = 1)") { row in
                details.append(try row[3])
            }
            #expect(details.contains { $0.contains("USING INDEX active") })
        }
    }
}
