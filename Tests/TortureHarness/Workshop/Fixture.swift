import Foundation

/// The database with which each round begins, made once and copied.
struct Fixture {
    static let rows = 200

    /// The rows that it has.
    static func seed() -> WriterSession {
        let session = WriterSession("seed", groups: 1, rows: rows)
        session.acknowledgeAll()
        return session
    }

    private let template: Home

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Makes it: a key, a file of the engine's own shell, the schema by `migrate`, rows by `import`, and a backup.
    init(_ settings: Settings) throws {
        template = Home(path: "\(settings.directory)/fixture")
        try template.make()
        let round = Round(settings, template, RandomSource(seed: 0), planting: false)
        try Self.require(round.tool(["keys", "make", template.keyFile]))
        let shell = try round.engineShell()
        guard shell.run("CREATE TABLE t (a); DROP TABLE t; PRAGMA user_version = 0") != nil else {
            throw Failure(description: "the engine's shell made no database: \(shell.child.errors)")
        }
        shell.close()
        try Self.require(round.tool(["migrate", Home.database]))
        let seed = Self.seed()
        try Self.require(round.importing(seed))
        try Self.require(round.tool(["backup", Home.database, template.backup]))
        let rows = try round.read().get()
        guard round.ledger.compare(rows, "the fixture").isEmpty, rows.count == Self.rows else {
            throw Failure(description: "the fixture has other rows than were imported")
        }
    }

    private static func require(_ outcome: Outcome) throws {
        guard outcome.succeeded else { throw Failure(description: outcome.summary) }
    }

    /// A copy for a round.
    func copy(to path: String) throws -> Home {
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: template.path, toPath: path)
        let home = Home(path: path)
        try? FileManager.default.removeItem(atPath: home.scratch)
        try home.make()
        return home
    }
}
