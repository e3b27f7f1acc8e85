import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// A selection whose rows are compared as text, with a comma between the values.
protocol TextRows {
    func rows(in db: borrowing ReadTransaction) throws -> [String]
}

extension SelectQuery: TextRows {
    func rows(in db: borrowing ReadTransaction) throws -> [String] {
        var rows: [String] = []
        for row in try fetch(in: db) {
            var values: [String] = []
            repeat values.append(Self.text(each row))
            rows.append(values.joined(separator: ","))
        }
        return rows
    }

    private static func text(_ value: some ColumnValue) -> String {
        if let date = value as? Date { return date.formatted(.iso8601) }
        if let decimal = value as? Decimal { return "\(decimal)" }
        return switch try? value.stored() {
        case .integer(let number)?: "\(number)"
        case .real(let number)?: "\(number)"
        case .text(let text)?: text
        default: "-"
        }
    }
}

/// Queries for single values, groups and combinations; see `QueriesOfRowsTests`.
@Suite("Sixty queries: values")
struct QueriesOfValuesTests {
    private typealias Patient = Practice.Patient
    private typealias Appointment = Practice.Appointment
    private typealias Doctor = Practice.Doctor

    private let temporary: TemporaryStore
    private var store: Store { temporary.store }
    private static let newYear = Practice.date(2026, 1, 1)

    init() async throws {
        temporary = try await Practice.store()
    }

