import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

/// What holds for subqueries, combinations and returned rows beyond the list of sixty.
@Suite("Rules of queries across tables")
struct QueryRulesTests {
    private typealias Patient = Practice.Patient
    private typealias Appointment = Practice.Appointment
    private typealias Doctor = Practice.Doctor

    @Table("tariff")
    struct Tariff: Equatable {
        @Column(primaryKey: true) var country: String
        @Column(primaryKey: true) var year: Int
        @Column(scale: 3) var price: Decimal
        var above: String?
    }

    private let temporary: TemporaryStore
    private var store: Store { temporary.store }

    init() async throws {
        temporary = try await Practice.store()
        try await temporary.store.write { db in
            try db.createTable(Tariff.schema)
            try Tariff.insert(
                contentsOf: [
                    Tariff(country: "A", year: 1, price: 1), Tariff(country: "B", year: 1, price: 2, above: "A"),
                    Tariff(country: "C", year: 2, price: 3, above: "B"), Tariff(country: "A", year: 2, price: 5),
                ], in: db)
        }
    }

    private func code(_ work: @escaping @Sendable (borrowing ReadTransaction) throws -> Void) async -> StrongroomError
        .Code?
    {
        await #expect(throws: StrongroomError.self) { try await store.read { db in try work(db) } }?.code
    }

    @Test("Decimals of two scales are not combined, listed or chosen between")
    func scales() async throws {
        let union = await code { db in
            _ = try Appointment.query.select { $0.fee }.union(Tariff.query.select { $0.price }).fetch(in: db)
        }
        let list = await code { db in
            _ = try Appointment.where { $0.fee.isIn(Tariff.subquery.select { $0.price }) }.fetch(in: db)
        }
        let chosen = await code { db in
            _ = try Appointment.join(Tariff.self) { visit, tariff in visit.minutes == tariff.year }
                .select { visit, tariff in CaseExpression.when(visit.id == 1, then: visit.fee).else(tariff.price) }
                .fetch(in: db)
        }
        #expect([union, list, chosen] == [.notTranslatable, .notTranslatable, .notTranslatable])
    }

    @Test("A value with more digits than the scale beside it is not stored")
    func digitsOfAChosenValue() async throws {
        let found = await code { db in
            _ = try Appointment.query.select {
                CaseExpression.when($0.minutes > 20, then: $0.fee).else(Decimal(1) / 1000)
            }.fetch(in: db)
        }
        #expect(found == .valueNotStorable)
    }

    @Test func aKeyOfTwoColumns() async throws {
        let (changed, gone) = try await store.write { db in
            let changed = try Tariff.where { $0.country == "A" }
                .update(in: db, returning: Tariff.self) { [$0.year.set($0.year + 10), $0.above.set("Z")] }
            let gone = try Tariff.where { $0.year < 10 }.fetch(in: db)
            try Tariff.delete(contentsOf: gone, in: db)
            return (changed, gone)
        }
        #expect(changed.map(\.year) == [11, 12] && changed.map(\.above) == ["Z", "Z"])
        #expect(changed.map(\.price) == [1, 5])
        #expect(gone.map(\.country) == ["B", "C"])
    }

    @Test func aTreeByAKeyOfTwoColumns() async throws {
        let found = try await store.read { db in
            try Tariff.where { $0.country == "A" && $0.year == 1 }
                .recursively { found, next in next.above == found.country }.fetch(in: db)
        }
        #expect(Set(found.map(\.country)) == ["A", "B", "C"] && found.count == 3)
    }

    @Test("A cycle ends")
    func aCycle() async throws {
        let count = try await store.write { db in
            try Practice.Ward.where { $0.name == "Hospital" }.update(in: db) { [$0.parent.set(3)] }
            return try Practice.Ward.where { $0.name == "Bones" }
                .recursively { found, ward in ward.parent == found.id }.count(in: db)
        }
        #expect(count == 5)
    }

    @Test("A limited query is a list of its rows, and a tree begins at them")
    func limits() async throws {
        let (found, below) = try await store.read { db in
            let first = Patient.order { $0.name.descending }.limit(2)
            let found = try Appointment.where { $0.patient.isIn(first) }.count(in: db)
            let below = try Practice.Ward.order { $0.id.descending }.limit(1)
                .recursively { found, ward in ward.id == found.parent }.count(in: db)
            return (found, below)
        }
        #expect(found == 1 && below == 2)
    }

    @Test("A join that is made in a closure has its own aliases")
    func aJoinInAClosure() async throws {
        let names = try await store.read { db in
            try Patient.where { patient in
                let join = try? Patient.join(Doctor.self) { other, doctor in
                    other.doctor == doctor.id && doctor.city == patient.city && other.id == patient.id
                }
                guard let join else { return patient.id == 0 }
                let found = join.select { other, _ in other.id }
                return patient.id.isIn(found)
            }
            .fetch(in: db).map(\.name)
        }
        #expect(names == ["Ada"])
    }

