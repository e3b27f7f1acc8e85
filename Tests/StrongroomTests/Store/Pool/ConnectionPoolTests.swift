import StrongroomTesting
import Testing

// A transaction that cannot be ended cannot be had through the public interface.
@testable import Strongroom

@Suite("Connections that cannot be used any more")
struct ConnectionPoolTests {
    @Test(arguments: [false, true])
    func aTransactionThatWasNotEndedIsNotHandedOn(isBlocking: Bool) async throws {
        let fixture = try await LineStore()
        let pool = fixture.store.pool
        @Sendable func begin(_ connection: Connection) throws {
            try connection.run("CREATE TEMP TABLE mark (number)")
            try connection.run("BEGIN")
            try connection.run("INSERT INTO line VALUES (1)")
            if isBlocking { throw Refusal(number: 1) }
        }
        if isBlocking {
            await #expect(throws: Refusal(number: 1)) {
                try await onThread { try pool.performBlocking(.ungroupedWrite) { try begin($0) } }
            }
        } else {
            try await pool.perform(.ungroupedWrite) { try begin($0) }
        }
        // Another connection: neither the transaction nor what belonged to the connection is there.
        try await fixture.store.write { db in
            try expectFailure(.sql) { try db.value("SELECT count(*) FROM mark", as: Int.self) }
            try addLine(2, db)
        }
        #expect(try await fixture.lines() == [2])
        try await fixture.store.close()
        #expect(!fixture.hasLog)
    }

    @Test func aReadersSnapshotThatWasNotEndedIsNotHandedOn() async throws {
        let fixture = try await LineStore(readers: 1)
        try await fixture.store.pool.perform(.read) { connection in
            try connection.run("BEGIN")
            _ = try connection.ownValue("SELECT count(*) FROM line")
        }
        try await fixture.store.write { db in try addLine(1, db) }
        // The old snapshot would show none.
        #expect(try await fixture.lines() == [1])
    }

    @Test func aConnectionThatIsInOrderIsKept() async throws {
        let fixture = try await LineStore()
        try await fixture.store.pool.perform(.ungroupedWrite) { connection in
            try connection.run("CREATE TEMP TABLE mark (number)")
        }
        await #expect(throws: Refusal(number: 1)) {
            try await fixture.store.write { _ in throw Refusal(number: 1) }
        }
        let count = try await fixture.store.write { db in try db.value("SELECT count(*) FROM mark", as: Int.self) }
        #expect(count == 0)
    }

    @Test func aReaderThatCannotBeOpenedIsTriedAgain() async throws {
        let writer = try await LineStore()
        let attempts = Tally()
        let path = writer.store.path
        let pool = ConnectionPool(
            try DatabaseName("lines.sqlite"),
            settings: StoreSettings(readers: 1),
            writer: try Connection(path: path + "-other", mode: .create, database: "other"),
            open: { _ in
                attempts.add()
                if attempts.value < 3 { throw Refusal(number: attempts.value) }
                return try Connection(path: path + "-other", mode: .existing, database: "other")
            },
            whenClosed: {}
        )
        // Otherwise the first reader would take the writer's connection.
        try await pool.perform(.ungroupedWrite) { _ in }
        await #expect(throws: Refusal(number: 1)) { try await pool.perform(.read) { _ in } }
        await #expect(throws: Refusal(number: 2)) { try await pool.perform(.read) { _ in } }
        try await pool.perform(.read) { _ in }
        try await pool.perform(.read) { _ in }
        #expect(attempts.value == 3)
    }
}

@Suite("A closed store")
struct ClosedAccessTests {
    private final class Secret: Sendable {}

    private func pool(
        in directory: TemporaryDirectory,
        whenClosed: @escaping @Sendable () -> Void = {},
        open: @escaping @Sendable (Connection.Role) throws -> Connection
    ) throws -> ConnectionPool {
        let writer = try Connection(path: directory.path("other"), mode: .create, database: "other")
        let settings = StoreSettings(readers: 1)
        return ConnectionPool(
            try DatabaseName("other"), settings: settings, writer: writer, open: open, whenClosed: whenClosed)
    }

    @Test func whatOpensConnectionsIsLetGoOf() async throws {
        let directory = try TemporaryDirectory()
        weak var secret: Secret?
        func makeAccess() throws -> ConnectionPool {
            let held = Secret()
            secret = held
            return try self.pool(in: directory) { _ in
                _ = held
                return try Connection(path: directory.path("other"), mode: .existing, database: "other")
            }
        }
        let pool = try makeAccess()
        try await pool.perform(.read) { _ in }
        #expect(secret != nil)
        try await onThread { try pool.close { _ in CheckpointReport(isComplete: true, pagesLeft: 0) } }
        try await eventually { secret == nil }
        try await expectFailure(.closed) { try await pool.perform(.read) { _ in } }
    }

    @Test func closingIsReportedOnceAlsoIfTheLastWorkFails() async throws {
        let told = Tally()
        let pool = try self.pool(in: TemporaryDirectory(), whenClosed: { told.add() }) { _ in
            throw Refusal(number: 1)
        }
        await #expect(throws: Refusal(number: 2)) {
            try await onThread { try pool.close { _ in throw Refusal(number: 2) } }
        }
        #expect(told.value == 1)
        // Closed all the same, and whoever closes it again has nothing to complain about.
        try await onThread { try pool.close { _ in throw Refusal(number: 3) } }
        try await expectFailure(.closed) { try await pool.perform(.ungroupedWrite) { _ in } }
        #expect(told.value == 1)
    }
}
