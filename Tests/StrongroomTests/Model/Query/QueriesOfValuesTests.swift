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

/// Queries for single values and groups; see `QueriesOfRowsTests`.
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

    @Test func q28_aValueByConditions() async throws {
        try await expect(
            """
            SELECT `name`, (CASE WHEN (`born` > ?) THEN 'child' ELSE 'adult' END) FROM `patient` ORDER BY `name` ASC,
            `id` ASC
            """, finds: ["Ada,adult", "Bo,child", "Cy,adult", "Di,adult"]
        ) {
            try Patient.order { $0.name.ascending }.select {
                let isChild = $0.born > Practice.date(2008, 1, 1)
                return ($0.name, Computed("CASE WHEN \(isChild) THEN 'child' ELSE 'adult' END", as: String.self))
            }
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
            SELECT (`minutes` / ?), count(*) FROM `appointment` GROUP BY (`minutes` / ?) ORDER BY max(`minutes`) DESC
            """, finds: ["2,1", "1,2", "0,3"]
        ) {
            try Appointment.group { $0.minutes / 30 }.order { $0.minutes.max().descending }
                .select { ($0.minutes / 30, RowCount()) }
        }
    }

    // MARK: Dates

    /// A date column as the modifier of `strftime`, in UTC.
    private static func seconds(_ column: String) -> String {
        """
        '1970-01-01', CASE WHEN `\(column)` >= -63145526400 AND `\(column)` < 252423993600 THEN CAST(`\(column)` AS \
        INTEGER) - (`\(column)` < CAST(`\(column)` AS INTEGER)) + 978307200 END || ' seconds'
        """
    }

    @Test("A date less than a millisecond before midnight is not of the next day")
    func q40_aNumberPerDay() async throws {
        let day = "CAST(strftime('%s', strftime('%Y-%m-%d', \(Self.seconds("date")))) - 978307200 AS REAL)"
        try await expect(
            "SELECT \(day), count(*) FROM `appointment` GROUP BY \(day) ORDER BY \(day) ASC",
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
            SELECT (CAST(strftime('%w', \(Self.seconds("date"))) AS INTEGER) + 1),
            CAST(strftime('%H', \(Self.seconds("date"))) AS INTEGER) FROM `appointment` ORDER BY `id` ASC
            """, finds: ["2,9", "2,23", "3,10", "4,23", "7,12", "4,0"]
        ) {
            try Appointment.order { $0.id.ascending }.select { ($0.date.part(.weekday), $0.date.part(.hour)) }
        }
    }

    @Test func q44_weeks() async throws {
        try await expect(
            """
            SELECT DISTINCT CAST(strftime('%s', strftime('%Y-%m-%d', \(Self.seconds("date")), 'weekday 0',
            '-6 days')) - 978307200 AS REAL) FROM `appointment` ORDER BY `date` ASC, `id` ASC
            """,
            finds: ["2025-02-24T00:00:00Z", "2025-12-29T00:00:00Z", "2026-01-05T00:00:00Z", "2026-02-09T00:00:00Z"]
        ) {
            try Appointment.order { $0.date.ascending }.select { $0.date.start(of: .week) }.distinct()
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
