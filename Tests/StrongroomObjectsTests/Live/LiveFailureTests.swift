import Foundation
import Logging
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

@Suite("Objects that cannot save themselves", .ending)
struct LiveFailureTests {
    private typealias Failures = LiveTests.Failures

    @Test func aHandlerIsTold() async throws {
        try await ObjectHome.run { home async throws in
            var first = Beacon(text: "taken")
            try await first.save()
            let failures = Failures()
            do {
                _ = try await Live(Beacon(text: "taken"), saving: .onRelease, onFailure: failures.handler)
            }
            try await home.stores.closeAll()
            // Closing has waited for the handler.
            let told = try #require(failures.list.first)
            #expect(failures.list.count == 1 && told.text == "taken")
            #expect((told.error as? StrongroomError)?.code == .constraint)
        }
    }

    @Test func closingWaitsUntilAHandlerHasBeenTold() async throws {
        let home = try ObjectHome()
        let (isTold, mayGo, wasTold) = (Moment(), Moment(), Moment())
        try await home.use { () async throws in
            let store = try await home.store
            var first = Beacon(text: "taken")
            try await first.save()
            do {
                _ = try await Live(Beacon(text: "taken"), saving: .onRelease) { _, _ in
                    isTold.come()
                    try? mayGo.block()
                    wasTold.come()
                }
            }
            try await isTold.wait()
            let close = Task {
                try await store.close()
                return wasTold.isPast
            }
            // Time to close too early; a right one does not depend on it.
            try await Task.sleep(for: .milliseconds(100))
            mayGo.come()
            #expect(try await close.value)
        }
    }

    @Test func otherwiseTheStoresLogger() async throws {
        try await ObjectHome.run { home async throws in
            var first = Beacon(text: "a secret text")
            try await first.save()
            _ = try await Live(Beacon(text: "a secret text"), saving: .onRelease)
            try await home.stores.closeAll()
            let entry = try #require(home.log.entries.first { $0.message == "an object could not be saved" })
            #expect(entry.level == .error && entry.metadata["table"] == "beacon")
            #expect(entry.metadata["error"]?.contains("constraint") == true)
            #expect(!entry.metadata.values.contains { $0.contains("secret") })
        }
    }

    @Test func aStoreThatIsClosedIsAFailure() async throws {
        try await ObjectHome.run { home async throws in
            let failures = Failures()
            do {
                let live = try await Live(Beacon(text: "a"), saving: .onRelease, onFailure: failures.handler)
                try await home.stores.closeAll()
                live.number = 1
                await #expect(throws: StrongroomError.self) { try await live.save() }
                #expect(live.hasChanges)
            }
            try await eventually { !failures.list.isEmpty }
            #expect((failures.list.first?.error as? StrongroomError)?.code == .closed)
        }
    }

    @Test func theChangesAreKeptAndTriedAgain() async throws {
        try await ObjectHome.run { home async throws in
            let (failures, clock, witness) = (Failures(), StepClock(), Beacon.Witness())
            witness.refuses.withLock { $0 = true }
            do {
                let live = try await Live(
                    Beacon(text: "a", witness: witness), saving: .debounced(.seconds(1)), clock: clock,
                    onFailure: failures.handler)
                live.number = 1
                try await eventually { clock.sleepers == 1 }
                clock.advance(by: .seconds(1))
                try await eventually { failures.list.count == 1 }
                #expect(live.hasChanges && live.id == nil)
                #expect(try await Beacon.count() == 0)
                await #expect(throws: Beacon.Witness.Refusal.self) { try await live.save() }
                witness.refuses.withLock { $0 = false }
            }
            try await home.store.write { _ in }
            #expect(try await Beacon.all().map(\.number) == [1])
            #expect(failures.list.count == 1)
        }
    }

    @Test func whatCouldNotBeSavedIsTriedAgainWhenTheStoreIsClosed() async throws {
        let home = try ObjectHome()
        try await home.use { () async throws in
            let (failures, clock, witness) = (Failures(), StepClock(), Beacon.Witness())
            witness.refuses.withLock { $0 = true }
            let live = try await Live(
                Beacon(text: "a", witness: witness), saving: .debounced(.seconds(1)), clock: clock,
                onFailure: failures.handler)
            try await eventually { clock.sleepers == 1 }
            clock.advance(by: .seconds(1))
            try await eventually { failures.list.count == 1 }
            witness.refuses.withLock { $0 = false }
            try await home.stores.closeAll()
            #expect(!live.hasChanges && live.id != nil)
            #expect(try await Beacon.all().map(\.text) == ["a"])
            #expect(failures.list.count == 1)
        }
        try await home.stores.closeAll()
    }

