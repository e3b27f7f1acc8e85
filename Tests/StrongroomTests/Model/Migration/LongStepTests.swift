import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Steps that take long", .ending)
struct LongStepTests {
    private let vault = Vault(keys: .numbered(1))

    private static let first = Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }

    @Test func stepsTellHowFarTheyHaveCome() async throws {
        let told = Locked<[WorkProgress]>([])
        let migrator = Migrator {
            Self.first
            Migration("2") { db in
                for number in 1...3 {
                    try db.execute("INSERT INTO line VALUES ('x')")
                    try db.report(number, of: 3)
                }
            }
        }.reporting { progress in told.withLock { $0.append(progress) } }
        try await vault.with(\.migrator, migrator).keep()
        let words = told.withLock { $0 }.map { progress in
            let step = progress.step.map { "\($0.version) \($0.number)/\($0.count)" }
            return "\(step ?? "none") \(progress.done)/\(progress.total)"
        }
        #expect(words == ["1 1/2 0/0", "2 2/2 0/0", "2 2/2 1/3", "2 2/2 2/3", "2 2/2 3/3"])
    }

    /// Each runs for ever, and tells when it has written.
    static let endless: [(name: String, step: @Sendable (borrowing MigrationTransaction, Moment) throws -> Void)] = [
        (
            "a loop that reports",
            { db, moment in
                try db.execute("INSERT INTO line VALUES ('half')")
                moment.come()
                while true { try db.report(0, of: 0) }
            }
        ),
        (
            "a loop of statements",
            { db, moment in
                try db.execute("INSERT INTO line VALUES ('half')")
                moment.come()
                while true { try db.execute("UPDATE line SET text = text") }
            }
        ),
        (
            "one statement",
            { db, moment in
                try db.execute("INSERT INTO line VALUES ('half')")
                moment.come()
                try db.execute(
                    """
                    DELETE FROM line WHERE (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                        SELECT count(*) FROM n) = 0
                    """)
            }
        ),
    ]

    private func migrator(_ number: Int, _ moment: Moment) -> Migrator {
        Migrator {
            Self.first
            Migration("2", { db in if !db.isDryRun { try Self.endless[number].step(db, moment) } }, down: { _ in })
        }
    }

    @Test(arguments: endless.indices)
    func anOpeningThatIsCancelledLeavesNothingOfTheStep(number: Int) async throws {
        try await vault.with(\.migrator, Migrator { Self.first }).keep("a")
        let before = try DirectorySnapshot(vault.directory)
        let moment = Moment()
        let endless = vault.with(\.migrator, migrator(number, moment))
        let opening = Task { try await endless.open() }
        try await moment.wait()
        opening.cancel()
        await #expect(throws: CancellationError.self) { try await opening.value }
        #expect(try DirectorySnapshot(vault.directory).names == before.names)
        let report = try await vault.with(\.migrator, Migrator { Self.first }).keep()
        #expect(report.migration == MigrationReport.expected(from: "1", to: "1", applied: []))
        #expect(try await vault.with(\.migrator, nil).lines() == ["a"])
    }

    @Test(arguments: endless.indices)
    func aMigrationThatIsCancelledLeavesNothingOfTheStepAndTheStoreGoesOn(number: Int) async throws {
        let moment = Moment()
        try await vault.with(\.migrator, Migrator { Self.first }).keep("a")
        try await vault.with(\.migrator, migrator(number, moment)).with(\.settings.migration, .manual).using { store in
            let migrating = Task { try await store.migrate() }
            try await moment.wait()
            migrating.cancel()
            await #expect(throws: CancellationError.self) { try await migrating.value }
            #expect(try await store.migrationPlan().applies == ["2"])
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('b')") }
        }
        #expect(try await vault.with(\.migrator, nil).lines() == ["a", "b"])
    }

    @Test func anOpeningContinuesAsLongAsATaskWaitsForIt() async throws {
        let (begun, mayEnd) = (Moment(), Moment())
        let migrator = Migrator {
            Self.first
            Migration("2") { db in
                begun.come()
                while !mayEnd.isPast { try db.report(0, of: 1) }
            }
        }
        let stores = try Stores(vault.with(\.migrator, migrator))
        let impatient = Task { try await stores.open("vault.sqlite") }
        let patient = Task { try await stores.open("vault.sqlite") }
        try await begun.wait()
        // Both wait before one of them is cancelled.
        try await Task.sleep(for: .milliseconds(100))
        impatient.cancel()
        mayEnd.come()
        #expect(try await patient.value.opening.migration?.to == "2")
        _ = await impatient.result
        try await stores.closeAll()
    }

    @Test func aRequestAfterACancelledOpeningGetsTheStore() async throws {
        let begun = Moment()
        let isCancelled = Locked(false)
        let migrator = Migrator {
            Self.first
            Migration("2") { db in
                guard !isCancelled.withLock({ $0 }) else { return }
                begun.come()
                while true { try db.report(0, of: 1) }
            }
        }
        let stores = try Stores(vault.with(\.migrator, migrator))
        let first = Task { try await stores.open("vault.sqlite") }
        try await begun.wait()
        isCancelled.withLock { $0 = true }
        first.cancel()
        let store = try await stores.open("vault.sqlite")
        #expect(store.opening.migration?.to == "2")
        await #expect(throws: CancellationError.self) { try await first.value }
        try await stores.closeAll()
    }
}
