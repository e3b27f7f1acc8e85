import Foundation
import Strongroom
import StrongroomTesting

/// A clinic whose tables keep histories.
enum Clinic {
    @Table("patient", history: .keep())
    struct Patient: Equatable {
        var id: Int64?
        var name: String
        @Column(unique: true, collation: .noCase) var number: String
        var weight: Double?
        var born: Date = Date(timeIntervalSinceReferenceDate: 0)
        var fee: Decimal?
        var photo: Data?
    }

    @Table("visit", history: .keep(changes: 3))
    struct Visit: Equatable {
        @Column(primaryKey: true, references: Reference("patient", onDelete: .cascade)) var patient: Int64
        @Column(primaryKey: true) var day: String
        var note: String
    }

    @Table("scan", history: .keep(days: 30, omitting: ["content"]))
    struct Scan: Equatable {
        var id: Int64?
        var title: String
        var content: Data?
    }

    static func store() async throws -> TemporaryStore {
        try await TemporaryStore(tables: [Patient.schema, Visit.schema, Scan.schema])
    }

    static func patient(_ name: String = "Ada", number: String = "P1") -> Patient {
        Patient(
            name: name, number: number, weight: 61.5, born: Date(timeIntervalSinceReferenceDate: -1234.125),
            fee: Decimal(string: "12.50"), photo: Data([0, 1, 255]))
    }
}
