import Foundation
import Strongroom
import Testing

@Suite("Writes that wait share a transaction", .ending)
struct GroupCommitTests {
    @Test func allThatWaitAreCommittedAtOnceInTheOrderOfTheirArrival() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let before = store.statistics
        let tasks = try await store.queued(0..<50) { number in
            try await store.write { db in
                let seen = try lineNumbers(db)
                try addLine(number, db)
                return seen
            }
        }
        for (number, task) in tasks.enumerated() { #expect(try await task.value == Array(0..<number)) }
        let after = store.statistics
        #expect(after.writes - before.writes == 51)
        #expect(after.waits - before.waits == 50)
        #expect(after.commits - before.commits == 1)
        #expect(after.largestGroup == 51)
        #expect(try await fixture.lines() == Array(0..<50))
    }

    @Table("stamp")
    struct Stamp {
        var id: Int64?
        @Column(kept: .created) var created: Date?
    }

    @Test func eachWriteHasATimeOfItsOwn() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        try await store.write { db in try db.createTable(Stamp.schema) }
        let tasks = try await store.queued(0..<3) { _ in
            try await store.write { db in
                // The clock has gone on since the write before.
                usleep(1000)
                let start = Date()
                var stamp = Stamp()
                try Stamp.save(&stamp, .insert, in: db)
                return try #require(stamp.created) >= start
            }
        }
        for task in tasks { #expect(try await task.value) }
        #expect(store.statistics.largestGroup == 4)
    }

    @Test func aTransactionThatHasTakenWritesForItsTimeTakesNoMore() async throws {
        let fixture = try await LineStore(groupDuration: .zero)
        let store = fixture.store
        let before = store.statistics
        let tasks = try await store.queued(0..<10) { number in
            try await store.write { db in try addLine(number, db) }
        }
        for task in tasks { try await task.value }
        #expect(store.statistics.commits - before.commits == 11)
        #expect(store.statistics.largestGroup == 1)
        #expect(try await fixture.lines() == Array(0..<10))
    }

