import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Joins, and values beside records; see `QueriesOfRowsTests`.
@Suite("Sixty queries: several tables")
struct QueriesAcrossTablesTests {
    private typealias Patient = Practice.Patient
    private typealias Appointment = Practice.Appointment
    private typealias Doctor = Practice.Doctor

    private let temporary: TemporaryStore
    private var store: Store { temporary.store }
    private static let newYear = Practice.date(2026, 1, 1)

    init() async throws {
        temporary = try await Practice.store()
    }

    // MARK: Values beside records

    @Test("Each patient with the number of appointments and the newest")
    func q52_aggregatesOfChildren() async throws {
        let list = try await store.read { db in
            try db.expectSQL(
                """
                SELECT `id`, `name`, `city`, `born`, `doctor`, `visits`, `profile`, (SELECT count(*) FROM
                `appointment` AS s1 WHERE (s1.`patient` = `patient`.`id`)) AS strongroom_0, (SELECT max(s1.`date`)
                FROM `appointment` AS s1 WHERE (s1.`patient` = `patient`.`id`)) AS strongroom_1 FROM `patient` ORDER
                BY `name` ASC, `id` ASC
                """
            ) {
                try Patient.order { $0.name.ascending }
                    .with { patient in
                        let visits = Subquery(Appointment.self) { $0.patient == patient.id }
                        return (visits.count, visits.value { $0.date.max() })
                    }
                    .fetch(in: db)
            }
        }
        #expect(list.map(\.0.name) == ["Ada", "Bo", "Cy", "Di"])
        #expect(list.map(\.1) == [3, 1, 1, 0])
        #expect(list.map { $0.2.map { Int($0.timeIntervalSince(Self.newYear)) } } == [431_999, 3_493_800, -1_800, nil])
    }

    @Test func q53_recordsOrderedByTheValuesBesideThem() async throws {
        let list = try await store.read { db in
            try db.expectSQL(
                """
                SELECT `id`, `name`, `city`, `born`, `doctor`, `visits`, `profile`, (SELECT sum(s1.`fee`) FROM
                `appointment` AS s1 WHERE (s1.`patient` = `patient`.`id`)) AS strongroom_0, (SELECT s1.`note` FROM
                `appointment` AS s1 WHERE (s1.`patient` = `patient`.`id`) ORDER BY s1.`date` DESC LIMIT ?) AS
                strongroom_1 FROM `patient` ORDER BY `strongroom_0` DESC LIMIT ?
                """
            ) {
                try Patient.query
                    .with { patient in
                        let visits = Subquery(Appointment.self) { $0.patient == patient.id }
                        return (visits.value { $0.fee.sum() }, visits.order { $0.date.descending }.first { $0.note })
                    }
                    .order { fees, _ in fees.descending }.limit(2).fetch(in: db)
            }
        }
        #expect(list.map(\.0.name) == ["Bo", "Ada"])
        #expect(list.map(\.1) == [Decimal(9999) / 100, Decimal(7050) / 100])
        #expect(list.map(\.2) == ["leg", nil])
    }

    // MARK: Joins

    @Test func q54_groupsOfAJoin() async throws {
        let rows = try await store.read { db in
            try db.expectSQL(
                """
                SELECT t0.`city`, count(t1.`id`), sum(t1.`fee`) FROM `patient` AS t0 JOIN `appointment` AS t1 ON
                (t0.`id` = t1.`patient`) WHERE (t1.`minutes` > ?) GROUP BY t0.`city` HAVING (sum(t1.`minutes`) > ?)
                ORDER BY count(t1.`id`) DESC, t0.`city` ASC LIMIT ?
                """
            ) {
                try Patient.join(Appointment.self) { patient, visit in patient.id == visit.patient }
                    .where { _, visit in visit.minutes > 10 }
                    .group { patient, _ in patient.city }
                    .having { _, visit in visit.minutes.sum() > 20 }
                    .order { patient, visit in (visit.id.count().descending, patient.city.ascending) }
                    .limit(1)
                    .select { patient, visit in (patient.city, visit.id.count(), visit.fee.sum()) }
                    .fetch(in: db)
            }
        }
        #expect(rows.map(\.0) == ["Bonn"] && rows.map(\.1) == [4] && rows.map(\.2) == [Decimal(7550) / 100])
    }