    /// A selection, its SQL, and the rows as text, with a comma between the values.
    private func expect(
        _ sql: String, finds rows: [String], line: Int = #line,
        _ selection: @escaping @Sendable () throws -> any TextRows
    ) async throws {
        let found = try await store.read { db in
            try db.expectSQL(sql, line: line) { try selection().rows(in: db) }
        }
        #expect(
            found == rows,
            sourceLocation: SourceLocation(
                fileID: #fileID, filePath: #filePath, line: line, column: 1))
    }

    // MARK: CASE

    @Test func q28_aValueByConditions() async throws {
        try await expect(
            """
            SELECT `name`, (CASE WHEN (`born` > ?) THEN ? WHEN (`born` > ?) THEN ? ELSE ? END) FROM `patient` ORDER BY
            `name` ASC, `id` ASC
            """, finds: ["Ada,adult", "Bo,child", "Cy,senior", "Di,senior"]
        ) {
            try Patient.order { $0.name.ascending }.select {
                (
                    $0.name,
                    CaseExpression.when($0.born > Practice.date(2008, 1, 1), then: "child")
                        .when($0.born > Practice.date(1961, 1, 1), then: "adult").else("senior")
                )
            }
        }
    }

    @Test func q29_aNumberOfRowsThatMatch() async throws {
        try await expect(
            """
            SELECT `doctor`, count((CASE WHEN (`minutes` > ?) THEN ? END)), (count((CASE WHEN (`date` >= ?) THEN ?
            END)) + ?) FROM `appointment` GROUP BY `doctor` ORDER BY `doctor` ASC
            """, finds: ["1,2,3", "2,0,3"]
        ) {
            try Appointment.group { $0.doctor }.order { $0.doctor.ascending }.select {
                (
                    $0.doctor, CaseExpression.when($0.minutes > 30, then: 1).count(),
                    CaseExpression.when($0.date >= Self.newYear, then: 1).count() + 1
                )
            }
        }
    }

    @Test func q30_decimalsByConditions() async throws {
        try await expect(
            """
            SELECT `doctor`, sum((CASE WHEN (`doctor` = ?) THEN `fee` ELSE ? END)) FROM `appointment` GROUP BY
            `doctor` ORDER BY `doctor` ASC
            """, finds: ["1,165.49", "2,1.5"]
        ) {
            try Appointment.group { $0.doctor }.order { $0.doctor.ascending }.select {
                ($0.doctor, CaseExpression.when($0.doctor == 1, then: $0.fee).else(Decimal(75) / 100).sum())
            }
        }
    }

    // MARK: Combinations

    @Test func q31_theRowsOfTwoSelections() async throws {
        try await expect(
            """
            SELECT * FROM (SELECT `city` AS `strongroom_0` FROM `patient` UNION SELECT `city` FROM `doctor`) ORDER BY
            `strongroom_0` ASC
            """, finds: ["Aachen", "Bonn", "Köln"]
        ) {
            try Patient.query.select { $0.city }.union(Doctor.query.select { $0.city }).order { $0.ascending }
        }
    }

    @Test func q32_allRowsOfTwoSelections() async throws {
        try await expect(
            """
            SELECT * FROM (SELECT `name` AS `strongroom_0`, (CASE WHEN (`id` > ?) THEN ? ELSE ? END) AS `strongroom_1`
            FROM `patient` UNION ALL SELECT `name`, (CASE WHEN (`id` > ?) THEN ? ELSE ? END) FROM `doctor`) ORDER BY
            `strongroom_1` ASC, `strongroom_0` DESC LIMIT ?
            """, finds: ["Weiss,doctor", "Grau,doctor", "Di,patient"]
        ) {
            try Patient.query.select { ($0.name, CaseExpression.when($0.id > 0, then: "patient").else("")) }
                .unionAll(Doctor.query.select { ($0.name, CaseExpression.when($0.id > 0, then: "doctor").else("")) })
                .order { name, kind in [kind.ascending, name.descending] }.limit(3)
        }
    }

    @Test func q33_commonRows() async throws {
        try await expect(
            """
            SELECT * FROM (SELECT `city` AS `strongroom_0` FROM `patient` INTERSECT SELECT `city` FROM `doctor`) ORDER
            BY `strongroom_0` ASC
            """, finds: ["Bonn", "Köln"]
        ) {
            try Patient.query.select { $0.city }.intersection(Doctor.query.select { $0.city }).order { $0.ascending }
        }
    }

    @Test func q34_rowsOfOneSelectionOnly() async throws {
        try await expect(
            """
            SELECT `city` FROM `patient` EXCEPT SELECT `city` FROM `doctor`
            """, finds: ["Aachen"]
        ) {
            try Patient.query.select { $0.city }.subtracting(Doctor.query.select { $0.city })
        }
    }

    @Test func q35_combinationsOfCombinations() async throws {
        try await expect(
            """
            SELECT * FROM (SELECT * FROM (SELECT `city` AS `strongroom_0` FROM `patient` ORDER BY `name` ASC, `id` ASC
            LIMIT ?) UNION SELECT * FROM (SELECT `city` FROM `patient` EXCEPT SELECT `city` FROM `doctor`) EXCEPT
            SELECT `city` FROM `doctor` WHERE (`name` = ?)) ORDER BY `strongroom_0` ASC
            """, finds: ["Aachen", "Bonn"]
        ) {
            let cities = try Patient.order { $0.name.ascending }.limit(2).select { $0.city }
            let others = try Patient.query.select { $0.city }.subtracting(Doctor.query.select { $0.city })
            return try cities.union(others).subtracting(Doctor.where { $0.name == "Weiss" }.select { $0.city })
                .order { $0.ascending }
        }
    }

    @Test func q36_decimalsOfOneScale() async throws {
        try await expect(
            """
            SELECT * FROM (SELECT `fee` AS `strongroom_0` FROM `appointment` WHERE (`minutes` < ?) UNION SELECT `fee`
            FROM `appointment` WHERE ((`minutes` = ?) OR (`minutes` = ?))) ORDER BY `strongroom_0` ASC
            """, finds: ["0", "5", "99.99"]
        ) {
            try Appointment.where { $0.minutes < 10 }.select { $0.fee }
                .union(Appointment.where { $0.minutes == 20 || $0.minutes == 45 }.select { $0.fee })
                .order { $0.ascending }
        }
    }

    @Test func q37_aSelectionSortedByItsValues() async throws {
        try await expect(
            """
            SELECT * FROM (SELECT DISTINCT `city` AS `strongroom_0` FROM `patient`) ORDER BY `strongroom_0` DESC LIMIT
            ?
            """, finds: ["Köln", "Bonn"]
        ) {
            try Patient.query.select { $0.city }.distinct().order { $0.descending }.limit(2)
        }
    }

    // MARK: Groups

    @Test func q38_groupsWithConditionsOrderAndLimit() async throws {
        try await expect(
            """
            SELECT `patient`, count(*), avg(`minutes`) FROM `appointment` WHERE (`patient` IS NOT NULL) GROUP BY
            `patient` HAVING (count(*) > ?) ORDER BY count(*) DESC, `patient` ASC LIMIT ?
            """, finds: ["1,3,35.0"]
        ) {
            try Appointment.where { $0.patient != nil }.group { $0.patient }.having { _ in RowCount() > 0 }
                .order { (RowCount().descending, $0.patient.ascending) }.limit(1)
                .select { ($0.patient, RowCount(), $0.minutes.average()) }
        }
    }

    @Test func q39_groupsOfAnExpression() async throws {
        try await expect(
            """
            SELECT (CASE WHEN (`minutes` > ?) THEN ? ELSE ? END), count(*) FROM `appointment` GROUP BY (CASE WHEN
            (`minutes` > ?) THEN ? ELSE ? END) ORDER BY max(`minutes`) DESC
            """, finds: ["long,2", "short,4"]
        ) {
            try Appointment.group { CaseExpression.when($0.minutes > 30, then: "long").else("short") }
                .order { $0.minutes.max().descending }
                .select { (CaseExpression.when($0.minutes > 30, then: "long").else("short"), RowCount()) }
        }
    }

    // MARK: Dates

    @Test("A date less than a millisecond before midnight is not of the next day")
    func q40_aNumberPerDay() async throws {
        try await expect(

            """
            SELECT CAST(strftime('%s', strftime('%Y-%m-%d', '1970-01-01', CASE WHEN `date` >= -63145526400 AND `date`
            < 252423993600 THEN CAST(`date` AS INTEGER) - (`date` < CAST(`date` AS INTEGER)) + 978307200 END ||
            ' seconds')) - 978307200 AS REAL), count(*) FROM `appointment` GROUP BY CAST(strftime('%s',
            strftime('%Y-%m-%d', '1970-01-01', CASE WHEN `date` >= -63145526400 AND `date` < 252423993600 THEN
            CAST(`date` AS INTEGER) - (`date` < CAST(`date` AS INTEGER)) + 978307200 END || ' seconds')) - 978307200
            AS REAL) ORDER BY CAST(strftime('%s', strftime('%Y-%m-%d', '1970-01-01', CASE WHEN `date` >= -63145526400
            AND `date` < 252423993600 THEN CAST(`date` AS INTEGER) - (`date` < CAST(`date` AS INTEGER)) + 978307200
            END || ' seconds')) - 978307200 AS REAL) ASC
            """,
            finds: [
                "2025-03-01T00:00:00Z,1", "2025-12-31T00:00:00Z,1", "2026-01-05T00:00:00Z,2",
                "2026-02-10T00:00:00Z,1", "2026-02-11T00:00:00Z,1",
            ]
        ) {
            try Appointment.group { $0.date.start(of: .day) }.order { $0.date.start(of: .day).ascending }
                .select { ($0.date.start(of: .day), RowCount()) }
        }
    }

    @Test func q41_aNumberPerMonthInATimeZone() async throws {
        try await expect(
            """
            SELECT CAST(strftime('%s', strftime('%Y-%m-01', '1970-01-01', CASE WHEN `date` >= -63145530000 AND `date`
            < 252423990000 THEN CAST(`date` AS INTEGER) - (`date` < CAST(`date` AS INTEGER)) + 978310800 END ||
            ' seconds')) - 978310800 AS REAL), count(*) FROM `appointment` GROUP BY CAST(strftime('%s',
            strftime('%Y-%m-01', '1970-01-01', CASE WHEN `date` >= -63145530000 AND `date` < 252423990000 THEN
            CAST(`date` AS INTEGER) - (`date` < CAST(`date` AS INTEGER)) + 978310800 END || ' seconds')) - 978310800
            AS REAL) ORDER BY min(`date`) ASC
            """, finds: ["2025-02-28T23:00:00Z,1", "2025-12-31T23:00:00Z,3", "2026-01-31T23:00:00Z,2"]
        ) {
            try Appointment.group { $0.date.start(of: .month, secondsFromGMT: 3600) }
                .order { $0.date.min().ascending }
                .select { ($0.date.start(of: .month, secondsFromGMT: 3600), RowCount()) }
        }
    }

    @Test func q42_weekdaysAndHours() async throws {
        try await expect(
            """
            SELECT (CAST(strftime('%w', '1970-01-01', CASE WHEN `date` >= -63145526400 AND `date` < 252423993600 THEN
            CAST(`date` AS INTEGER) - (`date` < CAST(`date` AS INTEGER)) + 978307200 END || ' seconds') AS INTEGER) +
            1), CAST(strftime('%H', '1970-01-01', CASE WHEN `date` >= -63145526400 AND `date` < 252423993600 THEN
            CAST(`date` AS INTEGER) - (`date` < CAST(`date` AS INTEGER)) + 978307200 END || ' seconds') AS INTEGER)
            FROM `appointment` ORDER BY `id` ASC
            """, finds: ["2,9", "2,23", "3,10", "4,23", "7,12", "4,0"]
        ) {
            try Appointment.order { $0.id.ascending }.select { ($0.date.part(.weekday), $0.date.part(.hour)) }
        }
    }

    @Test func q43_aPartOfADateInACondition() async throws {
        try await expect(
            """
            SELECT `name`, CAST(strftime('%d', '1970-01-01', CASE WHEN `born` >= -63145526400 AND `born` <
            252423993600 THEN CAST(`born` AS INTEGER) - (`born` < CAST(`born` AS INTEGER)) + 978307200 END ||
            ' seconds') AS INTEGER) FROM `patient` WHERE (CAST(strftime('%m', '1970-01-01', CASE WHEN `born` >=
            -63145526400 AND `born` < 252423993600 THEN CAST(`born` AS INTEGER) - (`born` < CAST(`born` AS INTEGER)) +
            978307200 END || ' seconds') AS INTEGER) = ?)
            """, finds: ["Bo,29"]
        ) {
            try Patient.where { $0.born.part(.month) == 2 }.select { ($0.name, $0.born.part(.day)) }
        }
    }

    @Test func q44_weeks() async throws {
        try await expect(

            """
            SELECT * FROM (SELECT DISTINCT CAST(strftime('%s', strftime('%Y-%m-%d', '1970-01-01', CASE WHEN `date` >=
            -63145526400 AND `date` < 252423993600 THEN CAST(`date` AS INTEGER) - (`date` < CAST(`date` AS INTEGER)) +
            978307200 END || ' seconds', 'weekday 0', '-6 days')) - 978307200 AS REAL) AS `strongroom_0` FROM
            `appointment`) ORDER BY `strongroom_0` ASC
            """,
            finds: ["2025-02-24T00:00:00Z", "2025-12-29T00:00:00Z", "2026-01-05T00:00:00Z", "2026-02-09T00:00:00Z"]
        ) {
            try Appointment.query.select { $0.date.start(of: .week) }.distinct().order { $0.ascending }
        }
    }

    // MARK: Windows

    /// As `expect`, where the engine has window functions; where it has none, the refusal before the statement runs.
    private func expectWindow(
        _ sql: String, finds rows: [String], line: Int = #line,
        _ selection: @escaping @Sendable () throws -> any TextRows
    ) async throws {
        guard try EngineFeatures.current().hasWindowFunctions else {
            let error = await #expect(throws: StrongroomError.self) {
                try await store.read { db in try db.expectSQL { try selection().rows(in: db) } }
            }
            #expect(error?.code == .notSupported)
            return
        }
        try await expect(sql, finds: rows, line: line, selection)
    }

