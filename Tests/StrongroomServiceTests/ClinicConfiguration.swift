import Strongroom
import StrongroomTesting

/// A family with one table of lines.
struct ClinicConfiguration: Configuration {
    static let target = "clinic"

    let directory: TemporaryDirectory
    private let key = Key.random()

    init(_ directory: TemporaryDirectory) { self.directory = directory }

    func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
    func keyChain(for database: DatabaseName) async throws -> KeyChain { try KeyChain(key) }

    func migrator(for database: DatabaseName) -> Migrator? {
        Migrator { Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") } }
    }
}
