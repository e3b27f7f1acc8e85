import Strongroom
import Testing

/// The versions that a file has been through.
struct RecordedVersions: Equatable {
    /// A row of the table in which a file keeps its versions.
    struct Entry: Equatable {
        let version: String
        let isCreated: Bool
    }

    let entries: [Entry]

    init(_ entries: (String, Bool)...) {
        self.entries = entries.map { Entry(version: $0.0, isCreated: $0.1) }
    }

    init(applied versions: [String]) {
        entries = versions.map { Entry(version: $0, isCreated: false) }
    }

    /// Reads the history of a vault's file, without a migrator, which might change it.
    init(of vault: Vault) async throws {
        entries = try await vault.with(\.migrator, nil).read { db in
            var entries: [Entry] = []
            try db.forEachRow(
                "SELECT version, created, applied_at, milliseconds FROM strongroom_migrations ORDER BY place"
            ) {
                row in
                let (version, created): (String, Int) = (try row[0], try row[1])
                let (time, milliseconds): (String, Int) = (try row[2], try row[3])
                #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
                #expect(milliseconds >= 0)
                entries.append(Entry(version: version, isCreated: created == 1))
            }
            return entries
        }
    }
}
