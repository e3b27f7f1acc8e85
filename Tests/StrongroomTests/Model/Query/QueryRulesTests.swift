#if Macros
import Foundation
import Strongroom
import StrongroomTesting
import Testing

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
                .select { visit, tariff in Case.when(visit.id == 1, then: visit.fee).else(tariff.price) }
                .fetch(in: db)
        }
        #expect([union, list, chosen] == [.notTranslatable, .notTranslatable, .notTranslatable])
    }

    @Test("A value with more digits than the scale beside it is not stored")
    func digitsOfAChosenValue() async throws {
        let found = await code { db in
            _ = try Appointment.query.select {
                Case.when($0.minutes > 20, then: $0.fee).else(Decimal(1) / 1000)
            }.fetch(in: db)
        }
        #expect(found == .valueNotStorable)
    }

    @Test func aKeyOfTwoColumns() async throws {
        let (changed, gone) = try await store.write { db in
            let changed = try Tariff.where { $0.country == "A" }
                .update(in: db, returning: Tariff.self) { [$0.year.set($0.year + 10), $0.above.set("Z")] }
            return (changed, try Tariff.where { $0.year < 10 }.delete(in: db, returning: Tariff.self))
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

    @Test("Subqueries see records in memory, and change them")
    func recordsInMemory() async throws {
        let (visits, absent, gone) = try await store.write { db in
            let key = try Patient.insert(Patient(name: "Em", city: "Bonn"), persistence: .memory, in: db)
            try Appointment.insert(
                Appointment(patient: key, doctor: 1, date: Practice.date(2026, 3, 1), minutes: 9, fee: 1), in: db)
            try Patient.query.update(in: db) { patient in
                [patient.visits.set(Appointment.subquery { $0.patient == patient.id }.count)]
            }
            let visits = try Patient.order { $0.name.ascending }.fetch(in: db).map(\.visits)
            let absent = try Patient.where { patient in !Appointment.exists { $0.patient == patient.id } }.count(in: db)
            let gone = try Patient.where { patient in Appointment.exists { $0.patient == patient.id && $0.minutes == 9 }
            }
            .delete(in: db)
            return (visits, absent, gone)
        }
        #expect(visits == [3, 1, 1, 0, 1] && absent == 1 && gone == 1)
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
}
#endif