    @Test func q45_numbersWithinAPartition() async throws {
        try await expectWindow(
            """
            SELECT `id`, row_number() OVER (PARTITION BY `patient` ORDER BY `date` ASC) FROM `appointment` ORDER BY
            `id` ASC
            """, finds: ["1,2", "2,3", "3,1", "4,1", "5,1", "6,1"]
        ) {
            try Appointment.order { $0.id.ascending }.select {
                (
                    $0.id,
                    WindowFunction.rowNumber().over(partitionedBy: $0.patient, orderedBy: $0.date.ascending)
                )
            }
        }
    }

    @Test func q46_aRunningSum() async throws {
        try await expectWindow(
            """
            SELECT `id`, sum(`fee`) OVER (ORDER BY `date` ASC) FROM `appointment` ORDER BY `date` ASC, `id` ASC
            """, finds: ["5,40", "4,45", "1,65.5", "2,75.5", "3,175.49", "6,175.49"]
        ) {
            try Appointment.order { $0.date.ascending }.select {
                ($0.id, $0.fee.sum().over(orderedBy: $0.date.ascending))
            }
        }
    }

    @Test func q47_thePreviousAndTheNextRow() async throws {
        try await expectWindow(
            """
            SELECT `id`, lag(`minutes`, 1) OVER (ORDER BY `date` ASC), lead(`minutes`, 1) OVER (ORDER BY `date` ASC)
            FROM `appointment` WHERE (`patient` = ?) ORDER BY `date` ASC, `id` ASC
            """, finds: ["5,-,30", "1,60,15", "2,30,-"]
        ) {
            try Appointment.where { $0.patient == 1 }.order { $0.date.ascending }.select {
                (
                    $0.id, WindowFunction.previous($0.minutes).over(orderedBy: $0.date.ascending),
                    WindowFunction.next($0.minutes).over(orderedBy: $0.date.ascending)
                )
            }
        }
    }

