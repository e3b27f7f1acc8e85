@testable import Strongroom

/// A connection to an empty database in memory, which a reader prepares.
struct MemoryDatabase {
    let connection: Connection

    init(_ statements: String...) {
        do {
            connection = try Connection(path: ":memory:", mode: .create, database: ":memory:")
            for statement in statements { try connection.run(statement) }
        } catch {
            fatalError("no database in memory: \(error)")
        }
    }

    static let shared = MemoryDatabase()
}
