import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

/// What befalls an object while it is saved, deleted, or its store closed.
@Suite("Objects whose saves meet", .ending)
struct ObjectConflictTests {
    @Test func aSaveThatIsInTheLineBehindADeletionBringsNothingBack() async throws {
        try await ObjectHome.run { home async throws in
            try await Beacon.prepare()
            let store = try await home.store
            let witness = Beacon.Witness()
            let live = Live(Beacon(text: "a", witness: witness), saving: .manual, in: store)
            _ = try await live.save()
            live.number = 1
            let save = Locked<Task<Saved?, any Error>?>(nil)
            witness.whenDeleted.withLock {
                $0 = {
                    let before = store.statistics.waits
                    save.withLock { $0 = Task { try await live.save() } }
                    // It is in the line behind this transaction, which it joins.
                    while store.statistics.waits == before { usleep(1_000) }
                }
            }
            #expect(try await live.delete())
            let task = try #require(save.withLock { $0 })
            #expect(try await task.value == nil)
            #expect(try await Beacon.count() == 0)
        }
    }

    @Test func aSecondSaveOfOneChangeOverwritesNothing() async throws {
        try await ObjectHome.run { home async throws in
            try await Beacon.prepare()
            let store = try await home.store
            let live = Live(Beacon(text: "a"), saving: .onRelease, in: store)
            _ = try await live.save()
            live.number = 1
            // All of them wait for the writer, and share one commit.
            let (first, other, second) = try await store.queued { before in
                let first = Task { try await live.save() }
                before(1)
                let other = Task { try await store.write { db in _ = try Beacon.query.delete(in: db) } }
                before(2)
                let second = Task { try await live.save() }
                before(3)
                return (first, other, second)
            }
            #expect(try await first.value == .updated)
            try await other.value
            #expect(try await second.value == nil)
            #expect(try await Beacon.count() == 0 && !live.hasChanges)
        }
    }

    // MARK: Two objects of one row

    @Test func eachOfTwoObjectsSavesWhatItHasChanged() async throws {
        try await ObjectHome.run { home async throws in
            var beacon = Beacon(text: "a")
            try await beacon.save()
            let (first, second) = (try #require(try await Beacon.live(1)), try #require(try await Beacon.live(1)))
            first.number = 7
            second.text = "b"
            #expect(try await first.save() == .updated)
            #expect(try await second.save() == .updated)
            #expect(try await Beacon.find(1).map { "\($0.text) \($0.number)" } == "b 7")
            // What it has not changed it does not know, and does not write.
            second.text = "c"
            try await second.save()
            #expect(try await Beacon.find(1)?.number == 7)
        }
    }

    @Test func aChangeThatIsRevertedInTheSameCommitIsRevertedInTheRow() async throws {
        try await ObjectHome.run { home async throws in
            var beacon = Beacon(text: "a")
            try await beacon.save()
            let store = try await home.store
            let live = try #require(try await Beacon.live(1))
            live.number = 1
            // All of them share one commit.
            let (first, change, second) = try await store.queued { before in
                let first = Task { try await live.save() }
                before(1)
                let change = Task { try await store.write { _ in live.number = 0 } }
                before(2)
                let second = Task { try await live.save() }
                before(3)
                return (first, change, second)
            }
            _ = try await (first.value, change.value, second.value)
            #expect(try await Beacon.find(1)?.number == 0 && !live.hasChanges)
        }
    }

    @Test func oneWithAKeyThatNoRowHasIsInserted() async throws {
        try await ObjectHome.run { home async throws in
            try await Beacon.prepare()
            let store = try await home.store
            let live = Live(Beacon(id: 7, text: "a"), in: store)
            live.number = 1
            #expect(try await live.save() == .inserted)
            #expect(try await Beacon.find(7)?.number == 1)
        }
    }

    @Test func whatWasChangedBeforeItBecameAnObjectIsSavedToo() async throws {
        try await ObjectHome.run { home async throws in
            var beacon = Beacon(text: "a")
            try await beacon.save()
            beacon.text = "b"
            let live = Live(beacon, in: try await home.store)
            live.number = 1
            #expect(try await live.save() == .updated)
            #expect(try await Beacon.find(1).map { "\($0.text) \($0.number)" } == "b 1")
        }
    }

    @Test func aTextOfOtherBytesIsAChange() async throws {
        try await ObjectHome.run { home async throws in
            var beacon = Beacon(text: "\u{e9}")
            try await beacon.save()
            let live = try #require(try await Beacon.live(1))
            live.text = "e\u{301}"
            try await live.save()
            #expect(try await Beacon.find(1)?.text.utf8.count == 3)
        }
    }

    @Test func aHooksChangeIsSavedToo() async throws {
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            var stamp = Stamp(text: "a")
            try await stamp.save()
            #expect(stamp.saves == 1)
            let live = try #require(try await Stamp.live(1))
            try await store.write { db throws in _ = try Stamp.update(1, in: db) { [$0.text.set("b")] } }
            live.note = "n"
            try await live.save()
            #expect(try await Stamp.find(1) == Stamp(id: 1, text: "b", note: "n", saves: 2))
        }
    }

