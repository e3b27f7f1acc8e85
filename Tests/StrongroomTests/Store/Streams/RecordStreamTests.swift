import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Records one after the other", .ending)
struct RecordStreamTests {
    @Table("line", in: "lines.sqlite")
    struct Line: Equatable {
        @Column(primaryKey: true) var number: Int
    }

    private func fixture(_ count: Int, readers: Int = 1) async throws -> LineStore {
        let fixture = try await LineStore(readers: readers)
        try await fixture.store.write { db in
            for number in 0..<count { try addLine(number, db) }
        }
        return fixture
    }

    private static let sorted = Line.order { $0.number.ascending }

    @Test(arguments: [0, 1, 255, 256, 257, 511, 512, 513, 768, 769, 3_000])
    func allComeInTheirOrder(count: Int) async throws {
        let store = try await fixture(count).store
        for _ in 0..<2 {
            var found: [Int] = []
            for try await line in store.stream(Self.sorted) { found.append(line.number) }
            #expect(found == Array(0..<count))
        }
        // The reader is free.
        #expect(try await store.table(Line.self).count() == count)
    }

    @Test func whatIsWrittenMeanwhileIsNotSeen() async throws {
        let fixture = try await fixture(1_000)
        var found = 0
        for try await line in fixture.store.stream(Self.sorted) {
            if line.number == 0 { try await fixture.store.write { db in try db.execute("DELETE FROM line") } }
            found += 1
        }
        #expect(found == 1_000)
        #expect(try await fixture.lines() == [])
    }

    @Test func leavingTheLoopGivesTheReaderBack() async throws {
        let fixture = try await fixture(2_000)
        // Within batches, and at their ends.
        for last in Array(stride(from: 50, to: 1_000, by: 50)) + [0, 255, 256, 511, 512, 767, 768, 1_999] {
            for try await line in fixture.store.stream(Self.sorted) where line.number == last { break }
            #expect(try await fixture.lines().count == 2_000)
        }
    }

    @Test func loopsThatRestShareTheReaders() async throws {
        let fixture = try await fixture(1_500, readers: 2)
        let sums = try await withThrowingTaskGroup(of: Int.self) { group in
            for loop in 1...8 {
                group.addTask {
                    var sum = 0
                    for try await line in fixture.store.stream(Self.sorted) {
                        sum += line.number
                        // Some loops wait for their reader, others let it wait.
                        if line.number.isMultiple(of: 40 * loop) { await Task.yield() }
                        if loop > 4, line.number.isMultiple(of: 500) { try await Task.sleep(for: .milliseconds(5)) }
                    }
                    return sum
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sums == Array(repeating: (0..<1_500).reduce(0, +), count: 8))
        #expect(try await fixture.lines().count == 1_500)
    }

    @Test func aReaderIsTakenOnlyWhileTheRecordsAreRead() async throws {
        let fixture = try await fixture(10)
        let stream = fixture.store.stream(Self.sorted)
        var iterator = stream.makeAsyncIterator()
        #expect(try await fixture.lines().count == 10)
        while try await iterator.next() != nil {}
        #expect(try await fixture.lines().count == 10)
        #expect(try await iterator.next() == nil)
    }

    @Test func cancellingEndsItAndGivesTheReaderBack() async throws {
        let fixture = try await fixture(3_000)
        for _ in 0..<10 {
            let hasBegun = Moment()
            let task = Task {
                var count = 0
                for try await _ in fixture.store.stream(Self.sorted) {
                    count += 1
                    if count == 300 {
                        hasBegun.come()
                        while !Task.isCancelled { await Task.yield() }
                    }
                }
            }
            try await hasBegun.wait()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await fixture.lines().count == 3_000)
        }
    }

    /// The batch after the next one is being read when the loop ends, and would never be full.
    @Test(arguments: [false, true]) func whatIsReadAheadIsStopped(isCancelled: Bool) async throws {
        let fixture = try await fixture(600)
        let endless: SQL = """
            number < 600 OR \
            (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n) = 0
            """
        try await fixture.store.write { db in try addLine(600, db) }
        let stream = fixture.store.stream(Line.where { _ in Condition(endless) }.order { $0.number.ascending })
        let task = Task {
            var count = 0
            for try await _ in stream {
                count += 1
                // In the second batch, so that the third one has begun.
                if count == 300, !isCancelled { break }
                if count == 300 { withUnsafeCurrentTask { $0?.cancel() } }
            }
            return count
        }
        if isCancelled {
            await #expect(throws: CancellationError.self) { try await task.value }
        } else {
            #expect(try await task.value == 300)
        }
        #expect(try await fixture.lines().count == 601)
    }

    @Test func aValueThatDoesNotFitEndsItAndIsNamed() async throws {
        let fixture = try await fixture(600)
        try await fixture.store.write { db in try db.execute("UPDATE line SET number = 'none' WHERE number = 599") }
        let found = Locked<[Int]>([])
        let failure = try await expectFailure(.typeMismatch) {
            for try await line in fixture.store.stream(Query<Line>()) { found.withLock { $0.append(line.number) } }
        }
        // Those of the batches before, which have up to 256 records.
        let numbers = found.withLock { $0 }
        #expect(numbers == Array(0..<numbers.count) && numbers.count > 599 - 256)
        #expect(failure.mismatch?.table == "line" && failure.mismatch?.column == "number")
        #expect(try await fixture.store.table(Line.self).count() == 600)
    }

    @Test func closingWaitsForTheLoop() async throws {
        let fixture = try await fixture(1_000, readers: 2)
        let (hasBegun, canGoOn) = (Moment(), Moment())
        let loop = Task {
            var count = 0
            for try await _ in fixture.store.stream(Self.sorted) {
                count += 1
                if count == 1 {
                    hasBegun.come()
                    try await canGoOn.wait()
                }
            }
            return count
        }
        try await hasBegun.wait()
        let closing = Task { try await fixture.store.close() }
        try await fixture.untilRefusing()
        canGoOn.come()
        #expect(try await loop.value == 1_000)
        try await closing.value
    }
}

@Suite("Values in parts, as sequences")
struct BlobPartsTests {
    @Table("document")
    struct Document {
        var id: Int64?
        var name: String
        var content: Data?
    }

