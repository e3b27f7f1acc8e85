import Strongroom
import Testing

@Suite("Reads and writes with a limit of time", .ending)
struct TimeoutTests {
    private static let endless: SQL = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
        """

    @Test func aTimeoutNamesTheHoldersOfTheReaders() async throws {
        let store = try await LineStore(readers: 2).store
        let (first, second, canEnd) = (Moment(), Moment(), Moment())
        let holders = [
            Task {
                try await store.read(label: "the export") { _ in
                    first.come()
                    try canEnd.block()
                }
            },
            Task {
                try await store.read { _ in
                    second.come()
                    try canEnd.block()
                }
            },
        ]
        try await first.wait()
        try await second.wait()
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
        #expect(try await store.read(timeout: .seconds(1_000)) { db in try lineNumbers(db) } == [])
    }

    @Test func aTimeoutNamesTheHolderOfTheWriter() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let (isInside, canEnd) = (Moment(), Moment())
        let holder = Task {
            try await store.write(label: "the import") { _ in
                isInside.come()
                try canEnd.block()
            }
        }
        try await isInside.wait()
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
                    try db.value(Self.endless, as: Int.self)
                }
            }.message
            limit *= 2
        }
        #expect(message.contains("the read \"the report\" took longer than"))
        try await expectFailure(.timedOut) {
            try await store.write(as: kind, timeout: .milliseconds(50)) { db in
                try addLine(1, db)
                _ = try db.value(Self.endless, as: Int.self)
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

    @Test func aLimitThatIsNotReachedChangesNothing() async throws {
        let fixture = try await LineStore()
        for number in 0..<50 {
            try await fixture.store.write(timeout: .seconds(1_000)) { db in try addLine(number, db) }
        }
        #expect(try await fixture.lines() == Array(0..<50))
    }

    @Test(arguments: [0, -5])
    func oneThatIsOverBeforeItWaitsIsToldAtOnce(milliseconds: Int) async throws {
        let fixture = try await LineStore(readers: 1)
        let store = fixture.store
        let canEnd = Moment()
        let holder = try await fixture.holdWriter(until: canEnd)
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
        let (isInside, canEnd) = (Moment(), Moment())
        let holder = Task {
            try await fixture.store.read(label: "the holder") { _ in
                isInside.come()
                try canEnd.block()
            }
        }
        try await isInside.wait()
        try await expectFailure(.timedOut, saying: "the holder") {
            for try await _ in fixture.store.stream(Query<RecordStreamTests.Line>(), timeout: .milliseconds(20)) {}
        }
        canEnd.come()
        try await holder.value
    }

    @Test func anEndlessLimitAndOneInThePastAreWhatTheySay() async throws {
        let fixture = try await LineStore()
        try await fixture.store.write(timeout: .seconds(Int64.max)) { db in try addLine(1, db) }
        // It may be done before anybody looks.
        do {
            try await fixture.store.write(timeout: .seconds(-1)) { db in _ = try db.value(Self.endless, as: Int.self) }
        } catch let error as StrongroomError where error.code == .timedOut {}
        #expect(try await fixture.lines() == [1])
    }
}
