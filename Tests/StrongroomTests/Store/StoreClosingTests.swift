import Strongroom
import Testing

@Suite("Closing a store")
struct StoreClosingTests {
    @Test func everyCallOfAClosedStoreThrows() async throws {
        let store = try await LineStore().store
        for _ in 0..<2 { try await store.close() }
        try await expectFailure(.closed) { try await store.read { _ in } }
        try await expectFailure(.closed) { try await store.write { _ in } }
        try await expectFailure(.closed) { for try await _ in store.stream(Query<RecordStreamTests.Line>()) {} }
        try await expectFailure(.closed) { try await store.checkpoint() }
        try await expectFailure(.closed) { try await store.vacuum() }
        try await expectFailure(.closed) { try await store.optimize() }
        try await expectFailure(.closed) { try await store.verify() }
        try await onThread {
            try store.close()
            try expectFailure(.closed) { try store.read { _ in } }
            let error = try expectFailure(.closed) { try store.write { _ in } }
            #expect(error.database == "lines.sqlite")
        }
    }

    @Test("Closing waits for what runs and for what was accepted")
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func closingWaitsForWhatWasAccepted() async throws {
        let fixture = try await LineStore(readers: 1)
        let (store, canEnd, isClosed) = (fixture.store, Moment(), Moment())
        let holder = try await fixture.store.holdWriter(until: canEnd)
        let accepted = (0..<5).map { number in
            // An immediate task has asked for the writer when this returns.
            Task.immediate { try await store.write { db in try addLine(number, db) } }
        }
        let closer = Task {
            try await store.close()
            isClosed.come()
        }
        try await fixture.untilRefusing()
        #expect(!isClosed.isPast)
        try await expectFailure(.closed) { try await store.write { _ in } }
        canEnd.come()
        try await closer.value
        try await holder.value
        for task in accepted { try await task.value }
        let again = try await Stores(fixture.configuration).open("lines.sqlite")
        #expect(try await again.read { db in try lineNumbers(db) } == [0, 1, 2, 3, 4])
    }

    @Test(arguments: [false, true])
    func everyCloseReturnsOnlyAfterTheStoreIsClosed(isBlocking: Bool) async throws {
        let fixture = try await LineStore()
        let (store, canEnd) = (fixture.store, Moment())
        let holder = try await fixture.store.holdWriter(until: canEnd)
        let (returned, tooEarly) = (Tally(), Tally())
        func close() async throws {
            if isBlocking { try await onThread { try store.close() } } else { try await store.close() }
            if !canEnd.isPast || fixture.hasLog { tooEarly.add() }
            returned.add()
        }
        try await withThrowingTaskGroup { group in
            group.addTask { try await close() }
            try await fixture.untilRefusing()
            for _ in 0..<10 { group.addTask { try await close() } }
            // Time for one that does not wait to give itself away; one that waits is not hurried.
            await linger()
            canEnd.come()
            try await group.waitForAll()
        }
        try await holder.value
        #expect(tooEarly.value == 0)
        #expect(returned.value == 11)
    }

    @Test func aTransactionThatRunsWhileOthersCloseIsTheLastOne() async throws {
        let fixture = try await LineStore()
        let (store, inside, isClosing) = (fixture.store, Moment(), Moment())
        let writer = Task {
            try await store.write { db in
                inside.come()
                try isClosing.block()
                // Closing waits for this closure, so this may not wait for it.
                try expectFailure(.nestedAccess) { try store.close() }
                try addLine(1, db)
            }
        }
        try await inside.wait()
        let closer = Task { try await store.close() }
        try await fixture.untilRefusing()
        isClosing.come()
        try await writer.value
        try await closer.value
    }

    @Test func operationsThatRaceWithClosingAreAllResumed() async throws {
        for _ in 0..<20 {
            let fixture = try await LineStore(readers: 2)
            let store = fixture.store
            let (done, refused) = (Tally(), Tally())
            await withTaskGroup { group in
                for number in 0..<30 {
                    group.addTask {
                        do {
                            switch number % 6 {
                            case 0: try await onThread { try store.write { db in try addLine(number, db) } }
                            case 1, 2: try await store.write { db in try addLine(number, db) }
                            case 3: _ = try await store.read { db in try lineNumbers(db) }
                            case 4: _ = try await onThread { try store.read { db in try lineNumbers(db) } }
                            default: try await store.close()
                            }
                            done.add()
                        } catch {
                            #expect((error as? StrongroomError)?.code == .closed, "\(error)")
                            refused.add()
                        }
                    }
                }
            }
            #expect(done.value + refused.value == 30)
            #expect(!fixture.hasLog)
        }
    }
}
