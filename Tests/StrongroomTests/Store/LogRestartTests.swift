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

    /// The engine sorts all frames of the WAL before it finds that nothing may be copied.
    @Test func aCheckpointThatAReaderHindersIsNotTriedAfterEachCommit() throws {
        let directory = try TemporaryDirectory()
        func connect(as role: Connection.Role) throws -> Connection {
            let connection = try Connection(path: directory.path("log.sqlite"), mode: .create, database: "log.sqlite")
            try connection.configure(as: role, busyTimeout: 0)
            return connection
        }
        let writer = try connect(as: .writer)
        defer { writer.close() }
        writer.deferCheckpoints()
        try writer.run("PRAGMA synchronous = OFF")
        try writer.run("CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT)")
        try writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
        /// - Returns: How many checkpoints there were.
        func write(_ count: Int) throws -> Int {
            var checkpoints = 0
            for _ in 0..<count {
                try writer.inTransaction(.immediate) {
                    try writer.run("INSERT INTO line (text) VALUES (zeroblob(100))")
                }
                guard writer.isCheckpointDue else { continue }
                checkpoints += 1
                writer.checkpointIfDue(patience: 0)
            }
            return checkpoints
        }
        let reader = try connect(as: .reader)
        defer { reader.close() }
        // Of the file alone: the WAL is empty.
        try reader.beginSnapshot()
        let hindered = try write(3_500)
        #expect((1...4).contains(hindered))
        #expect(writer.wal.length >= 3_500)
        reader.rollBack()
        // It is made up for, and the WAL begins anew.
        #expect(try write(1_100) >= 1)
        #expect(writer.wal.length < 1_000)
        let lasting = try connect(as: .reader)
        defer { lasting.close() }
        #expect(try lasting.ownValue("SELECT count(*) FROM line") == .integer(4_600))
    }
}
