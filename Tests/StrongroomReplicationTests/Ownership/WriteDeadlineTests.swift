import Strongroom
import StrongroomTesting
import Testing

/// The right to write ends at a moment, whatever else the process does.
@Suite struct WriteDeadlineTests {
    private static let late = StrongroomError(.notOwner, "The lease has ended.")

    /// A moment that has passed by one clock, or by none.
    enum Clock: CaseIterable, Sendable {
        case monotonic, wall

        var passed: WriteDeadline {
            let hour = Duration.seconds(3_600)
            switch self {
            // The wall clock was put back.
            case .monotonic: return WriteDeadline(instant: .now - .seconds(1), time: WriteDeadline.time + 3_600_000)
            // The machine was paused.
            case .wall: return WriteDeadline(instant: .now + hour, time: WriteDeadline.time - 1)
            }
        }
    }

    private static var ahead: WriteDeadline {
        WriteDeadline(instant: .now + .seconds(3_600), time: WriteDeadline.time + 3_600_000)
    }

    @Test(arguments: Clock.allCases)
    func `a write after the deadline is refused`(clock: Clock) async throws {
        let store = try await Clinic().open()
        store.allowWrites(until: Self.ahead, then: Self.late)
        try await store.add(1...1)
        store.allowWrites(until: clock.passed, then: Self.late)
        #expect(await failureCode { try await store.add(2...2) } == .notOwner)
        store.allowWrites(until: nil, then: Self.late)
        #expect(await failureCode { try await store.add(3...3) } == .notOwner)
        #expect(try await store.patients().count == 1)
        store.allowWrites(until: Self.ahead, then: Self.late)
        try await store.add(4...4)
        try await store.close()
    }

    @Test(arguments: [WriteKind.shared, .immediate, .deferred])
    func `a write that begins in time and ends too late is undone`(kind: WriteKind) async throws {
        let store = try await Clinic().open()
        let isRefused = await failureCode {
            try await store.write(as: kind) { db in
                try db.execute("INSERT INTO patient VALUES (1, 'Ann')")
                store.allowWrites(until: Clock.monotonic.passed, then: Self.late)
            }
        }
        #expect(isRefused == .notOwner)
        #expect(try await store.patients().isEmpty)
        store.allowWrites(until: Self.ahead, then: Self.late)
        try await store.add(2...2)
        #expect(try await store.patients().count == 1)
        try await store.close()
    }

    @Test func `writes that share a transaction fail together when it ends too late`() async throws {
        let store = try await Clinic().open()
        let outcomes = await withTaskGroup(of: StrongroomError.Code?.self) { group in
            for id in 1...8 as ClosedRange<Int64> {
                group.addTask {
                    await failureCode {
                        try await store.write { db in
                            try db.execute("INSERT INTO patient VALUES (\(id), 'Ann')")
                            store.allowWrites(until: Clock.wall.passed, then: Self.late)
                        }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0 == .notOwner })
        #expect(try await store.patients().isEmpty)
        try await store.close()
    }

    @Test func `a store that has lost its right gets it back by no deadline`() async throws {
        let store = try await Clinic().open()
        store.refuseWrites(StrongroomError(.notOwner, "Another host writes."))
        store.allowWrites(until: Self.ahead, then: Self.late)
        #expect(await failureCode { try await store.add(1...1) } == .notOwner)
        try await store.close()
    }
}