    @Test("Of rows that are equal at a limit, those are returned that are changed")
    func tiesAtALimit() async throws {
        try await store.write { db in
            let query = Patient.order { $0.visits.descending }.limit(2)
            let moved = try query.update(in: db, returning: Patient.self) { [$0.city.set("Ulm")] }
            let found = try Patient.where { $0.city == "Ulm" }.fetch(in: db)
            #expect(moved.count == 2 && Set(moved.map(\.id)) == Set(found.map(\.id)))
            #expect(moved.allSatisfy { $0.city == "Ulm" })
            let gone = try query.fetch(in: db)
            try Patient.delete(contentsOf: gone, in: db)
            let left = try Patient.query.fetch(in: db)
            #expect(gone.count == 2 && left.count == 2 && Set(gone.map(\.id)).isDisjoint(with: left.map(\.id)))
            let years = Tariff.order { $0.country.descending }.distinct().limit(1)
            let tariff = try years.fetch(in: db)
            try Tariff.delete(contentsOf: tariff, in: db)
            #expect(tariff.map(\.country) == ["C"])
            #expect(try Tariff.query.count(in: db) == 3)
        }
    }

    @Test("A column of an outer query in SQL that was made before is not taken for one of the inner table")
    func namesOfEarlierSQL() async throws {
        let json = try EngineFeatures.current().hasJSON
        let column = await code { db in
            _ = try Doctor.where { doctor in
                doctor.id.isIn(
                    Patient.where { patient in
                        let seen = patient.visits > 3
                        return patient.id.isIn(Patient.where { _ in seen })
                    })
            }
            .fetch(in: db)
        }
        let element = await code { db in
            _ = try Patient.where { patient in
                let nuts = patient.profile.jsonContains("nuts", at: "$.allergies")
                return patient.id.isIn(Patient.where { _ in nuts })
            }
            .fetch(in: db)
        }
        let function = await code { db in
            let name = SQLFunction("name") { (number: Int) in number }
            _ = try Doctor.where { doctor in
                Patient.exists { $0.doctor == doctor.id && name($0.visits) == 0 }
            }
            .fetch(in: db)
        }
        #expect(column == .notTranslatable && function == .missingFunction)
        if json { #expect(element == .notTranslatable) }
    }

    @Test("A subquery's value is that of its own rows, and its table is prepared")
    func valuesOfSubqueries() async throws {
        let outer = await code { db in
            _ = try Patient.query.select { patient in
                Appointment.subquery { $0.patient == patient.id }.value { _ in patient.visits.max() }
            }
            .fetch(in: db)
        }
        #expect(outer == .notTranslatable)
        #expect(Appointment.subquery.limit(1).count.sql.requiredTables.map(\.name) == ["appointment"])
    }

    @Test("A computed value that is NULL is not among those of a list")
    func computedLists() async throws {
        let count = try await store.read { db in
            let quotients = try Patient.query.select { $0.visits / $0.visits }
            return try Patient.where { !$0.visits.isIn(quotients) }.count(in: db)
        }
        #expect(count == 4)
    }

    @Table("marked")
    struct Marked: Equatable {
        var id: Int64?
        var c0: Int
    }

    @Test("A column whose name is like that of a result is sorted by")
    func namesOfResults() async throws {
        let sorted = try await store.write { db in
            try db.createTable(Marked.schema)
            try Marked.insert(contentsOf: [Marked(c0: 2), Marked(c0: 1), Marked(c0: 3)], in: db)
            return try Marked.order { $0.c0.ascending }.with { $0.c0 * -1 }.fetch(in: db).map(\.0.c0)
        }
        #expect(sorted == [1, 2, 3])
    }

    private static func count(_ condition: Condition, _ db: borrowing WriteTransaction) throws -> Int {
        try Practice.Ward.where { _ in condition }.count(in: db)
    }

    @Test("An element of a JSON array has the type of the value", .enabled { try EngineFeatures.current().hasJSON })
    func elementsOfJSON() async throws {
        typealias Ward = Practice.Ward
        try await store.write { db in
            try Ward.query.delete(in: db)
            try Ward.insert(Ward(name: #"[true, 1.5, 7, "1", [1], null]"#), in: db)
            try Ward.insert(Ward(name: #"{"a": 1, "b": "1"}"#), in: db)
            try Ward.insert(Ward(name: "8"), in: db)
            let name = Ward.columns.name
            #expect(try Self.count(name.jsonContains(1), db) == 0)
            #expect(try Self.count(name.jsonContains("[1]"), db) == 0)
            #expect(try Self.count(name.jsonContains(8), db) == 0)
            #expect(try Self.count(name.jsonContains("true"), db) == 0)
            #expect(try Self.count(name.jsonContains(true), db) == 1)
            #expect(try Self.count(name.jsonContains(false), db) == 0)
            #expect(try Self.count(name.jsonContains(1.5), db) == 1)
            #expect(try Self.count(name.jsonContains(7), db) == 1)
            #expect(try Self.count(name.jsonContains("1"), db) == 1)
        }
    }
}
