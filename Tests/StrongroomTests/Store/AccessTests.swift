import StrongroomTesting
import Testing

// A transaction that cannot be ended, and a worker without a store, cannot be had through the public interface.
@testable import Strongroom

@Suite("Connections that cannot be used any more")
struct AccessTests {
    @Test func aTransactionThatWasNotEndedIsNotHandedOn() async throws {
        let fixture = try await LineStore()
        let access = fixture.store.access
        try await access.perform(.write) { connection in
            try connection.run("CREATE TEMP TABLE mark (number)")
            try connection.run("BEGIN")
            try connection.run("INSERT INTO line VALUES (1)")
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

    @Test func aBlockingTransactionThatWasNotEndedIsNotHandedOnEither() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        await #expect(throws: Refusal(number: 1)) {
            try await onThread {
                try store.access.performBlocking(.write) { connection in
                    try connection.run("BEGIN IMMEDIATE")
                    try connection.run("INSERT INTO line VALUES (1)")
                    throw Refusal(number: 1)
                }
            }
        }
        try await store.write { db in try addLine(2, db) }
        #expect(try await fixture.lines() == [2])
    }

    @Test func aReadersSnapshotThatWasNotEndedIsNotHandedOn() async throws {
        let fixture = try await LineStore(readers: 1)
        try await fixture.store.access.perform(.read) { connection in
            try connection.run("BEGIN")
            _ = try connection.ownValue("SELECT count(*) FROM line")
        }
        try await fixture.store.write { db in try addLine(1, db) }
        // The old snapshot would show none.
        #expect(try await fixture.lines() == [1])
    }

    @Test func aConnectionThatIsInOrderIsKept() async throws {
        let fixture = try await LineStore()
        try await fixture.store.access.perform(.write) { connection in
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
        let access = Access(
            database: "lines.sqlite",
            readers: 1,
            writer: try Connection(path: path + "-other", mode: .create, database: "other"),
            open: { _ in
                attempts.add()
                if attempts.value < 3 { throw Refusal(number: attempts.value) }
                return try Connection(path: path + "-other", mode: .existing, database: "other")
            },
            whenClosed: {}
        )
        await #expect(throws: Refusal(number: 1)) { try await access.perform(.read) { _ in } }
        await #expect(throws: Refusal(number: 2)) { try await access.perform(.read) { _ in } }
        try await access.perform(.read) { _ in }
        try await access.perform(.read) { _ in }
        #expect(attempts.value == 3)
    }
}

@Suite("A closed store")
struct ClosedAccessTests {
    private final class Secret: Sendable {}

    private func access(
        in directory: TemporaryDirectory,
        whenClosed: @escaping @Sendable () -> Void = {},
        open: @escaping @Sendable (Connection.Role) throws -> Connection
    ) throws -> Access {
        let writer = try Connection(path: directory.path("other"), mode: .create, database: "other")
        return Access(database: "other", readers: 1, writer: writer, open: open, whenClosed: whenClosed)
    }

    @Test func whatOpensConnectionsIsLetGoOf() async throws {
        let directory = try TemporaryDirectory()
        weak var secret: Secret?
        func makeAccess() throws -> Access {
            let held = Secret()
            secret = held
            return try self.access(in: directory) { _ in
                _ = held
                return try Connection(path: directory.path("other"), mode: .existing, database: "other")
            }
        }
        let access = try makeAccess()
        try await access.perform(.read) { _ in }
        #expect(secret != nil)
        try await onThread { try access.close { _ in } }
        try await eventually { secret == nil }
        try await expectFailure(.closed) { try await access.perform(.read) { _ in } }
    }

    @Test func whoeverClosesIsToldOnceAlsoWhenTheLastWorkFails() async throws {
        let told = Tally()
        let access = try self.access(in: TemporaryDirectory(), whenClosed: { told.add() }) { _ in
            throw Refusal(number: 1)
        }
        await #expect(throws: Refusal(number: 2)) {
            try await onThread { try access.close { _ in throw Refusal(number: 2) } }
        }
        #expect(told.value == 1)
        // Closed all the same, and whoever closes it again has nothing to complain about.
        try await onThread { try access.close { _ in throw Refusal(number: 3) } }
        try await expectFailure(.closed) { try await access.perform(.write) { _ in } }
        #expect(told.value == 1)
    }
}

@Suite("A seat's thread")
struct SeatWorkerTests {
    @Test func jobsRunInOrderAndThoseBeforeTheStopAllRun() async throws {
        for _ in 0..<50 {
            let worker = SeatWorker(name: "strongroom.test")
            let (ran, last) = (Locked<[Int]>([]), Moment())
            for number in 0..<40 { worker.post { ran.withLock { $0.append(number) } } }
            worker.post { last.come() }
            worker.stop()
            try await last.wait()
            #expect(ran.withLock { $0 } == Array(0..<40))
        }
    }

    @Test func jobsFromManyThreadsAllRunOneAtATime() async throws {
        let worker = SeatWorker(name: "strongroom.test")
        let (running, ran) = (Tally(), Tally())
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    for _ in 0..<50 {
                        worker.post {
                            running.add()
                            ran.add()
                            running.add(-1)
                        }
                    }
                }
            }
        }
        try await eventually { ran.value == 1_000 }
        worker.stop()
        #expect(running.peak == 1)
    }

    @Test func aWorkerGoesAwayAfterItsStop() async throws {
        weak var started: SeatWorker?
        weak var idle: SeatWorker?
        do {
            let (worker, other) = (SeatWorker(name: "strongroom.test"), SeatWorker(name: "strongroom.test"))
            (started, idle) = (worker, other)
            worker.post {}
            worker.stop()
            other.stop()
        }
        try await eventually { started == nil }
        #expect(idle == nil)
    }
}
