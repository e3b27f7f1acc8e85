import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Queries across tables\"")
struct QueriesAcrossTablesExamples {
    @Table("doctor")
    struct Doctor: Equatable {
        var id: Int64?
        var name: String
        var city: String
    }

    @Table("patient")
    struct Patient: Equatable {
        struct Profile: Codable, Sendable, Equatable {
            var allergies: [String] = []
            var street: String?
        }

        var id: Int64?
        var name: String
        var city: String
        var visits = 0
        var profile: JSON<Profile> = JSON(Profile())
    }

    @Table("appointment")
    struct Appointment: Equatable {
        var id: Int64?
        @Column(indexed: true) var patient: Int64
        var date: Date
        var minutes: Int
        @Column(scale: 2) var fee: Decimal
        var note: String?
    }

    @Table("ward")
    struct Ward: Equatable {
        var id: Int64?
        var name: String
        var parent: Int64?
    }

    /// A day of January 2026, UTC, or of the months around it.
    private static func day(_ number: Int) -> Date {
        Date(timeIntervalSince1970: 1_767_225_600 + Double(number - 1) * 86_400)
    }

    private let newYear = Self.day(1)
    private let pattern = "?[oy]"

    private func store() async throws -> Store {
        let store = try await TemporaryStore(
            tables: [Doctor.schema, Patient.schema, Appointment.schema, Ward.schema]
        ).store
        try await store.write { db in
            try Doctor.insert(Doctor(name: "Grau", city: "Bonn"), in: db)
            let ada = JSON(Patient.Profile(allergies: ["nuts"], street: "Am Hof"))
            try Patient.insert(
                contentsOf: [
                    Patient(name: "Ada", city: "Bonn", profile: ada), Patient(name: "Bo", city: "Köln"),
                    Patient(name: "Cy", city: "Bonn"), Patient(name: "Di", city: "Aachen"),
                ], in: db)
            // At noon; the fifth is a Monday.
            let noon = 43_200.0
            try Appointment.insert(
                contentsOf: [
                    Appointment(patient: 1, date: Self.day(5) + noon, minutes: 30, fee: 20, note: "flu"),
                    Appointment(patient: 2, date: Self.day(10) + noon, minutes: 45, fee: 1, note: "leg"),
                    Appointment(patient: 3, date: Self.day(-3) + noon, minutes: 20, fee: 1),
                    Appointment(patient: 1, date: Self.day(2) + noon, minutes: 15, fee: 1),
                ], in: db)
            try Ward.insert(
                contentsOf: [
                    Ward(name: "Hospital"), Ward(name: "Surgery", parent: 1), Ward(name: "Bones", parent: 2),
                ], in: db)
        }
        return store
    }

    @Test func whichHaveNone() async throws {
        try await store().read { db in
            let absent = try Patient.where { patient in
                !Appointment.exists { visit in visit.patient == patient.id && visit.date >= newYear }
            }
            .fetch(in: db)

            #expect(absent.map(\.name) == ["Cy", "Di"])
        }
    }

    @Test func theSameTable() async throws {
        try await store().read { db in
            let neighbours = try Patient.where { one in
                Patient.exists { other in other.city == one.city && other.id != one.id }
            }
            .fetch(in: db)

            #expect(neighbours.map(\.name) == ["Ada", "Cy"])
        }
    }

    @Test func whatIsInAResult() async throws {
        try await store().read { db in
            let recent = try Appointment.where { $0.date >= newYear }.select { $0.patient }
            let seen = try Patient.where { $0.id.isIn(recent) }.fetch(in: db)
            let local = try Appointment.where { $0.patient.isIn(Patient.where { $0.city == "Bonn" }) }.fetch(in: db)

            #expect(seen.map(\.name) == ["Ada", "Bo"] && Set(local.map(\.id)) == [1, 3, 4])
        }
    }

    @Test func aggregatesOfChildren() async throws {
        try await store().read { db in
            let list = try Patient.order { $0.name.ascending }
                .with { patient in
                    let visits = Subquery(Appointment.self) { $0.patient == patient.id }
                    return (visits.count, visits.value { $0.date.max() })
                }
                .fetch(in: db)  // [(Patient, Int, Date?)]

            let typed: [(Patient, Int, Date?)] = list
            #expect(typed.map(\.0.name) == ["Ada", "Bo", "Cy", "Di"] && list.map(\.1) == [2, 1, 1, 0])
            #expect(list.map(\.2) == [Self.day(5) + 43_200, Self.day(10) + 43_200, Self.day(-3) + 43_200, nil])
        }
    }

