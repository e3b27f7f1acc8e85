import Strongroom
import StrongroomTesting

/// A family with one table of lines.
struct ClinicConfiguration: Configuration {
    static let target = "clinic"

    let directory: TemporaryDirectory
    private var keys = [Key.random()]
    private var hasNotes = false
    private var protection = KeyProtection.direct

    init(_ directory: TemporaryDirectory) { self.directory = directory }

    func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
    func keyChain(for database: DatabaseName) async throws -> KeyChain { try KeyChain(keys) }

    func keyProtection(for database: DatabaseName) -> KeyProtection { protection }

    func migrator(for database: DatabaseName) -> Migrator? {
        Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
            if hasNotes { Migration("2") { db in try db.execute("ALTER TABLE line ADD COLUMN note TEXT") } }
        }
    }

    /// With an envelope.
    var wrapped: ClinicConfiguration {
        var copy = self
        copy.protection = .envelope
        return copy
    }

    /// With an older key in front of its own, which is a new one.
    func opened(by key: Key) -> ClinicConfiguration {
        var copy = self
        copy.keys = [key, .random()]
        return copy
    }

    /// The next release's: with a further key and a further version.
    var succeeded: ClinicConfiguration {
        var copy = self
        copy.keys.append(.random())
        copy.hasNotes = true
        return copy
    }
}