    @Test func q48_anAverageOfTheRowsAround() async throws {
        try await expectWindow(
            """
            SELECT `id`, avg(`minutes`) OVER (ORDER BY `id` ASC ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM
            `appointment` WHERE (`id` < ?) ORDER BY `id` ASC
            """, finds: ["1,22.5", "2,30.0", "3,30.0"]
        ) {
            try Appointment.where { $0.id < 4 }.order { $0.id.ascending }.select {
                (
                    $0.id,
                    $0.minutes.average()
                        .over(orderedBy: $0.id.ascending, frame: .rows(preceding: 1, following: 1))
                )
            }
        }
    }

    // MARK: JSON

    /// As `expect`, where the engine has JSON functions; where it has none, the refusal before the statement runs.
    private func expectJSON(
        _ sql: String, finds rows: [String], line: Int = #line,
        _ selection: @escaping @Sendable () throws -> any TextRows
    ) async throws {
        guard try EngineFeatures.current().hasJSON else {
            let error = await #expect(throws: StrongroomError.self) {
                try await store.read { db in try db.expectSQL { try selection().rows(in: db) } }
            }
            #expect(error?.code == .notSupported)
            return
        }
        try await expect(sql, finds: rows, line: line, selection)
    }

    @Test func q49_aValueInJSON() async throws {
        try await expectJSON(
            """
            SELECT `name`, json_array_length(`profile`, ?) FROM `patient` WHERE (json_extract(`profile`, ?) = ?)
            """, finds: ["Ada,2"]
        ) {
            try Patient.where { $0.profile.jsonValue(at: "$.street", as: String.self) == "Am Hof" }
                .select { ($0.name, $0.profile.jsonCount(at: "$.allergies")) }
        }
    }

    @Test func q50_anElementOfAnArrayInJSON() async throws {
        try await expectJSON(
            """
            SELECT `name` FROM `patient` WHERE (json_type(`profile`, ?) = 'array' AND EXISTS (SELECT 1 FROM (SELECT
            `profile` AS `j`) AS `j`, json_each(`j`.`j`, ?) AS `e` WHERE `e`.`type` IN ('text') AND `e`.`value` = ?))
            ORDER BY `name` ASC, `id` ASC
            """, finds: ["Ada", "Cy"]
        ) {
            try Patient.where { $0.profile.jsonContains("nuts", at: "$.allergies") }.order { $0.name.ascending }
                .select { $0.name }
        }
    }

    // MARK: Any SQL

    @Test func q51_columnsInSQL() async throws {
        let number = try await store.read { db in
            let (patient, city) = (Patient.columns, "Bonn")
            return try db.expectSQL("SELECT count(*) FROM patient WHERE `city` = ?") {
                try db.value("SELECT count(*) FROM patient WHERE \(patient.city) = \(city)", as: Int.self)
            }
        }
        #expect(number == 2)
    }
}
