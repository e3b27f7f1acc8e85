import StrongroomTesting
import Testing

// The number of connections to a file is not public.
@testable import Strongroom

@Suite("The connection that opened the file")
struct FirstConnectionTests {
    private let fixture: LineStore
    private let opened = Tally()

    /// Opens a store on an existing file, and counts the connections that it opens from then on.
    private func reopened(_ fixture: LineStore) async throws -> Store {
        try await fixture.store.close()
        let store = try await fixture.stores.open(LineStore.name)
        for slot in [store.pool.writer] + store.pool.readers {
            let open = slot.open
            slot.open = { [opened] role in
                opened.add()
                return try open(role)
            }
        }
        return store
    }

    init() async throws {
        fixture = try await LineStore(readers: 2)
        try await fixture.store.write { db in try addLine(1, db) }
    }

    @Test func isEnoughToRead() async throws {
        let store = try await reopened(fixture)
        for _ in 0..<2 { #expect(try await store.read { db in try lineNumbers(db) } == [1]) }
        #expect(opened.value == 0)
        #expect(store.statistics.openReaders == 1)
        try await expectFailure(.readOnly) {
            try await store.pool.perform(.read) { try $0.run("INSERT INTO line VALUES (2)") }
        }
        try await store.close()
        #expect(store.closeReport?.isComplete == true)
        #expect(!fixture.hasLog)
    }

    @Test func isTheWritersAgain() async throws {
        let store = try await reopened(fixture)
        #expect(try await store.read { db in try lineNumbers(db) } == [1])
        try await store.write { db in try addLine(2, db) }
        #expect(opened.value == 0)
        // The writer has it now.
        #expect(try await store.read { db in try lineNumbers(db) } == [1, 2])
        #expect(opened.value == 1)
        try await store.close()
        #expect(!fixture.hasLog)
    }

    @Test func staysWithAReaderThatIsInUse() async throws {
        let store = try await reopened(fixture)
        let (isInside, canEnd) = (Moment(), Moment())
        let reader = Task {
            try await store.read { db in
                let before = try lineNumbers(db)
                isInside.come()
                try canEnd.block()
                return try (before, lineNumbers(db))
            }
        }
        try await isInside.wait()
        try await store.write { db in try addLine(2, db) }
        #expect(opened.value == 1)
        canEnd.come()
        #expect(try await reader.value == ([1], [1]))
        #expect(try await store.read { db in try lineNumbers(db) } == [1, 2])
        #expect(opened.value == 1)
        try await store.close()
        #expect(!fixture.hasLog)
    }

    @Test func isNotAReadersWhileTheStoreIsObserved() async throws {
        let store = try await reopened(fixture)
        var values = store.values { db in try lineNumbers(db) }.makeAsyncIterator()
        #expect(try await values.next() == [1])
        #expect(store.pool.writer.connection != nil)
        try await store.write { db in try addLine(2, db) }
        #expect(try await values.next() == [1, 2])
    }
}
