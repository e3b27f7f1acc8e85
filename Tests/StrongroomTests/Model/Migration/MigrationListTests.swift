import Strongroom
import StrongroomTesting
import Testing

/// The list of a migrator is built with `if`, `switch` and `for`.
struct MigrationListTests {
    private enum Kind { case plain, traced }

    private static func migrator(_ kind: Kind, years: ClosedRange<Int>, isLast: Bool) -> Migrator {
        Migrator {
            Migration("first") { db in try db.execute("CREATE TABLE first (a)") }
            for year in years {
                Migration("year \(year)") { db in try db.execute("CREATE TABLE \(name: "letters_\(year)") (a)") }
            }
            switch kind {
            case .plain: Migration("plain") { db in try db.execute("CREATE TABLE plain (a)") }
            case .traced:
                Migration("trace") { db in try db.execute("CREATE TABLE trace (a)") }
                Migration("more trace") { db in try db.execute("ALTER TABLE trace ADD COLUMN b") }
            }
            if isLast {
                Migration("last") { db in try db.execute("CREATE TABLE last (a)") }
            }
            if kind == .traced {
                Migration("end of trace") { db in try db.execute("CREATE TABLE ended (a)") }
            } else {
                Migration("end") { db in try db.execute("CREATE TABLE ended (a)") }
            }
        }
    }

    @Test func theStepsStandInTheirOrder() async throws {
        let vault = Vault(keys: .numbered(1))
        let long = Self.migrator(.traced, years: 2024...2026, isLast: true)
        #expect(long.newestVersion == "end of trace")
        try await vault.with(\.migrator, long).using { store in
            let tables = try await store.read { db in try db.tableNames() }
            #expect(
                tables.sorted().filter { !$0.hasPrefix("_") && !$0.hasPrefix("strongroom") } == [
                    "ended", "first", "last", "letters_2024", "letters_2025", "letters_2026", "trace",
                ])
        }
    }

    /// A condition that changes between two openings is found, and the file is left alone.
    @Test func aStepThatIsMissingLaterIsAnError() async throws {
        let vault = Vault(keys: .numbered(1))
        try await vault.with(\.migrator, Self.migrator(.plain, years: 1...2, isLast: true)).using { _ in }
        for other in [
            Self.migrator(.plain, years: 1...1, isLast: true), Self.migrator(.plain, years: 1...2, isLast: false),
            Self.migrator(.traced, years: 1...2, isLast: true),
        ] {
            let changed = vault.with(\.migrator, other)
            await #expect(throws: StrongroomError.self) { try await changed.using { _ in } }
        }
        try await vault.with(\.migrator, Self.migrator(.plain, years: 1...2, isLast: true)).using { _ in }
    }
}
