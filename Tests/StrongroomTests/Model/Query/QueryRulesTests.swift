import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

/// What holds for subqueries beyond the list of sixty.
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

    @Test func aDecimalIsNotInAListOfAnotherScale() async {
        let list = await code { db in
            _ = try Appointment.where { $0.fee.isIn(Subquery(Tariff.self).select { $0.price }) }.fetch(in: db)
        }
        #expect(list == .notTranslatable)
    }

    @Test func aLimitedQueryIsAListOfItsRows() async throws {
        let found = try await store.read { db in
            let first = Patient.order { $0.name.descending }.limit(2)
            return try Appointment.where { $0.patient.isIn(first) }.count(in: db)
        }
        #expect(found == 1)
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

    @Test("Of rows that are equal at a limit, those are deleted that were read")
    func tiesAtALimit() async throws {
        try await store.write { db in
            let query = Patient.order { $0.visits.descending }.limit(2)
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
    func namesOfEarlierSQL() async {
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
        let function = await code { db in
            let name = SQLFunction("name") { (number: Int) in number }
            _ = try Doctor.where { doctor in
                Patient.exists { $0.doctor == doctor.id && name($0.visits) == 0 }
            }
            .fetch(in: db)
        }
        #expect(column == .notTranslatable && function == .missingFunction)
    }

    @Test("A subquery's value is that of its own rows, and its table is prepared")
    func valuesOfSubqueries() async throws {
        let outer = await code { db in
            _ = try Patient.query.select { patient in
                Subquery(Appointment.self) { $0.patient == patient.id }.value { _ in patient.visits.max() }
            }
            .fetch(in: db)
        }
        #expect(outer == .notTranslatable)
        #expect(Subquery(Appointment.self).limit(1).count.sql.requiredTables.map(\.name) == ["appointment"])
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
}
