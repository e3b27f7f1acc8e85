import Foundation
import Strongroom
import StrongroomTesting

/// A doctor's practice: patients and their appointments, and doctors.
enum Practice {
    struct Profile: Codable, Sendable, Equatable {
        var allergies: [String] = []
        var street: String?
    }

    @Table("doctor")
    struct Doctor: Equatable {
        var id: Int64?
        var name: String
        var city: String
    }

    @Table("patient")
    struct Patient: Equatable {
        var id: Int64?
        var name: String
        var city: String
        var born: Date?
        var doctor: Int64?
        var visits = 0
        var profile: JSON<Practice.Profile> = JSON(Practice.Profile())
    }

    @Table("appointment")
    struct Appointment: Equatable {
        var id: Int64?
        @Column(indexed: true) var patient: Int64?
        var doctor: Int64
        var date: Date
        var minutes: Int
        @Column(scale: 2) var fee: Decimal
        var note: String?
    }

    /// A date and a time, UTC.
    static func date(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0) -> Date {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        let parts = DateComponents(year: year, month: month, day: day, hour: hour, minute: minute)
        return calendar.date(from: parts) ?? .distantPast
    }

    static func store() async throws -> TemporaryStore {
        let temporary = try await TemporaryStore(
            tables: [Doctor.schema, Patient.schema, Appointment.schema])
        try await temporary.store.write { db in try fill(db) }
        return temporary
    }

    private static func fill(_ db: borrowing WriteTransaction) throws {
        try Doctor.insert(
            contentsOf: [Doctor(name: "Grau", city: "Bonn"), Doctor(name: "Weiss", city: "Köln")], in: db)
        try Patient.insert(
            contentsOf: [
                Patient(
                    name: "Ada", city: "Bonn", born: date(1980, 5, 17), doctor: 1,
                    profile: JSON(Profile(allergies: ["nuts", "dust"], street: "Am Hof"))),
                Patient(name: "Bo", city: "Köln", born: date(2012, 2, 29), doctor: 1),
                Patient(
                    name: "Cy", city: "Bonn", born: date(1950, 1, 1), doctor: 2,
                    profile: JSON(Profile(allergies: ["nuts"]))),
                Patient(name: "Di", city: "Aachen"),
            ], in: db)
        // The second one is less than a millisecond before midnight.
        let late = date(2026, 1, 6).addingTimeInterval(-0.0001)
        try Appointment.insert(
            contentsOf: [
                Appointment(
                    patient: 1, doctor: 1, date: date(2026, 1, 5, 9), minutes: 30, fee: Decimal(2050) / 100,
                    note: "flu"),
                Appointment(patient: 1, doctor: 2, date: late, minutes: 15, fee: 10),
                Appointment(
                    patient: 2, doctor: 1, date: date(2026, 2, 10, 10, 30), minutes: 45, fee: Decimal(9999) / 100,
                    note: "leg"),
                Appointment(patient: 3, doctor: 1, date: date(2025, 12, 31, 23, 30), minutes: 20, fee: 5),
                Appointment(patient: 1, doctor: 1, date: date(2025, 3, 1, 12), minutes: 60, fee: 40, note: "arm"),
                Appointment(doctor: 2, date: date(2026, 2, 11), minutes: 5, fee: 0, note: "telephone"),
            ], in: db)
    }
}
