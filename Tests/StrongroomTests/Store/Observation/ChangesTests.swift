import Strongroom
import StrongroomTesting
import Testing

@Suite("Changes of tables, told after the commit", .ending)
struct ChangesTests {
    @Table("line", in: "lines.sqlite")
    struct Line {
        @Column(primaryKey: true) var number: Int
    }

    @Table("other", in: "lines.sqlite")
    struct Other {
        var id: Int64?
        var line: Int
    }

    @Table("word", in: "lines.sqlite")
    struct Word {
        @Column(primaryKey: true) var text: String
    }

    private func fixture() async throws -> LineStore {
        let fixture = try await LineStore(readers: 2)
        try await fixture.store.write { db in
            try db.createTable(Other.schema)
            try db.execute(
                "CREATE TRIGGER copy AFTER DELETE ON line BEGIN INSERT INTO other (line) VALUES (old.number); END")
        }
        return fixture
    }

    @Test func eachWayOfWritingIsToldAndOthersAreNot() async throws {
        let store = try await fixture().store
        try await store.write { db in for number in 0..<10 { try addLine(number, db) } }
        var lines = store.changes(in: Line.self).makeAsyncIterator()
        var others = store.changes(in: Other.self).makeAsyncIterator()
        try await store.write { db in try addLine(10, db) }
        #expect(try await lines.next() != nil)
        try await store.write { db in _ = try Line.insert(Line(number: 11), in: db) }
        #expect(try await lines.next() != nil)
        try await store.write { db in
            _ = try Line.where { $0.number == 11 }.update(in: db) { [$0.number.set(12)] }
        }
        #expect(try await lines.next() != nil)
        try await store.write(as: .immediate) { db in
            try db.savepoint { db in try db.execute("UPDATE \"LINE\" SET number = 13 WHERE number = 12") }
        }
        #expect(try await lines.next() != nil)
        // A trigger writes the other one; the engine empties a table without looking at its rows.
        try await store.write { db in try db.execute("DELETE FROM line WHERE number = 13") }
        #expect(try await lines.next() != nil)
        #expect(try await others.next() != nil)
        try await store.write { db in _ = try Other.truncate(in: db) }
        #expect(try await others.next() != nil)
        try await store.close()
        #expect(try await lines.next() == nil)
        #expect(try await others.next() == nil)
    }

    /// SQLite 3.15.2 counts no row then.
    @Test func emptyingATableWithoutRowIDsIsTold() async throws {
        let store = try await fixture().store
        try await store.write { db in
            try db.execute("CREATE TABLE word (text TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID")
            try db.execute("INSERT INTO word VALUES ('a')")
        }
        var words = store.changes(in: Word.self).makeAsyncIterator()
        try await store.write { db in try db.execute("DELETE FROM word") }
        try await store.close()
        #expect(try await words.next() != nil)
        #expect(try await words.next() == nil)
    }

    @Test func theNewestValueIsToldWhenTheStoreIsClosed() async throws {
        let store = try await fixture().store
        var busy = store.values { db in try lineNumbers(db) }.makeAsyncIterator()
        var failing = store.values { db in
            if try !lineNumbers(db).isEmpty { throw Refusal(number: 1) }
        }.makeAsyncIterator()
        var satisfied = store.values { db in try Other.count(in: db) }.makeAsyncIterator()
        let seen = Locked<[Int]>([])
        let isFirst = Moment()
        let waiting = Task {
            for try await lines in store.values({ db in try lineNumbers(db) }) {
                seen.withLock { $0 = lines }
                isFirst.come()
            }
        }
        try await isFirst.wait()
        #expect(try await busy.next() == [])
        #expect(try await failing.next() != nil)
        #expect(try await satisfied.next() == 0)
        try await store.write { db in for number in 0..<3 { try addLine(number, db) } }
        try await store.close()
        try await waiting.value
        #expect(seen.withLock { $0 } == [0, 1, 2])
        #expect(try await busy.next() == [0, 1, 2])
        #expect(try await busy.next() == nil)
        await #expect(throws: Refusal(number: 1)) { try await failing.next() }
        #expect(try await failing.next() == nil)
        #expect(try await satisfied.next() == nil)
    }

