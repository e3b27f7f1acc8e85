import Strongroom

/// The files of the service, opened read-only by the test.
struct StoredClinics: Configuration {
    static let target = "clinic"

    let directory: String
    let keys: KeyChain

    func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database)" }
    func keyChain(for database: DatabaseName) throws -> KeyChain { keys }
    func keyProtection(for database: DatabaseName) -> KeyProtection { .envelope }
    func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(isReadOnly: true) }
}