    @Test func onlyTheFailedWriteIsRolledBack() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let tasks = try await store.queued(0..<20) { number in
            try await store.write { db in
                try addLine(number, db)
                if number % 3 == 1 { throw Refusal(number: number) }
                // A row that is there: a failure of the engine's.
                if number % 3 == 2 { try addLine(0, db) }
            }
        }
        for (number, task) in tasks.enumerated() {
            switch number % 3 {
            case 0: try await task.value
            case 1: await #expect(throws: Refusal(number: number)) { try await task.value }
            default: try await expectFailure(.constraint) { try await task.value }
            }
        }
        #expect(try await fixture.lines() == [0, 3, 6, 9, 12, 15, 18])
    }

    @Test func theFirstMayThrowAndTheOthersGoOn() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let (isInside, canEnd) = (Moment(), Moment())
        let first = Task {
            try await store.write { db in
                try addLine(-1, db)
                isInside.come()
                try canEnd.block()
                throw Refusal(number: -1)
            }
        }
        try await isInside.wait()
        let others = try await store.waiting(0..<3) { number in
            try await store.write { db in try addLine(number, db) }
        }
        canEnd.come()
        await #expect(throws: Refusal(number: -1)) { try await first.value }
        for other in others { try await other.value }
        #expect(try await fixture.lines() == [0, 1, 2])
    }

    @Test func noneReturnsBeforeTheCommit() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let (canEnd, isSecondInside, canSecondEnd) = (Moment(), Moment(), Moment())
        let isFirstDone = Moment()
        let holder = try await store.holdWriter(until: canEnd)
        let first = try await store.waiting {
            try await store.write { db in try addLine(1, db) }
            isFirstDone.come()
        }
        let second = try await store.waiting {
            try await store.write { db in
                isSecondInside.come()
                try canSecondEnd.block()
            }
        }
        canEnd.come()
        try await isSecondInside.wait()
        #expect(try await fixture.lines() == [] && !isFirstDone.isPast)
        canSecondEnd.come()
        try await holder.value
        try await first.value
        try await second.value
        #expect(try await fixture.lines() == [1])
    }

    @Test(arguments: [WriteKind.immediate, .deferred])
    func oneThatWantsATransactionOfItsOwnHasIt(kind: WriteKind) async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let canEnd = Moment()
        let holder = try await store.holdWriter(until: canEnd)
        let shared = try await store.waiting { try await store.write { db in try addLine(1, db) } }
        let alone = try await store.waiting {
            // What was written before it is committed: another connection sees it.
            try await store.write(as: kind) { db in try addLine(2, db) }
            return try await fixture.lines()
        }
        let after = try await store.waiting { try await store.write { db in try addLine(3, db) } }
        canEnd.come()
        try await holder.value
        try await shared.value
        #expect(try await alone.value.starts(with: [1, 2]))
        try await after.value
        #expect(try await fixture.lines() == [1, 2, 3])
        await #expect(throws: Refusal(number: 4)) {
            try await store.write(as: kind) { db in
                try addLine(4, db)
                throw Refusal(number: 4)
            }
        }
        #expect(try await fixture.lines() == [1, 2, 3])
    }

    @Test func blockingWritesShareToo() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let canEnd = Moment()
        let holder = try await store.holdWriter(until: canEnd)
        let waits = store.statistics.waits
        let threads = (0..<8).map { number in
            Task {
                try await onThread {
                    try store.write { db in
                        try addLine(number, db)
                        if number == 3 { throw Refusal(number: 3) }
                        return number
                    }
                }
            }
        }
        try await eventually { store.statistics.waits == waits + 8 }
        let task = try await store.waiting { try await store.write { db in try addLine(8, db) } }
        canEnd.come()
        try await holder.value
        try await task.value
        for (number, thread) in threads.enumerated() where number != 3 { #expect(try await thread.value == number) }
        await #expect(throws: Refusal(number: 3)) { try await threads[3].value }
        #expect(try await fixture.lines() == [0, 1, 2, 4, 5, 6, 7, 8])
        #expect(store.statistics.largestGroup > 1)
    }

    @Test func aFailureOfTheCommitIsDetectedBeforeAndFailsOnlyItsWrite() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        try await store.write { db in
            try db.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
            try db.execute("CREATE TABLE child (parent REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)")
        }
        // The first of a transaction, and one in a savepoint.
        for isFirst in [true, false] {
            let canEnd = Moment()
            let isInside = Moment()
            let bad = { @Sendable (db: borrowing WriteTransaction) throws in
                try db.execute("INSERT INTO child VALUES (7)")
                if isFirst {
                    isInside.come()
                    try canEnd.block()
                }
            }
            let holder = isFirst ? nil : try await store.holdWriter(until: canEnd)
            let failing: Task<Void, any Error>
            if isFirst {
                failing = Task { try await store.write { db in try bad(db) } }
                try await isInside.wait()
            } else {
                failing = try await store.waiting { try await store.write { db in try bad(db) } }
            }
            let fine = try await store.waiting(0..<3) { number in
                try await store.write { db in try addLine(isFirst ? number : 10 + number, db) }
            }
            canEnd.come()
            try await holder?.value
            let failure = await #expect(throws: StrongroomError.self) { try await failing.value }
            #expect(failure?.constraint?.kind == .foreignKey && failure?.constraint?.table == "child")
            for task in fine { try await task.value }
        }
        // Within the transaction the parent may come after the child.
        try await store.write { db in
            try db.execute("INSERT INTO child VALUES (8)")
            try db.execute("INSERT INTO parent VALUES (8)")
        }
        #expect(try await fixture.lines() == [0, 1, 2, 10, 11, 12])
        #expect(try await store.value("SELECT group_concat(parent) FROM child", as: String.self) == "8")
    }

    @Test func savepointsInsideAreUndoneAsEver() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let tasks = try await store.queued(0..<5) { number in
            try await store.write { db in
                try addLine(number * 10, db)
                #expect(throws: Refusal(number: number)) {
                    try db.savepoint { db in
                        try addLine(number * 10 + 1, db)
                        throw Refusal(number: number)
                    }
                }
            }
        }
        for task in tasks { try await task.value }
        #expect(try await fixture.lines() == [0, 10, 20, 30, 40])
    }

    @Test func whatWasReportedIsThereAndNothingElse() async throws {
        let fixture = try await LineStore(readers: 2)
        let store = fixture.store
        let kept = try await withThrowingTaskGroup(of: [Int].self) { group in
            for task in 0..<32 {
                group.addTask {
                    var kept: [Int] = []
                    for step in 0..<30 {
                        let number = task * 1_000 + step
                        do {
                            try await store.write(as: step % 10 == 9 ? .immediate : .shared) { db in
                                try addLine(number, db)
                                if (task + step) % 5 == 0 { throw Refusal(number: number) }
                            }
                            kept.append(number)
                        } catch is Refusal {}
                    }
                    return kept
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(try await fixture.lines() == kept.sorted())
        try await store.close()
        // The durable file says the same.
        let again = try await fixture.stores.open(LineStore.name)
        #expect(try await again.read { db in try lineNumbers(db) } == kept.sorted())
    }
}