    @Test func anEqualValueIsNotDeliveredAgainIfItsTypeIsEquatable() async throws {
        struct Plain: Sendable {
            let count: Int
        }
        let store = try await fixture().store
        try await store.write { db in try addLine(1, db) }
        var plain = store.values { db in Plain(count: try Line.count(in: db)) }.makeAsyncIterator()
        var numbers = store.values { db in try lineNumbers(db) }.makeAsyncIterator()
        var second = store.values { db in try lineNumbers(db).first { $0 > 1 } }.makeAsyncIterator()
        #expect(try await plain.next()?.count == 1)
        #expect(try await numbers.next() == [1])
        #expect(try await second.next() == .some(nil))
        try await store.write { db in try db.execute("UPDATE line SET number = number") }
        try await store.close()
        #expect(try await plain.next()?.count == 1)
        #expect(try await plain.next().map(\.count) == nil)
        #expect(try await numbers.next() == nil)
        #expect(try await second.next() == nil)
    }

    @Test func aValueThatCannotBeComparedSeparatesEqualOnes() async throws {
        struct Plain: Sendable {}
        let store = try await fixture().store
        var values = store.values { db -> any Sendable in
            let count = try Line.count(in: db)
            return count == 1 ? Plain() : 5
        }.makeAsyncIterator()
        #expect(try await values.next() as? Int == 5)
        try await store.write { db in try addLine(1, db) }
        #expect(try await values.next() is Plain)
        try await store.write { db in try addLine(2, db) }
        // The newest value is delivered still; without it the sequence ends.
        try await store.close()
        #expect(try await values.next() as? Int == 5)
    }

    /// It holds a reader, which closing waits for, and must not wait for the end of closing itself.
    @Test func aTaskThatReadsAStreamMeanwhileGetsTheNewestValueToo() async throws {
        let fixture = try await fixture()
        let store = fixture.store
        try await store.write { db in for number in 0..<5_000 { try addLine(number, db) } }
        var stream = store.stream(Line.order { $0.number.ascending }).makeAsyncIterator()
        #expect(try await stream.next()?.number == 0)
        var values = store.values { db in try Line.count(in: db) }.makeAsyncIterator()
        #expect(try await values.next() == 5_000)
        try await store.write { db in try addLine(5_000, db) }
        let close = Task { try await store.close() }
        try await fixture.untilRefusing()
        #expect(try await values.next() == 5_001)
        var others = store.values { db in try Other.count(in: db) }.makeAsyncIterator()
        #expect(try await others.next() == 0)
        while try await stream.next() != nil {}
        try await close.value
        #expect(try await values.next() == nil)
        #expect(try await others.next() == nil)
    }

    @Test func theNewestValueOfAStoreInMemoryIsToldToo() async throws {
        let store = try await Store.inMemory()
        try await store.write { db in try db.execute("CREATE TABLE note (text TEXT)") }
        var values = store.values { db in try db.value("SELECT count(*) FROM note", as: Int.self) }.makeAsyncIterator()
        #expect(try await values.next() == 0)
        try await store.write { db in try db.execute("INSERT INTO note VALUES ('a')") }
        try await store.close()
        #expect(try await values.next() == 1)
        #expect(try await values.next() == nil)
    }