    @Test func aHandlerThatWouldWaitForItselfIsToldSo() async throws {
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            let codes = Locked<[StrongroomError.Code?]>([])
            let note: @Sendable (() throws -> Void) -> Void = { work in
                do {
                    try work()
                    codes.withLock { $0.append(nil) }
                } catch {
                    codes.withLock { $0.append((error as? StrongroomError)?.code) }
                }
            }
            var first = Beacon(text: "taken")
            try await first.save()
            do {
                _ = try await Live(Beacon(text: "taken"), saving: .onRelease) { _, _ in
                    note { try store.close() }
                    note { try store.read { _ in } }
                    note { try store.write { _ in } }
                }
            }
            try await ending { try await store.close() }
            #expect(codes.withLock { $0 } == [.nestedAccess, .nestedAccess, .nestedAccess])
        }
    }

    @Test func oneObjectNeverBecomesTwoRows() async throws {
        try await ObjectHome.run { home async throws in
            do {
                let live = try await Live(Beacon(text: "a"), saving: .onRelease)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 1...100 {
                        group.addTask {
                            // Another text each time: a second row would find no constraint in its way.
                            live.change {
                                $0.text = "\(number)"; $0.number += 1
                            }
                            try await live.save()
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(live.number == 100 && live.id == 1 && !live.hasChanges)
                live.number = 101
            }
            try await home.store.write { _ in }
            #expect(try await Beacon.all().map(\.number) == [101])
        }
    }

    /// A row whose foreign key is looked at when the transaction is committed.
    @Table("reply", in: "objects.sqlite")
    struct Reply: Equatable {
        var id: Int64?
        @Column(references: Reference("reply")) var to: Int64?
        var text: String

        static let hooks: RecordHooks<Reply>? = RecordHooks().willSave { _, db in
            try db.execute("PRAGMA defer_foreign_keys = 1")
        }
    }

    /// The key of a row that was undone may become another row's; saving must not overwrite that one.
    @Test func theKeyOfASaveThatIsUndoneIsNotKept() async throws {
        try await ObjectHome.run { home async throws in
            let live = try await Live(Reply(to: 99, text: "live"))
            do {
                try await live.save()
                Issue.record("a reply to nothing was saved")
            } catch let error as StrongroomError {
                #expect(error.code == .constraint)
            }
            #expect(live.id == nil && live.hasChanges)
            var other = Reply(text: "other")
            try await other.save()
            #expect(other.id == 1)
            live.to = nil
            #expect(try await live.save() == .inserted)
            #expect(live.id == 2)
            #expect(try await Reply.all() == [other, live.value])
        }
    }

    @Test func whatIsChangedWhileItIsSavedIsSavedNext() async throws {
        try await ObjectHome.run { home async throws in
            try await Beacon.prepare()
            let store = try await home.store
            let live = Live(Beacon(text: "a"), in: store)
            try await live.save()
            live.number = 1
            let mayGo = Moment()
            let write = try await store.occupied(until: mayGo)
            let second = Task { try await live.save() }
            live.number = 2
            mayGo.come()
            _ = try await (write.value, second.value)
            #expect(try await Beacon.find(1)?.number == 2)
            #expect(live.id == 1 && live.number == 2)
        }
    }
}

/// A clock that only the test moves.
final class StepClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [UUID: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    }

    private let state = Locked(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }

    /// How many sleep.
    var sleepers: Int { state.withLock { $0.sleepers.count } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let mustSleep = state.withLock { state in
                    guard state.now < deadline, !Task.isCancelled else { return false }
                    state.sleepers[id] = (deadline, continuation)
                    return true
                }
                if !mustSleep { continuation.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves on, and wakes those whose time has come.
    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let woken = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in woken.keys { state.sleepers[id] = nil }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }
}
