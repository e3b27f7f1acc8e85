import Strongroom

/// The workshop's database as a library user has it; the tool gets the path and the key file.
struct WorkshopConfiguration: Configuration {
    static let target = "workshop"

    let directory: String

    func filePath(for database: DatabaseName) -> String? { directory + "/" + database.fileName }
    func keyChain(for database: DatabaseName) throws -> KeyChain {
        try KeyChain(.raw(Array(repeating: 0x1F, count: 32)))
    }
    func migrator(for database: DatabaseName) -> Migrator? { nil }
}