    @Test func theFirstValueInAnOrder() async throws {
        try await store().read { db in
            let busiest = try Patient.query
                .with { patient in
                    let visits = Subquery(Appointment.self) { $0.patient == patient.id }
                    return (visits.count, visits.order { $0.date.descending }.first { $0.note })
                }
                .order { count, _ in count.descending }
                .limit(10)
                .fetch(in: db)  // [(Patient, Int, String?)]

            let typed: [(Patient, Int, String?)] = busiest
            #expect(typed.first?.0.name == "Ada" && busiest.map(\.1) == [2, 1, 1, 0])
            #expect(typed.first?.2 == "flu")
        }
    }

    @Test func anUpdateFromAQuery() async throws {
        try await store().write { db in
            try Patient.query.update(in: db) { patient in
                [patient.visits.set(Subquery(Appointment.self) { $0.patient == patient.id }.count)]
            }

            #expect(try Patient.all(in: db).map(\.visits) == [2, 1, 1, 0])
        }
    }

    @Test func groupsOfAJoin() async throws {
        try await store().read { db in
            let busy = try Patient.leftJoin(Appointment.self) { patient, visit in patient.id == visit.patient }
                .group { patient, _ in patient.id }
                .having { _, visit in visit.id.count() > 1 }
                .order { patient, visit in (visit.date.max().descending, patient.name.ascending) }
                .limit(10)
                .select { patient, visit in (patient.name, visit.id.count(), visit.date.max()) }
                .fetch(in: db)  // [(String, Int, Date?)]

            let typed: [(String, Int, Date?)] = busy
            #expect(typed.map(\.0) == ["Ada"] && busy.map(\.1) == [2])
        }
    }

    @Test func datesAreRoundedDown() async throws {
        try await store().read { db in
            let perDay = try Appointment.group { $0.date.start(of: .day) }
                .order { $0.date.start(of: .day).ascending }
                .select { ($0.date.start(of: .day), RowCount()) }
                .fetch(in: db)  // [(Date?, Int)]
            let mondays = try Appointment.where { $0.date.part(.weekday) == 2 }.count(in: db)

            let typed: [(Date?, Int)] = perDay
            #expect(typed.map(\.0) == [-3, 2, 5, 10].map(Self.day) && mondays == 1)
        }
    }

    @Test func changedAndDeletedRows() async throws {
        try await store().write { db in
            let local = try Patient.where { $0.city == "Bonn" }.fetch(in: db)
            try Patient.where { $0.city == "Bonn" }.update(in: db) { [$0.city.set("Köln")] }
            let moved = try Patient.stored(local.compactMap(\.id), as: Patient.self, in: db)
            let gone = try Patient.where { patient in !Appointment.exists { $0.patient == patient.id } }.fetch(in: db)
            try Patient.delete(contentsOf: gone, in: db)

            #expect(moved.map(\.name) == ["Ada", "Cy"] && gone.map(\.name) == ["Di"])
        }
    }

    @Test func columnsInSQL() async throws {
        let top = "Surgery"
        try await store().read { db in
            let matching = try Patient.where { Condition("\($0.name) GLOB \(pattern)") }.fetch(in: db)
            let lengths = try Appointment.query
                .select {
                    ($0.id, Computed("CASE WHEN \($0.minutes < 20) THEN 'short' ELSE 'long' END", as: String.self))
                }
                .fetch(in: db)  // [(Int64?, String)]
            let surgery = try Ward.where { ward in
                Condition(
                    """
                    \(ward.id) IN (WITH RECURSIVE below (id) AS (SELECT id FROM ward WHERE name = \(top) UNION \
                    SELECT ward.id FROM below JOIN ward ON ward.parent = below.id) SELECT id FROM below)
                    """)
            }
            .fetch(in: db)

            #expect(matching.map(\.name) == ["Bo", "Cy"])
            let typed: [(Int64?, String)] = lengths
            #expect(typed.map(\.1) == ["long", "long", "long", "short"])
            #expect(surgery.map(\.name).sorted() == ["Bones", "Surgery"])
        }
    }
}
