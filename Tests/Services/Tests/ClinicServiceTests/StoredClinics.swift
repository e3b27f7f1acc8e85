import Strongroom

/// The files of the service, opened by the test beside it.
struct StoredClinics: Configuration {
    static let target = "clinic"

    let directory: String
    let keys: KeyChain
    var settings = StoreSettings(isReadOnly: true)
    var migrator: Migrator?

    func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database)" }
    func keyChain(for database: DatabaseName) throws -> KeyChain { keys }
    func keyProtection(for database: DatabaseName) -> KeyProtection { .envelope }
    func migrator(for database: DatabaseName) -> Migrator? { migrator }
    func settings(for database: DatabaseName) -> StoreSettings { settings }
}