    private static let all = (0..<70_001).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) }

    private static func append(to blob: inout BlobWriter) throws {
        for start in stride(from: 0, to: all.count, by: 10_000) {
            try blob.append(Data(all[start..<min(start + 10_000, all.count)]))
        }
    }

    /// A store with one document.
    private static func document(
        _ content: Data?, isInMemory: Bool = false
    ) async throws -> (Store, StoreTable<Document>, Int64) {
        let store =
            isInMemory
            ? try await Store.inMemory(Document.self) : try await TemporaryStore(tables: [Document.schema]).store
        let key = try await store.write { db in try Document.insert(Document(name: "a", content: content), in: db) }
        return (store, store.table(Document.self), key)
    }

    @Test(arguments: [1_000, 70_001, 1 << 18])
    func `a value is written in parts, and read in parts`(partSize: Int) async throws {
        let (_, documents, key) = try await Self.document(nil)
        try await documents.writeBlob(\.content, of: key, size: Self.all.count) { try Self.append(to: &$0) }
        var (read, count) = ([UInt8](), 0)
        for try await part in documents.bytes(of: key, \.content, partSize: partSize) {
            #expect(!part.isEmpty && part.count <= partSize)
            read += part
            count += 1
        }
        #expect(read == Self.all)
        #expect(count == (Self.all.count + partSize - 1) / partSize)
    }

    @Test(arguments: [false, true])
    func `the parts are from one snapshot, whatever is written meanwhile`(isInMemory: Bool) async throws {
        let (store, documents, key) = try await Self.document(Data(Self.all), isInMemory: isInMemory)
        var read: [UInt8] = []
        for try await part in documents.bytes(of: key, \.content, partSize: 30_000) {
            read += part
            try await store.write { db in try Document.delete(key, in: db) }
        }
        #expect(read == Self.all)
        try await expectFailure(.noSuchRow) {
            for try await _ in documents.bytes(of: key, \.content) {}
        }
    }

    @Test func `an empty value has no part, and NULL is an error`() async throws {
        let (_, documents, key) = try await Self.document(nil)
        try await expectFailure(.typeMismatch) {
            for try await _ in documents.bytes(of: key, \.content) {}
        }
        try await documents.writeBlob(\.content, of: key, size: 0) { _ in }
        for try await _ in documents.bytes(of: key, \.content) { Issue.record("a part") }
        #expect(try await documents.find(key)?.content == Data())
        try await expectFailure(.invalidArgument) {
            for try await _ in documents.bytes(of: key, \.content, partSize: 0) {}
        }
    }

    @Test func `a write that fails, is too short or too long keeps the previous value`() async throws {
        struct Halt: Error {}
        let (_, documents, key) = try await Self.document(Data([1]))
        await #expect(throws: Halt.self) {
            try await documents.writeBlob(\.content, of: key, size: 9) { blob in
                try blob.append([1, 2])
                throw Halt()
            }
        }
        for size in [Self.all.count - 1, Self.all.count + 1] {
            try await expectFailure(.invalidArgument) {
                try await documents.writeBlob(\.content, of: key, size: size) { try Self.append(to: &$0) }
            }
        }
        try await expectFailure(.noSuchRow) {
            try await documents.writeBlob(\.content, of: 77, size: 1) { try $0.append([1]) }
        }
        #expect(try await documents.find(key)?.content == Data([1]))
    }

    @Test func `a cancelled write keeps the value, a cancelled read releases its reader`() async throws {
        let (store, documents, key) = try await Self.document(Data(Self.all))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await documents.writeBlob(\.content, of: key, size: 2) { blob in
                try blob.append([1, 2])
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await documents.find(key)?.content == Data(Self.all))

        let reading = Task {
            for try await _ in documents.bytes(of: key, \.content, partSize: 100) { try await Task.sleep(for: .zero) }
        }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        try await store.close()
    }
}
