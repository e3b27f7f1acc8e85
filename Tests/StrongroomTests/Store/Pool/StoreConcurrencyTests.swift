import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Concurrent readers and the writer")
struct StoreConcurrencyTests {
    /// By default, one for each processor, and at least two.
    @Test(arguments: [1, 2, 5, 9, nil], [false, true])
    func asManyReadsRunAtTheSameTimeAsThereAreReaders(readers: Int?, isBlocking: Bool) async throws {
        let count = max(2, ProcessInfo.processInfo.activeProcessorCount)
        #expect(StoreSettings().readers == count)
        let store = try await LineStore(readers: readers).store
        let barrier = Barrier(readers ?? count)
        try await withThrowingTaskGroup { group in
            for _ in 0..<(readers ?? count) {
                group.addTask {
                    if isBlocking { return try await onThread { try store.read { _ in try barrier.block() } } }
                    try await store.read { db in
                        _ = try lineNumbers(db)
                        try barrier.block()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [(0, 1), (Int.min, 1), (.max, 1_024)])
    func readersAreAtLeastOneAndNotMoreThanAThousandOrSo(readers: Int, count: Int) async throws {
        #expect(StoreSettings(readers: readers).readers == count)
        var settings = StoreSettings(readers: 3)
        settings.readers = readers
        #expect(settings.readers == count)
        #expect(try await TemporaryStore(settings: settings).store.value("SELECT 1", as: Int.self) == 1)
    }

    @Test func neverMoreReadsRunThanThereAreReadersAndNeverMoreThanOneWrite() async throws {
        let store = try await LineStore(readers: 3).store
        let (reading, writing) = (Tally(), Tally())
        try await withThrowingTaskGroup { group in
            for number in 0..<120 {
                let tally = number % 2 == 0 ? reading : writing
                let body: @Sendable () -> Void = {
                    tally.add()
                    Thread.sleep(forTimeInterval: 0.000_2)
                    tally.add(-1)
                }
                group.addTask {
                    switch number % 4 {
                    case 0: try await store.read { _ in body() }
                    case 1: try await store.write { _ in body() }
                    case 2: try await onThread { try store.read { _ in body() } }
                    default: try await onThread { try store.write { _ in body() } }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(reading.peak <= 3)
        #expect(writing.peak == 1)
        #expect(reading.value == 0 && writing.value == 0)
    }

    @Test("Writes run in the order of their requests")
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func writesRunInOrder() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let areAsked = Moment()
        let holder = try await fixture.store.holdWriter(until: areAsked)
        try await store.read { _ in }
        let writers = (0..<50).map { number in
            // An immediate task has asked for the writer when this returns.
            Task.immediate {
                try await store.write { db in
                    _ = try db.execute("INSERT INTO line VALUES ((SELECT count(*) FROM line) * 1000 + \(number))")
                }
            }
        }
        areAsked.come()
        try await holder.value
        for writer in writers { try await writer.value }
        #expect(try await fixture.lines() == (0..<50).map { $0 * 1000 + $0 })
    }
}

@Suite("Five hundred tasks move money")
struct StoreTransferTests {
    private static let accounts = 20
    private static let each = 1_000

    @Test(arguments: [1, 4])
    func everySnapshotHasTheSameSum(readers: Int) async throws {
        let store = try await LineStore(readers: readers).store
        try await store.write { db in
            try db.execute("CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)")
            for id in 0..<Self.accounts { try db.execute("INSERT INTO account VALUES (\(id), \(Self.each))") }
        }
        let done = Tally()
        try await withThrowingTaskGroup { group in
            for number in 0..<500 {
                group.addTask {
                    switch number % 5 {
                    case 0: try await store.write { db in try Self.transfer(number, db) }
                    case 1: try await onThread { try store.write { db in try Self.transfer(number, db) } }
                    case 2: try await Self.failHalfWay(number, store)
                    case 3: try await store.read { db in try Self.checkSum(db) }
                    default: try await onThread { try store.read { db in try Self.checkSum(db) } }
                    }
                    done.add()
                }
            }
            try await group.waitForAll()
        }
        #expect(done.value == 500)
        try await store.read { db in try Self.checkSum(db) }
        #expect(try await store.lineCount() == 200)
    }

    private static func transfer(_ number: Int, _ db: borrowing WriteTransaction) throws {
        let (from, to) = (number % accounts, (number / accounts + number + 1) % accounts)
        try db.execute("UPDATE account SET balance = balance - \(number) WHERE id = \(from)")
        try db.execute("UPDATE account SET balance = balance + \(number) WHERE id = \(to)")
        try addLine(number, db)
    }

    private static func failHalfWay(_ number: Int, _ store: Store) async throws {
        do {
            try await store.write { db in
                try db.execute("UPDATE account SET balance = balance - 1 WHERE id = \(number % accounts)")
                throw Refusal(number: number)
            }
        } catch is Refusal {}
    }

    private static func checkSum(_ db: borrowing ReadTransaction) throws {
        // Two queries in one snapshot, with others' commits in between.
        for _ in 0..<2 {
            let sum = try db.value("SELECT sum(balance) FROM account", as: Int.self)
            guard sum == accounts * each else { throw Refusal(number: sum ?? -1) }
        }
    }
}

@Suite("Reads and writes with a limit of time", .ending)
struct TimeoutTests {
    @Test func aTimeoutNamesTheHoldersOfTheReaders() async throws {
        let store = try await LineStore(readers: 2).store
        let canEnd = Moment()
        let holders = try await [
            store.holdReader(label: "the export", until: canEnd), store.holdReader(until: canEnd),
        ]
        let failure = try await expectFailure(.timedOut) {
            try await store.read(label: "the screen", timeout: .milliseconds(20)) { _ in }
        }
        for word in ["the read \"the screen\"", "the read \"the export\" for", "a read without a label for"] {
            #expect(failure.message.contains(word))
        }
        try await expectFailure(.timedOut) {
            try await onThread { try store.read(timeout: .milliseconds(20)) { _ in } }
        }
        canEnd.come()
        for holder in holders { try await holder.value }
        #expect(try await store.read(timeout: .seconds(Int64.max)) { db in try lineNumbers(db) } == [])
    }

    @Test func aTimeoutNamesTheHolderOfTheWriter() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let canEnd = Moment()
        let holder = try await store.holdWriter(label: "the import", until: canEnd)
        try await expectFailure(.timedOut, saying: "the write \"the import\" for") {
            try await store.write(timeout: .milliseconds(20)) { db in try addLine(1, db) }
        }
        canEnd.come()
        try await holder.value
        #expect(try await fixture.lines() == [])
    }

    @Test(arguments: [WriteKind.shared, .immediate])
    func whatRunsTooLongIsStoppedAndUndone(kind: WriteKind) async throws {
        let fixture = try await LineStore(readers: 1)
        let store = fixture.store
        // On a machine that is busy it may not even have begun.
        var (message, limit) = ("was not begun", Duration.milliseconds(50))
        while message.contains("was not begun") {
            message = try await expectFailure(.timedOut) { [limit] in
                try await store.read(label: "the report", timeout: limit) { db in
                    try db.value(SQL.endless, as: Int.self)
                }
            }.message
            limit *= 2
        }
        #expect(message.contains("the read \"the report\" took longer than"))
        try await expectFailure(.timedOut) {
            try await store.write(as: kind, timeout: .milliseconds(50)) { db in
                try addLine(1, db)
                _ = try db.value(SQL.endless, as: Int.self)
            }
        }
        try await expectFailure(.timedOut) {
            try await onThread {
                try store.write(as: kind, timeout: .milliseconds(50)) { db in
                    for number in 2... { try addLine(number, db) }
                }
            }
        }
        #expect(try await fixture.lines() == [])
    }

    @Test(arguments: [0, -5])
    func oneThatIsOverBeforeItWaitsIsToldAtOnce(milliseconds: Int) async throws {
        let fixture = try await LineStore(readers: 1)
        let store = fixture.store
        let canEnd = Moment()
        let holder = try await fixture.store.holdWriter(until: canEnd)
        for _ in 0..<50 {
            try await expectFailure(.timedOut, saying: "was not begun") {
                try await store.write(timeout: .milliseconds(milliseconds)) { db in try addLine(1, db) }
            }
            try await expectFailure(.timedOut) {
                try await onThread {
                    try store.write(timeout: .milliseconds(milliseconds)) { db in try addLine(1, db) }
                }
            }
        }
        canEnd.come()
        try await holder.value
        #expect(try await fixture.lines() == [])
    }

    @Test func aStreamGivesUpWaitingForAReader() async throws {
        let fixture = try await LineStore(readers: 1)
        let canEnd = Moment()
        let holder = try await fixture.store.holdReader(label: "the holder", until: canEnd)
        try await expectFailure(.timedOut, saying: "the holder") {
            for try await _ in fixture.store.stream(Query<RecordStreamTests.Line>(), timeout: .milliseconds(20)) {}
        }
        canEnd.come()
        try await holder.value
    }
}
