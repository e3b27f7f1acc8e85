import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Opening, closing and opening again")
struct StoresClosingTests {
    @Test func openingANameFromManyTasksGivesOneStore() async throws {
        let keys = Tally()
        let directory = try TemporaryDirectory()
        let stores = try Stores(LineConfiguration(directory) { keys.add() })
        let opened = try await withThrowingTaskGroup(of: Store.self) { group in
            for _ in 0..<20 { group.addTask { try await stores.open("lines.sqlite") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(opened.map { ObjectIdentifier($0) }).count == 1)
        #expect(keys.value == 1)
        try await stores.closeAll()
    }

    @Test func aClosedNameOpensAgain() async throws {
        let stores = try Stores(LineConfiguration(TemporaryDirectory()))
        let first = try await stores.open("lines.sqlite")
        try await first.write { db in try addLine(1, db) }
        try await first.close()
        let second = try await stores.open("lines.sqlite")
        #expect(first !== second)
        #expect(try await second.read { db in try lineNumbers(db) } == [1])
        try await expectFailure(.closed) { try await first.read { _ in } }
        try await stores.closeAll()
    }

    @Test func openingANameThatIsBeingClosedGivesAFreshStore() async throws {
        let fixture = try await LineStore()
        let (stores, first, canEnd) = (fixture.stores, fixture.store, Moment())
        let holder = try await fixture.holdWriter(until: canEnd)
        let closer = Task { try await first.close() }
        try await fixture.untilRefusing()
        let opener = Task { try await stores.open("lines.sqlite") }
        // Time for one that hands out the closing store.
        await linger()
        canEnd.come()
        let second = try await opener.value
        #expect(first !== second)
        try await second.write { db in try addLine(1, db) }
        try await closer.value
        try await holder.value
        #expect(try await stores.open("lines.sqlite") === second)
        try await stores.closeAll()
    }

    @Test func openingRacesWithClosingAndNeverGivesAClosedStore() async throws {
        let stores = try Stores(LineConfiguration(TemporaryDirectory(), readers: 1))
        let written = Tally()
        try await withThrowingTaskGroup { group in
            for task in 0..<6 {
                group.addTask {
                    for round in 0..<15 {
                        let store = try await stores.open("lines.sqlite")
                        do {
                            try await store.write { db in try addLine(task * 100 + round, db) }
                            written.add()
                        } catch let error as StrongroomError where error.code == .closed {
                            // Somebody closed it after it was handed out.
                        }
                        if (task + round) % 3 == 0 { try await store.close() }
                    }
                }
            }
            try await group.waitForAll()
        }
        let store = try await stores.open("lines.sqlite")
        #expect(try await store.read { db in try lineNumbers(db) }.count == written.value)
        try await stores.closeAll()
    }

    @Test func closeAllClosesEveryStoreAndTheRegistryStaysUsable() async throws {
        let stores = try Stores(LineConfiguration(TemporaryDirectory()))
        var opened: [Store] = []
        for name in ["lines.sqlite", "lines_a.sqlite", "lines_b.sqlite"] { opened.append(try await stores.open(name)) }
        try await stores.closeAll()
        for store in opened { try await expectFailure(.closed) { try await store.read { _ in } } }
        let again = try await stores.open("lines_a.sqlite")
        #expect(try await again.read { db in try lineNumbers(db) } == [])
        try await stores.closeAll()
        try await stores.closeAll()
    }

    @Test func closeAllWaitsForAnOpeningAndClosesIt() async throws {
        let (isOpening, canGoOn) = (Moment(), Moment())
        let stores = try Stores(
            LineConfiguration(TemporaryDirectory()) {
                isOpening.come()
                try await canGoOn.wait()
            })
        let opener = Task { try await stores.open("lines.sqlite") }
        try await isOpening.wait()
        let closer = Task {
            try await stores.closeAll()
            #expect(canGoOn.isPast)
        }
        // Time for one that does not wait.
        await linger()
        canGoOn.come()
        try await closer.value
        // What was opened is closed; the opener has that, or a fresh one that it may use.
        let store = try await opener.value
        try await stores.closeAll()
        try await expectFailure(.closed) { try await store.read { _ in } }
        #expect(!FileManager.default.fileExists(atPath: store.path + "-wal"))
    }

    @Test func anOpeningThatFailsCanBeTriedAgain() async throws {
        let attempts = Tally()
        let directory = try TemporaryDirectory()
        let stores = try Stores(
            LineConfiguration(directory) {
                attempts.add()
                if attempts.value == 1 { throw Refusal(number: 1) }
            })
        await #expect(throws: Refusal(number: 1)) { try await stores.open("lines.sqlite") }
        try await stores.closeAll()
        let store = try await stores.open("lines.sqlite")
        #expect(try await store.read { db in try lineNumbers(db) } == [])
        try await stores.closeAll()
    }

    @Test func aFileIsOpenInOneRegistryAtATime() async throws {
        let configuration = try LineConfiguration(TemporaryDirectory())
        let (one, other) = (try Stores(configuration), try Stores(configuration))
        let store = try await one.open("lines.sqlite")
        try await expectFailure(.alreadyOpen) { try await other.open("lines.sqlite") }
        // The refusal has taken nothing from the store that is open.
        try await store.write { db in try addLine(1, db) }
        try await store.close()
        let second = try await other.open("lines.sqlite")
        #expect(try await second.read { db in try lineNumbers(db) } == [1])
        try await expectFailure(.alreadyOpen) { try await one.open("lines.sqlite") }
        try await other.closeAll()
    }
}
