package import Strongroom

/// A file that is not there and is made, with rows that its migrations bring.
package struct CreateWork: Work {
    package let name = "create"
    package let steps = 1
    package let beginsWithFile = false
    private static let rows = 30

    package init() {}

    private static let migrator = Migrator {
        Migration("1") { db in try db.execute("CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT NOT NULL)") }
        Migration("2") { db in
            for id in 1...rows { try db.execute("INSERT INTO place VALUES (\(id), \("place \(id)"))") }
        }
    }

    package func prepare(in place: Place) async throws -> Store? { nil }

    package func run(in place: Place, acknowledge: @escaping Acknowledge) async throws {
        try await using(place, firstKeys(), Self.migrator) { _ in acknowledge(1) }
    }

    package func look(in place: Place) async throws -> Sight {
        guard place.hasFile else { return .nothing }
        return try await using(place, firstKeys(), nil) { store in
            try await store.read { db in
                var rows: [String] = []
                try db.forEachRow("SELECT id, name FROM place ORDER BY id") { row in
                    rows.append("\(try row[0] as Int) \(try row[1] as String)")
                }
                return try Sight(step: 1, rows: rows, checking: db)
            }
        }
    }

    package func rows(after step: Int) -> [String] {
        step < 1 ? [] : (1...Self.rows).map { "\($0) place \($0)" }
    }
}
