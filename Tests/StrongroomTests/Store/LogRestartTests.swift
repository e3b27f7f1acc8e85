import StrongroomTesting
import Testing

// Internal: how long a checkpoint waits is nobody's to say.
@testable import Strongroom

@Suite("A log that is too long", .ending)
struct LogRestartTests {
    @Test func isBegunAnewWhenThoseWhoReadItHaveEnded() async throws {
        let directory = try TemporaryDirectory()
        try await Vault(directory.path("files"), keys: .numbered(1)).using { store in
            let (isWritten, isReading, mayEnd) = (Moment(), Moment(), Moment())
            let (isInTheFile, isBack) = (Moment(), Moment())
            let checkpoint = Task {
                try await store.pool.perform(.ungroupedWrite) { connection in
                    try connection.begin(.immediate)
                    try connection.run(
                        """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) \
                        INSERT INTO line (text) SELECT hex(zeroblob(100000)) FROM n
                        """)
                    try connection.commit()
                    let length = connection.wal.length
                    isWritten.come()
                    try isReading.block()
                    // So that nothing is left to do but to wait.
                    try connection.run("PRAGMA wal_checkpoint(PASSIVE)")
                    isInTheFile.come()
                    connection.checkpointIfDue(patience: 1_000 * Patience.seconds)
                    isBack.come()
                    return length
                }
            }
            try await isWritten.wait()
            let reader = Task {
                try await store.read { db in
                    let count = try db.value("SELECT count(*) FROM line", as: Int.self)
                    isReading.come()
                    try mayEnd.block()
                    return count
                }
            }
            try await isInTheFile.wait()
            // Somebody still reads from the log.
            for _ in 0..<5 { await linger() }
            #expect(!isBack.isPast)
            mayEnd.come()
            #expect(try await reader.value == 100)
            #expect(try await checkpoint.value > Connection.WALState.tooLong)
            try await store.write { db in try db.execute("INSERT INTO line (text) VALUES ('after')") }
            let length = try await store.pool.perform(.ungroupedWrite) { $0.wal.length }
            #expect(length < 100)
        }
    }
}