    @Test("A join within the closure of a join has other aliases")
    func q59_aJoinInAJoin() async throws {
        let rows = try await store.read { db in
            try db.expectSQL(
                """
                SELECT t0.`name`, t1.`name`, (SELECT count(*) FROM `appointment` AS s1 WHERE (s1.`patient` = t0.`id`))
                FROM `patient` AS t0 JOIN `patient` AS t1 ON ((t0.`city` = t1.`city`) AND (t0.`id` < t1.`id`)) WHERE
                (EXISTS (SELECT 1 FROM `appointment` AS s1 WHERE (s1.`patient` = t0.`id`)) AND EXISTS (SELECT 1 FROM
                `appointment` AS s1 WHERE (s1.`patient` = t1.`id`)))
                """
            ) {
                try Patient.join(Patient.self) { one, other in one.city == other.city && one.id < other.id }
                    .where { one, other in
                        Appointment.exists { $0.patient == one.id } && Appointment.exists { $0.patient == other.id }
                    }
                    .select { one, other in
                        (one.name, other.name, Subquery(Appointment.self) { $0.patient == one.id }.count)
                    }
                    .fetch(in: db)
            }
        }
        #expect(rows.map(\.0) == ["Ada"] && rows.map(\.1) == ["Cy"] && rows.map(\.2) == [3])
    }

    // MARK: What is refused

    /// The error of a query, which no statement reaches.
    private func refusal(_ query: @escaping @Sendable () throws -> Query<Patient>) async throws -> StrongroomError? {
        await #expect(throws: StrongroomError.self) {
            try await store.read { db in try db.expectSQL { try query().fetch(in: db).count } }
        }
    }

    @Test("A plain query of the same table within a query could use the columns of both")
    func theSameTableWithoutAlias() async throws {
        let error = try await refusal {
            Patient.where { one in one.id.isIn(Patient.where { $0.city == one.city }) }
        }
        #expect(error?.code == .notTranslatable && error?.message.contains("`subquery`") ?? false)
    }

    @Test("An expression that was made before the subquery's closure has no table")
    func anExpressionFromOutside() async throws {
        let error = try await refusal {
            Patient.where { patient in
                let next = patient.id + 1
                return Appointment.exists { $0.patient == next }
            }
        }
        #expect(error?.code == .notTranslatable && error?.message.contains("\"id\"") ?? false)
    }

    @Test("A name that only the outer table has is that table's column")
    func anExpressionFromOutsideWithoutDoubt() async throws {
        let names = try await store.read { db in
            try Patient.where { patient in
                let letter = patient.city.lowercased()
                return Appointment.exists { $0.minutes > 50 && letter == "bonn" }
            }
            .fetch(in: db).map(\.name)
        }
        #expect(names == ["Ada", "Cy"])
    }

    @Test func aSubqueryRefinedInsideOfAnother() async throws {
        let error = try await refusal {
            let visits = Subquery(Appointment.self)
            let shared = Appointment.exists { visit in visits.where { $0.doctor == visit.doctor }.exists }
            return Patient.where { _ in shared }
        }
        #expect(error?.code == .notTranslatable && error?.message.contains("inside") ?? false)
    }

    @Test func aLimitBeforeGroups() async throws {
        let error = await #expect(throws: StrongroomError.self) {
            try await store.read { db in
                try Patient.join(Doctor.self) { patient, doctor in patient.doctor == doctor.id }.limit(1)
                    .group { _, doctor in doctor.id }.select { _, doctor in doctor.id }.fetch(in: db).count
            }
        }
        #expect(error?.code == .notTranslatable)
    }

    @Test func anOffsetOfMoreThanADay() async throws {
        let error = try await refusal { Patient.where { $0.born.part(.day, secondsFromGMT: 90_000) == 1 } }
        #expect(error?.code == .invalidArgument)
    }

    @Test("Dates that the engine cannot represent have no parts", arguments: [-1e12, 1e12, .infinity])
    func partsOfDistantDates(seconds: Double) async throws {
        let parts = try await store.write { db in
            let born = Date(timeIntervalSinceReferenceDate: seconds)
            try Patient.insert(Patient(name: "E", city: "F", born: born), in: db)
            return try Patient.where { $0.name == "E" }.select {
                ($0.born.part(.year), $0.born.start(of: .day), $0.born)
            }.fetch(in: db)
        }
        #expect(parts.map(\.0) == [nil] && parts.map(\.1) == [nil] && parts.map { $0.2 != nil } == [true])
    }
}