    @Test func aRowThatOthersHaveDeletedDoesNotComeBackUnseen() async throws {
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            let failures = LiveTests.Failures()
            var beacon = Beacon(text: "a")
            try await beacon.save()
            do {
                let live = try #require(
                    try await Beacon.live(1, saving: .onRelease, onFailure: failures.handler))
                try await store.write { db throws in _ = try Beacon.delete(1, in: db) }
                live.number = 1
                try await expectFailure(.noSuchRow) { try await live.save() }
                #expect(live.hasChanges)
            }
            try await store.write { _ in }
            try await eventually { failures.list.count == 1 }
            #expect((failures.list.first?.error as? StrongroomError)?.code == .noSuchRow)
            #expect(try await Beacon.count() == 0)
        }
    }

    @Test func itComesBackWhereThatIsAskedFor() async throws {
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            var beacon = Beacon(text: "a")
            try await beacon.save()
            let live = try #require(try await Beacon.live(1, missingRow: .insert))
            try await store.write { db throws in _ = try Beacon.delete(1, in: db) }
            live.number = 1
            #expect(try await live.save() == .inserted)
            #expect(try await Beacon.find(1).map { "\($0.text) \($0.number)" } == "a 1")
        }
    }

    @Test func aChangeBehindItsOwnDeletionInTheSameCommitInsertsItAgain() async throws {
        try await ObjectHome.run { home async throws in
            var beacon = Beacon(text: "a")
            try await beacon.save()
            let store = try await home.store
            let live = try #require(try await Beacon.live(1))
            live.number = 1
            let (deletion, change, save) = try await store.queued { before in
                let deletion = Task { try await live.delete() }
                before(1)
                let change = Task { try await store.write { _ in live.number = 2 } }
                before(2)
                let save = Task { try await live.save() }
                before(3)
                return (deletion, change, save)
            }
            #expect(try await deletion.value)
            try await change.value
            #expect(try await save.value == .inserted)
            #expect(try await Beacon.find(1)?.number == 2)
        }
    }

    /// A record whose hook changes it.
    @Table("stamp", in: "objects.sqlite")
    struct Stamp: Equatable {
        var id: Int64?
        var text: String
        var note: String?
        var saves = 0

        static let hooks: RecordHooks<Stamp>? = RecordHooks().willSave { stamp, _ in stamp.saves += 1 }
    }

    @Test func aListWhoseCommitFailsStaysAsItIs() async throws {
        try await ObjectHome.run { home async throws in
            try await Player.prepare()
            let store = try await home.store
            try await store.write { db in
                try db.execute("CREATE TABLE badge (player REFERENCES person (id) DEFERRABLE INITIALLY DEFERRED)")
                try db.execute(
                    "CREATE TRIGGER lost AFTER INSERT ON person BEGIN INSERT INTO badge VALUES (new.id + 1000); END")
            }
            var players = [Player(name: "Ada"), Player(name: "Bo")]
            await #expect(throws: StrongroomError.self) { try await players.save() }
            #expect(players.allSatisfy { $0.id == nil })
            #expect(try await Player.count() == 0)
        }
    }

    @Test func aPageThatCannotBeIsAnError() async throws {
        try await ObjectHome.run { _ async throws in
            for (page, size) in [(-1, 10), (0, -1), (1, nil)] as [(Int, Int?)] {
                try await expectFailure(.invalidArgument) { try await Player.all(page: page, size: size) }
            }
        }
    }
}

extension Store {
    /// Runs work while the writer is kept busy.
    ///
    /// - Parameter body: Puts work into the writer's line; is given what waits until a number of them stand in it.
    func queued<T: Sendable>(
        _ body: @escaping @Sendable (_ before: (Int) -> Void) throws -> T
    ) async throws -> T {
        try await write { _ in
            let waits = self.statistics.waits
            return try body { count in while self.statistics.waits < waits + count { usleep(1_000) } }
        }
    }

    /// Begins a write that lasts until a moment, and waits for its beginning.
    func occupied(until end: Moment) async throws -> Task<Void, any Error> {
        let isHeld = Moment()
        let write = Task {
            try await self.write { _ throws in
                isHeld.come()
                try end.block()
            }
        }
        try await isHeld.wait()
        return write
    }
}

/// Objects of a store that lies in memory.
@Suite("Objects in a store in memory", .ending)
struct ObjectsInMemoryTests {
    private struct Passing: Configuration {
        static let target = "objects"

        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.random()) }
        func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(storage: .memory) }
    }

    @Test func theyAreSavedAndFoundAndTheirTableIsMade() async throws {
        let stores = try Stores(Passing())
        try await Stores.$current.withValue(stores) {
            var ada = Player(name: "Ada")
            try await ada.save()
            #expect(try await Player.all().map(\.name) == ["Ada"])
            try await Beacon.prepare()
            #expect(try await Beacon.count() == 0)
        }
        try await stores.closeAll()
    }
}
