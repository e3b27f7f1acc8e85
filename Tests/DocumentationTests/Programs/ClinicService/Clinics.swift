import Foundation
import Strongroom

@Table("patient", in: "clinic.sqlite", fullText: [FullTextIndex(on: "name", "note")])
struct Patient: Codable {
    var id: Int64?
    var name: String
    var note = ""
}

/// One file a clinic.
struct Clinics: Configuration {
    static let target = "clinic"

    let directory: String
    var settings = StoreSettings()

    var keyFile: KeyFile { KeyFile("\(directory)/keys") }

    func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database)" }
    func keyChain(for database: DatabaseName) throws -> KeyChain { try keyFile.keyChain(creating: true) }
    func migrator(for database: DatabaseName) -> Migrator? { .automatic(tables: [Patient.schema]) }
    func settings(for database: DatabaseName) -> StoreSettings { settings }

    /// The database of a clinic, whose name comes from outside.
    func database(of clinic: String) throws -> DatabaseName { try DatabaseName("clinic_\(clinic).sqlite") }

    /// Whether there is such a clinic.
    func hasFile(_ database: DatabaseName) -> Bool {
        FileManager.default.fileExists(atPath: "\(directory)/\(database)")
    }
}
