import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Queries of a practice's records, each as SQL beside its result. The numbers go on in the next two suites.
@Suite("Sixty queries: records")
struct QueriesOfRowsTests {
    private typealias Patient = Practice.Patient
    private typealias Appointment = Practice.Appointment

    private let temporary: TemporaryStore
    private var store: Store { temporary.store }
    private static let newYear = Practice.date(2026, 1, 1)

    init() async throws {
        temporary = try await Practice.store()
    }

    /// A query, its SQL after the columns and the table, and the names that it finds.
    private func expect(
        _ sql: String, finds names: [String], line: Int = #line,
        _ query: @escaping @Sendable () throws -> Query<Patient>
    ) async throws {
        let table = "SELECT `id`, `name`, `city`, `born`, `doctor`, `visits`, `profile` FROM `patient`"
        let found = try await store.read { db in
            try db.expectSQL("\(table) \(sql)", line: line) { try query().fetch(in: db).map(\.name) }
        }
        #expect(
            found == names,
            sourceLocation: SourceLocation(
                fileID: #fileID, filePath: #filePath, line: line, column: 1))
    }

    private func expect(
        _ sql: String, finds ids: [Int64], line: Int = #line,
        _ query: @escaping @Sendable () throws -> Query<Appointment>
    ) async throws {
        let table = "SELECT `id`, `patient`, `doctor`, `date`, `minutes`, `fee`, `note` FROM `appointment`"
        let found = try await store.read { db in
            try db.expectSQL("\(table) \(sql)", line: line) { try query().fetch(in: db).map { $0.id ?? 0 }.sorted() }
        }
        #expect(
            found == ids,
            sourceLocation: SourceLocation(
                fileID: #fileID, filePath: #filePath, line: line, column: 1))
    }

    // MARK: Conditions and orders

    @Test func q06_aColumnInACondition() async throws {
        let pattern = "?[aoy]*"
        try await expect("WHERE (`name` GLOB ?)", finds: ["Bo", "Cy"]) {
            Patient.where { Condition("\($0.name) GLOB \(pattern)") }
        }
    }

    // MARK: Lists

    @Test("A NULL in the list does not hide what is not in it")
    func q08_notInAListWithNull() async throws {
        let recent = try Appointment.where { $0.date >= Self.newYear }.select { $0.patient }
        try await expect(
            """
            WHERE (NOT (`id` IN (SELECT `strongroom_0` FROM (SELECT `patient` AS `strongroom_0` FROM `appointment`
            WHERE (`date` >= ?)) WHERE `strongroom_0` IS NOT NULL)))
            """, finds: ["Cy", "Di"]
        ) { Patient.where { !$0.id.isIn(recent) } }
    }

    @Test("A query within a query's closure, which uses the outer columns")
    func q10_aCorrelatedList() async throws {
        try await expect(
            """
            WHERE (`patient` IN (SELECT `id` FROM `patient` WHERE ((`patient`.`doctor` = `appointment`.`doctor`) AND
            (`patient`.`id` <= (`appointment`.`id` + ?)))))
            """, finds: [1, 3, 5]
        ) {
            Appointment.where { visit in
                visit.patient.isIn(Patient.where { $0.doctor == visit.doctor && $0.id <= visit.id + 1 })
            }
        }
    }

    @Test func q11_aListOfGroups() async throws {
        let busy = try Appointment.group { $0.patient }.having { _ in RowCount() > 1 }.select { $0.patient }
        try await expect(
            """
            WHERE (`id` IN (SELECT `strongroom_0` FROM (SELECT `patient` AS `strongroom_0` FROM `appointment` GROUP BY
            `patient` HAVING (count(*) > ?)) WHERE `strongroom_0` IS NOT NULL))
            """, finds: ["Ada"]
        ) { Patient.where { $0.id.isIn(busy) } }
    }

    // MARK: Whether rows exist

    @Test func q14_withoutAnAppointmentIn2026() async throws {
        try await expect(
            """
            WHERE (NOT EXISTS (SELECT 1 FROM `appointment` AS s1 WHERE ((s1.`patient` = `patient`.`id`) AND (s1.`date`
            >= ?))))
            """, finds: ["Cy", "Di"]
        ) {
            Patient.where { patient in
                !Appointment.exists { visit in visit.patient == patient.id && visit.date >= Self.newYear }
            }
        }
    }

    @Test("A subquery of the same table: both have columns of the same names")
    func q15_theSameTable() async throws {
        try await expect(
            """
            WHERE EXISTS (SELECT 1 FROM `patient` AS s1 WHERE ((s1.`city` = `patient`.`city`) AND (s1.`id` <>
            `patient`.`id`)))
            """, finds: ["Ada", "Cy"]
        ) {
            Patient.where { one in Patient.exists { other in other.city == one.city && other.id != one.id } }
        }
    }

    @Test func q19_orderedByANumberOfRows() async throws {
        try await expect(
            """
            ORDER BY (SELECT count(*) FROM `appointment` AS s1 WHERE (s1.`patient` = `patient`.`id`)) DESC, `name`
            ASC, `id` ASC
            """, finds: ["Ada", "Bo", "Cy", "Di"]
        ) {
            Patient.order { patient in
                (Subquery(Appointment.self) { $0.patient == patient.id }.count.descending, patient.name.ascending)
            }
        }
    }

    @Test func q21_theNewestOfEach() async throws {
        try await expect(
            """
            WHERE (`date` = (SELECT max(s1.`date`) FROM `appointment` AS s1 WHERE (s1.`patient` =
            `appointment`.`patient`)))
            """, finds: [2, 3, 4]
        ) {
            Appointment.where { visit in
                visit.date == Subquery(Appointment.self) { $0.patient == visit.patient }.value { $0.date.max() }
            }
        }
    }

    @Test func q22_anAggregateOfALimitedSubquery() async throws {
        try await expect(
            """
            WHERE (((SELECT sum(s1.`minutes`) FROM (SELECT s1.* FROM `appointment` AS s1 WHERE (s1.`patient` =
            `patient`.`id`) ORDER BY s1.`date` DESC LIMIT ?) AS s1) = ?) AND (`city` = ?))
            """, finds: ["Ada"]
        ) {
            Patient.where { patient in
                Subquery(Appointment.self) { $0.patient == patient.id }.order { $0.date.descending }.limit(2)
                    .value { $0.minutes.sum() } == 45 && patient.city == "Bonn"
            }
        }
    }

    // MARK: Changes

    @Test func q25_anUpdateFromAQuery() async throws {
        let visits = try await store.write { db in
            try db.expectSQL(
                """
                UPDATE `patient` SET `visits` = strongroom_fit((SELECT count(*) FROM `appointment` AS s1 WHERE
                (s1.`patient` = `patient`.`id`)), 'Swift.Int')
                """
            ) {
                try Patient.query.update(in: db) { patient in
                    [patient.visits.set(Subquery(Appointment.self) { $0.patient == patient.id }.count)]
                }
            }
            return try Patient.all(in: db).map(\.visits)
        }
        #expect(visits == [3, 1, 1, 0])
    }

    @Test func q27_aDeletionOfRowsThatWereRead() async throws {
        let gone = try await store.write { db in
            let gone = try Patient.where { patient in !Appointment.exists { $0.patient == patient.id } }.fetch(in: db)
            try Patient.delete(contentsOf: gone, in: db)
            return gone
        }
        #expect(gone.map(\.name) == ["Di"])
        #expect(try await store.table(Patient.self).count() == 3)
    }
}
