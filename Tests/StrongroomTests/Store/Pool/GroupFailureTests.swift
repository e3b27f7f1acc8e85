import Testing

// A file that may not grow cannot be had through the public interface.
@testable import Strongroom

@Suite("What goes wrong in a shared transaction", .ending)
struct GroupFailureTests {
    /// Lets the file grow by a few pages and no more.
    private func limitSize(of store: Store) async throws {
        try await store.pool.perform(.ungroupedWrite) { connection in
            guard case .integer(let pages)? = try connection.ownValue("PRAGMA page_count") else {
                throw Refusal(number: 0)
            }
            try connection.run("PRAGMA max_page_count = \(pages + 5)")
        }
    }

    /// One that swallows the failure is not reported as done either.
    @Test(arguments: [false, true])
    func whenTheEngineRollsEverythingBackAllThrowAndThoseAfterGoOn(isSwallowed: Bool) async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        try await store.write { db in try db.execute("CREATE TABLE large (content)") }
        try await limitSize(of: store)
        let canEnd = Moment()
        let first = try await store.holdWriter(until: canEnd) { db in try addLine(1, db) }
        let second = try await store.waiting { try await store.write { db in try addLine(2, db) } }
        let failing = try await store.waiting {
            try await store.write { db in
                try addLine(3, db)
                do { try db.execute("INSERT INTO large VALUES (zeroblob(1000000))") } catch  where isSwallowed {}
            }
        }
        let after = try await store.waiting { try await store.write { db in try addLine(4, db) } }
        canEnd.come()
        for task in [first, second] { try await expectFailure(.diskFull) { try await task.value } }
        try await expectFailure(isSwallowed ? .transactionEnded : .diskFull) { try await failing.value }
        try await after.value
        #expect(try await fixture.lines() == [4])
    }

    private static let rollbacks: [SQL] = [
        "INSERT OR ROLLBACK INTO once VALUES (1)",
        "INSERT INTO once VALUES (-1)",
        "UPDATE OR ROLLBACK once SET number = 1",
    ]

    @Test("One write's ROLLBACK ends the transaction of the others with an error", arguments: [false, true])
    func aRollbackIsNotTheOthersConstraint(isSwallowed: Bool) async throws {
        for statement in Self.rollbacks {
            let fixture = try await LineStore()
            let store = fixture.store
            try await store.write { db in
                try db.execute("CREATE TABLE once (number INTEGER UNIQUE)")
                try db.execute("INSERT INTO once VALUES (1), (2)")
                try db.execute(
                    """
                    CREATE TRIGGER refuse BEFORE INSERT ON once WHEN new.number < 0
                    BEGIN SELECT RAISE(ROLLBACK, 'refused'); END
                    """)
            }
            let canEnd = Moment()
            let holder = try await store.holdWriter(until: canEnd)
            let before = try await store.waiting { try await store.write { db in try addLine(1, db) } }
            let failing = try await store.waiting {
                try await store.write { db in
                    try addLine(2, db)
                    do { try db.execute(statement) } catch  where isSwallowed {}
                }
            }
            let after = try await store.waiting { try await store.write { db in try addLine(3, db) } }
            canEnd.come()
            for task in [holder, before] {
                let error = try await expectFailure(.transactionEnded) { try await task.value }
                #expect(error.constraint == nil && error.message.contains("Run it again"))
                #expect(!error.description.contains("once") && !error.description.contains("refused"))
            }
            try await expectFailure(isSwallowed ? .transactionEnded : .constraint) { try await failing.value }
            try await after.value
            #expect(try await fixture.lines() == [3])
            // Run again, it is kept.
            try await store.write { db in try addLine(1, db) }
            #expect(try await fixture.lines() == [1, 3])
        }
    }

    @Test func whatOneHasAskedOfTheForeignKeysDoesNotHoldForTheNext() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        try await store.write { db in
            try db.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
            try db.execute("CREATE TABLE child (parent REFERENCES parent (id))")
        }
        for round in 0..<2 {
            let canEnd = Moment()
            let holder = try await store.holdWriter(until: canEnd)
            let deferring = try await store.waiting {
                try await store.write { db in
                    try db.execute("PRAGMA defer_foreign_keys = ON")
                    try db.execute("INSERT INTO child VALUES (\(round))")
                    try db.execute("INSERT INTO parent VALUES (\(round))")
                }
            }
            let next = try await store.waiting {
                try await store.write { db in
                    try expectFailure(.constraint) { try db.execute("INSERT INTO child VALUES (1000)") }
                    try addLine(round, db)
                }
            }
            canEnd.come()
            for task in [holder, deferring, next] { try await task.value }
        }
        #expect(try await fixture.lines() == [0, 1])
    }

    @Test func aCancelledReadingStatementIsStoppedAndTheOthersAreKept() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        for round in 0..<5 {
            let (canEnd, isRunning) = (Moment(), Moment())
            let holder = try await store.holdWriter(until: canEnd)
            let before = try await store.waiting { try await store.write { db in try addLine(round * 10, db) } }
            let long = try await store.waiting {
                try await store.write { db in
                    try addLine(round * 10 + 1, db)
                    isRunning.come()
                    _ = try db.value(SQL.endless, as: Int.self)
                }
            }
            let after = try await store.waiting { try await store.write { db in try addLine(round * 10 + 2, db) } }
            canEnd.come()
            try await isRunning.wait()
            long.cancel()
            await #expect(throws: CancellationError.self) { try await long.value }
            for task in [holder, before, after] { try await task.value }
        }
        let kept: [Int] = (0..<5).flatMap { (number: Int) -> [Int] in [number * 10, number * 10 + 2] }
        #expect(try await fixture.lines() == kept)
    }

    @Test func aCancelledWritingStatementRunsToItsEndAndOnlyItIsRolledBack() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let (canEnd, isRunning, canGoOn) = (Moment(), Moment(), Moment())
        let holder = try await store.holdWriter(until: canEnd)
        let before = try await store.waiting { try await store.write { db in try addLine(-1, db) } }
        let long = try await store.waiting {
            try await store.write { db in
                isRunning.come()
                try canGoOn.block()
                try db.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) INSERT INTO line \
                    SELECT i FROM n
                    """)
                try addLine(-2, db)
            }
        }
        let after = try await store.waiting { try await store.write { db in try addLine(-3, db) } }
        canEnd.come()
        try await isRunning.wait()
        canGoOn.come()
        long.cancel()
        await #expect(throws: CancellationError.self) { try await long.value }
        for task in [holder, before, after] { try await task.value }
        #expect(try await fixture.lines() == [-3, -1])
    }
}
