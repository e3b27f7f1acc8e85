import Strongroom
import StrongroomTesting

/// The address books of a test, in a directory of its own.
struct AddressBooks: Configuration {
    static let target = "addressbook"

    let directory: TemporaryDirectory
    var keys = [Key.random()]
    var migrator: Migrator?
    var settings = StoreSettings(readers: 2)

    init(migrator: Migrator? = nil) throws {
        directory = try TemporaryDirectory()
        self.migrator = migrator
    }

    func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(keys) }
    func migrator(for database: DatabaseName) -> Migrator? { migrator }
    func settings(for database: DatabaseName) -> StoreSettings { settings }
}