    @Test func whatIsRolledBackOrChangesNoRowIsNotTold() async throws {
        let store = try await fixture().store
        try await store.write { db in try addLine(0, db) }
        var lines = store.changes(in: Line.self).makeAsyncIterator()
        await #expect(throws: Refusal(number: 1)) {
            try await store.write { db in
                try addLine(1, db)
                throw Refusal(number: 1)
            }
        }
        try await store.write { db in
            try addLine(1, db)
            try db.rollBack()
        }
        try await store.write { db in
            try db.execute("DELETE FROM line WHERE number = 77")
            try db.execute("UPDATE line SET number = 78 WHERE number = 77")
            _ = try Line.where { $0.number == 77 }.delete(in: db)
            try db.execute("INSERT OR IGNORE INTO line VALUES (0)")
        }
        try await store.write { db in _ = try lineNumbers(db) }
        _ = try await store.read { db in try lineNumbers(db) }
        try await store.close()
        #expect(try await lines.next() == nil)
    }

    @Test func manyCommitsCountAsOneForASlowConsumerAndTheLastIsNotLost() async throws {
        let store = try await fixture().store
        var lines = store.changes(in: Line.self).makeAsyncIterator()
        for number in 0..<20 { try await store.write { db in try addLine(number, db) } }
        try await store.close()
        #expect(try await lines.next() != nil)
        #expect(try await lines.next() == nil)
    }

    @Test func aGroupIsToldOnce() async throws {
        let fixture = try await fixture()
        let store = fixture.store
        var lines = store.changes(in: Line.self).makeAsyncIterator()
        let tasks = try await fixture.store.queued(0..<20) { number in
            try await store.write { db in
                try addLine(number, db)
                if number == 5 { throw Refusal(number: 5) }
            }
        }
        #expect(try await lines.next() != nil)
        for (number, task) in tasks.enumerated() where number != 5 { try await task.value }
        await #expect(throws: Refusal(number: 5)) { try await tasks[5].value }
        #expect(try await fixture.lines().count == 19)
        try await store.close()
        #expect(try await lines.next() == nil)
    }

    @Test func cancellingEndsTheWait() async throws {
        let fixture = try await fixture()
        for _ in 0..<50 {
            let task = Task {
                for try await _ in fixture.store.changes(in: Line.self) {}
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        try await fixture.store.write { db in try addLine(1, db) }
    }

    @Test func whatIsNotReadIsNoReasonForAValue() async throws {
        let fixture = try await fixture()
        let (store, reads) = (fixture.store, Tally())
        let watcher = Task {
            var found: [Int] = []
            let counts = store.values { db in
                reads.add()
                return try Line.count(in: db)
            }
            for try await count in counts { found.append(count) }
            return found
        }
        try await eventually { reads.value == 1 }
        for _ in 0..<20 { try await store.write { db in _ = try Other.truncate(in: db) } }
        try await store.write { db in try addLine(1, db) }
        try await eventually { reads.value == 2 }
        try await store.close()
        #expect(try await watcher.value == [0, 1])
        #expect(reads.value == 2)
    }

    @Test func theReadMayAskForOtherTablesFromTimeToTime() async throws {
        let store = try await fixture().store
        var values = store.values { db in
            let lines = try Line.count(in: db)
            return lines < 2 ? lines : 100 + (try Other.count(in: db))
        }.makeAsyncIterator()
        #expect(try await values.next() == 0)
        try await store.write { db in for number in 0..<2 { try addLine(number, db) } }
        #expect(try await values.next() == 100)
        try await store.write { db in _ = try Other.insert(Other(id: nil, line: 1), in: db) }
        #expect(try await values.next() == 101)
    }

    @Test func theNewestValueAlwaysArrives() async throws {
        let store = try await fixture().store
        let watchers = (0..<3).map { _ in
            Task {
                var (last, steps) = (-1, 0)
                for try await count in store.values({ db in try Line.count(in: db) }) {
                    // Never back, and never the same state out of order.
                    #expect(count >= last)
                    (last, steps) = (count, steps + 1)
                    if count == 300 { break }
                }
                return (last, steps)
            }
        }
        try await withThrowingTaskGroup { group in
            for task in 0..<6 {
                group.addTask {
                    for number in 0..<50 { try await store.write { db in try addLine(task * 50 + number, db) } }
                }
            }
            try await group.waitForAll()
        }
        for watcher in watchers {
            let (last, steps) = try await ending { try await watcher.value }
            #expect(last == 300 && steps <= 301)
        }
    }

    // MARK: What is told

    @Test func whatASavepointTakesBackIsNotTold() async throws {
        let store = try await fixture().store
        var lines = store.changes(in: Line.self).makeAsyncIterator()
        var others = store.changes(in: Other.self).makeAsyncIterator()
        try await store.write { db in
            do {
                try db.savepoint { db in
                    try addLine(1, db)
                    throw Refusal(number: 1)
                }
            } catch is Refusal {}
            _ = try Other.insert(Other(id: nil, line: 1), in: db)
        }
        #expect(try await others.next() != nil)
        // The same statement afterwards counts.
        try await store.write { db in
            do {
                try db.savepoint { db in
                    _ = try Other.insert(Other(id: nil, line: 2), in: db)
                    throw Refusal(number: 1)
                }
            } catch is Refusal {}
            _ = try Other.insert(Other(id: nil, line: 3), in: db)
        }
        #expect(try await others.next() != nil)
        try await store.close()
        #expect(try await lines.next() == nil)
    }

    @Test func aTriggerThatAnotherConnectionMakesCountsAlsoAfterWhatWasUndone() async throws {
        let store = try await fixture().store
        try await store.write { db in try addLine(1, db) }
        var others = store.changes(in: Other.self).makeAsyncIterator()
        var lines = store.changes(in: Line.self).makeAsyncIterator()
        try await store.write { db in
            try db.execute(
                "CREATE TRIGGER more AFTER INSERT ON line BEGIN INSERT INTO other (line) VALUES (new.number); END")
        }
        // What the kept statement does now is found out in a part that is undone, and counts for the next use all the
        // same.
        try await store.write { db in
            do {
                try db.savepoint { db in
                    try addLine(2, db)
                    try db.execute("UPDATE line SET number = number WHERE number = -1")
                    throw Refusal(number: 2)
                }
            } catch is Refusal {}
            try addLine(3, db)
        }
        #expect(try await others.next() != nil)
        #expect(try await lines.next() != nil)
        // Undone as a whole, and then once more.
        try await store.write { db in
            try db.execute("DROP TRIGGER more")
            try db.execute(
                "CREATE TRIGGER more AFTER INSERT ON line BEGIN UPDATE other SET line = new.number; END")
        }
        await #expect(throws: Refusal(number: 4)) {
            try await store.write { db in
                try addLine(4, db)
                throw Refusal(number: 4)
            }
        }
        try await store.write { db in try addLine(5, db) }
        #expect(try await others.next() != nil)
        try await store.close()
        #expect(try await others.next() == nil)
    }

    @Test func whatOpeningDidAndAnExplanationAreNoNews() async throws {
        let vault = Vault(keys: .numbered(1))
        try await vault.keep("a")
        let migrator = Migrator {
            Migration("1") { _ in }
            Migration("2") { db in try db.execute("INSERT INTO line VALUES ('b')") }
        }
        let store = try await vault.with(\.migrator, migrator).open()
        var lines = store.changes(in: Line.self).makeAsyncIterator()
        try await store.write { db in try db.execute("CREATE TABLE fresh (number)") }
        var plans = store.values { db in
            var count = 0
            try db.forEachRow("EXPLAIN QUERY PLAN SELECT count(*) FROM line") { _ in count += 1 }
            return count
        }.makeAsyncIterator()
        #expect(try await plans.next() == 1)
        try await store.close()
        #expect(try await lines.next() == nil)
    }

    @Test func aClosedStoreOfTheReadIsAFailureAndNoEnd() async throws {
        let (store, other) = (try await fixture().store, try await LineStore().store)
        try await other.close()
        await #expect(throws: StrongroomError.self) {
            for try await _ in store.values({ _ in try other.read { db in try lineNumbers(db) } }) {}
        }
    }

    @Test func aChangeOfTheTableItselfIsToldAndSoIsAViewOfIt() async throws {
        let store = try await fixture().store
        try await store.write { db in
            try db.execute("CREATE VIEW pairs AS SELECT line.number FROM line JOIN other ON other.line = line.number")
        }
        var pairs = store.values { db in try db.value("SELECT count(*) FROM pairs", as: Int.self) }.makeAsyncIterator()
        #expect(try await pairs.next() == 0)
        try await store.write { db in try addLine(1, db) }
        try await store.write { db in _ = try Other.insert(Other(id: nil, line: 1), in: db) }
        #expect(try await pairs.next() == 1)
        var lines = store.changes(in: Line.self).makeAsyncIterator()
        try await store.write { db in
            try db.execute("DROP VIEW pairs")
            try db.execute("ALTER TABLE line ADD COLUMN extra")
        }
        #expect(try await lines.next() != nil)
    }
}
