import Logging
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
    /// Outside of the directory, and not in its backups.
    let keyFile: KeyFile
    var settings = StoreSettings()
    var logger: Logger?

    func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database)" }
    func keyChain(for database: DatabaseName) throws -> KeyChain { try keyFile.keyChain() }
    // Each file has a random key of its own, which those of the chain wrap: a rotation does not rewrite the file.
    func keyProtection(for database: DatabaseName) -> KeyProtection { .envelope }
    func migrator(for database: DatabaseName) -> Migrator? { .automatic(tables: [Patient.schema]) }
    func settings(for database: DatabaseName) -> StoreSettings { settings }
    func logger(for database: DatabaseName) -> Logger? { logger }

    /// The database of a clinic, whose name comes from outside.
    func database(of clinic: String) throws -> DatabaseName { try DatabaseName("clinic_\(clinic).sqlite") }
}
