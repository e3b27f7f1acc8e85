import Strongroom
import Testing

/// What runs when its task is cancelled stops soon, and leaves the store as if it had never begun.
@Suite("Work that is cancelled while it runs", .ending)
struct CancelledWorkTests {
    /// Hours of counting.
    private static let endless: SQL = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
        """

    @Test func aStatementThatRunsIsStopped() async throws {
        let lines = try await LineStore(readers: 1)
        for _ in 0..<5 {
            let isRunning = Moment()
            let task = Task {
                try await lines.store.read { db in
                    isRunning.come()
                    return try db.value(Self.endless, as: Int.self)
                }
            }
            try await isRunning.wait()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // The one reader is free, and does not remember.
            #expect(try await lines.lines() == [])
            #expect(try await onThread { try lines.store.read { db in try lineNumbers(db) } } == [])
        }
        try await lines.store.close()
    }

    /// The cancellation comes at any moment around the beginning of a statement: between two of them an interrupt is
    /// forgotten.
    @Test func noMomentIsTooEarlyOrTooLate() async throws {
        let lines = try await LineStore(readers: 1)
        for round in 0..<60 {
            let isRunning = Moment()
            let task = Task {
                try await lines.store.read { db in
                    isRunning.come()
                    // Another text each time, so that it is prepared anew.
                    return try db.value(
                        "\(Self.endless) \(SQL(stringLiteral: "UNION ALL SELECT \(round)"))", as: Int.self)
                }
            }
            try await onThread {
                try isRunning.block()
                for _ in 0..<(round * 50) { _ = isRunning.isPast }
                task.cancel()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try await lines.lines() == [])
    }

    @Test func aWriteOfManyStatementsIsStoppedAndUndone() async throws {
        let lines = try await LineStore()
        try await lines.store.write { db in try db.execute("INSERT INTO line VALUES (-1)") }
        for _ in 0..<5 {
            let isRunning = Moment()
            let task = Task {
                try await lines.store.write { db in
                    for number in 0... {
                        try db.execute("INSERT INTO line VALUES (\(number))")
                        if number == 100 { isRunning.come() }
                    }
                }
            }
            try await isRunning.wait()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await lines.lines() == [-1])
        }
        try await lines.store.write { db in try db.execute("INSERT INTO line VALUES (7)") }
        _ = try await onThread { try lines.store.write { db in try db.execute("INSERT INTO line VALUES (8)") } }
        #expect(try await lines.lines() == [-1, 7, 8])
        try await lines.store.close()
    }

    @Test func aLongWriteIsStoppedAndUndone() async throws {
        let lines = try await LineStore()
        let isRunning = Moment()
        let task = Task {
            try await lines.store.write { db in
                try db.execute("INSERT INTO line VALUES (1)")
                isRunning.come()
                try db.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n) INSERT INTO line SELECT i FROM n
                    """)
            }
        }
        try await isRunning.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await lines.lines() == [])
        try await lines.store.close()
    }

    @Test func aLoopOverRowsThatWereCopiedIsStopped() async throws {
        let lines = try await LineStore()
        let (isRunning, isCancelled, met) = (Moment(), Moment(), Tally())
        let task = Task {
            try await lines.store.write { db in
                for number in 0..<100 { try addLine(number, db) }
                try db.forEachRow("SELECT number FROM line ORDER BY number") { _ in
                    met.add()
                    guard met.value == 1 else { return }
                    try db.execute("DELETE FROM line WHERE number = 99")
                    isRunning.come()
                    try isCancelled.block()
                }
            }
        }
        try await isRunning.wait()
        task.cancel()
        isCancelled.come()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(met.value == 1)
        #expect(try await lines.lines() == [])
        try await lines.store.close()
    }

    @Test func theNextOperationIsNotStopped() async throws {
        let lines = try await LineStore(readers: 1)
        for _ in 0..<300 {
            let cancelled = Task { try await lines.store.read { db in try lineNumbers(db) } }
            let next = Task { try await lines.store.read { db in try lineNumbers(db) } }
            cancelled.cancel()
            #expect(try await next.value == [])
            do { _ = try await cancelled.value } catch is CancellationError {}
        }
        try await lines.store.close()
    }

    @Test func theHolderIsNotStoppedWithAnOperationThatWaits() async throws {
        let lines = try await LineStore(readers: 1)
        let (isRunning, isCancelled) = (Moment(), Moment())
        let holder = Task {
            try await lines.store.read { db in
                isRunning.come()
                try isCancelled.block()
                return try lineNumbers(db)
            }
        }
        try await isRunning.wait()
        let waiter = Task { try await lines.store.read { db in try lineNumbers(db) } }
        try await eventually { lines.store.statistics.waits == 1 }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        isCancelled.come()
        #expect(try await holder.value == [])
        try await lines.store.close()
    }

    @Test func anErrorOfTheWorkItselfIsNotCoveredUp() async throws {
        struct Own: Error {}
        let lines = try await LineStore()
        let (isRunning, isCancelled) = (Moment(), Moment())
        let task = Task {
            try await lines.store.write { _ in
                isRunning.come()
                try isCancelled.block()
                throw Own()
            }
        }
        try await isRunning.wait()
        task.cancel()
        isCancelled.come()
        await #expect(throws: Own.self) { try await task.value }
        try await lines.store.close()
    }
}
