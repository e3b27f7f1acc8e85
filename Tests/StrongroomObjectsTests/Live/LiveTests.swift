import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

/// A live object whose record tells when, and on which thread, it is saved, and when nobody holds it any more.
@Table("beacon", in: "objects.sqlite")
struct Beacon: Sendable {
    var id: Int64?
    @Column(unique: true) var text: String
    var number = 0
    @Ignored var witness: Witness? = nil

    static let hooks: RecordHooks<Beacon>? = RecordHooks().didSave { beacon, _ in
        try beacon.witness?.note()
    }.didDelete { beacon, _ in
        beacon.witness?.whenDeleted.withLock { $0 }?()
    }

    final class Witness: Sendable {
        struct Refusal: Error {}

        let threads = Locked<[UUID]>([])
        let refuses = Locked(false)
        /// Runs in the transaction that deletes it.
        let whenDeleted = Locked<(@Sendable () -> Void)?>(nil)

        func note() throws {
            threads.withLock { $0.append(currentThread()) }
            if refuses.withLock({ $0 }) { throw Refusal() }
        }
    }
}

@Suite("Objects that save themselves", .ending)
struct LiveTests {
    /// What a handler was told.
    final class Failures: Sendable {
        private let kept = Locked<[(error: any Error, text: String)]>([])
        var list: [(error: any Error, text: String)] { kept.withLock { $0 } }

        var handler: Live<Beacon>.FailureHandler {
            { [kept] error, beacon in kept.withLock { $0.append((error, beacon.text)) } }
        }
    }

    /// Holds an object, and lets go of it.
    final class Holder: Sendable {
        private let object: Locked<Live<Beacon>?>
        init(_ object: Live<Beacon>) { self.object = Locked(object) }
        func letGo() {
            let last = object.withLock { $0.take() }
            _ = last
        }
    }

    private func texts(_ home: ObjectHome) async throws -> [String] {
        try await home.use { try await Beacon.all().map { "\($0.text) \($0.number)" } }
    }

    @Test func theirPropertiesAreTheRecords() async throws {
        try await ObjectHome.run { home async throws in
            let live = try await Live(Beacon(text: "a"))
            #expect(live.text == "a" && live.number == 0 && live.id == nil && live.hasChanges)
            live.number = 3
            live.number += 1
            #expect(
                live.change {
                    $0.text += "b"; return $0.number
                } == 4)
            #expect(live.value.text == "ab" && live.number == 4)
            live.value = Beacon(text: "c")
            #expect(live.text == "c")
        }
    }

    @Test func byHandTheyAreSavedWhenTheyAreTold() async throws {
        try await ObjectHome.run { home async throws in
            do {
                let live = try await Live(Beacon(text: "a"))
                #expect(try await live.save() == .inserted)
                #expect(live.id == 1 && !live.hasChanges)
                #expect(try await live.save() == nil)
                live.number = 1
                #expect(live.hasChanges)
                #expect(try await live.save() == .updated)
                live.number = 2
            }
            #expect(try await texts(home) == ["a 1"])
            let found = try #require(try await Beacon.live(1))
            #expect(!found.hasChanges && found.number == 1)
            #expect(try await found.delete() && !found.hasChanges)
            #expect(try await !found.delete())
            #expect(try await Beacon.live(1) == nil)
        }
    }

    @Test func theLastReferenceSavesTheChange() async throws {
        try await ObjectHome.run { home async throws in
            do {
                let live = try await Live(Beacon(text: "a"), saving: .onRelease)
                live.number = 7
            }
            // A write that comes later runs later.
            try await home.store.write { _ in }
            #expect(try await texts(home) == ["a 7"])
            do {
                let live = try #require(try await Beacon.live(1, saving: .onRelease))
                try await home.store.write { db throws in
                    _ = try Beacon.update(1, in: db) { [$0.number.set(8)] }
                }
                #expect(live.number == 7)
            }
            try await home.store.write { _ in }
            // It had nothing to save, and has not brought back what was before.
            #expect(try await texts(home) == ["a 8"])
        }
    }

    @Test func closingWaitsForIt() async throws {
        let home = try ObjectHome()
        let mayGo = Moment()
        try await home.use { () async throws in
            try await Beacon.prepare()
            let store = try await home.store
            let holder = Holder(Live(Beacon(text: "a"), saving: .onRelease, in: store))
            let write = try await store.occupied(until: mayGo)
            holder.letGo()
            let close = Task { try await store.close() }
            mayGo.come()
            _ = try await write.value
            try await close.value
            #expect(try await texts(home) == ["a 0"])
        }
        try await home.stores.closeAll()
    }

    @Test func releasingAnObjectNeitherWorksNorWaits() async throws {
        try await ObjectHome.run { home async throws in
            try await Beacon.prepare()
            let store = try await home.store
            let (witness, mayGo) = (Beacon.Witness(), Moment())
            let holder = Holder(Live(Beacon(text: "a", witness: witness), saving: .onRelease, in: store))
            let write = try await store.occupied(until: mayGo)
            let thread = try await ending {
                try await onThread { () throws in
                    holder.letGo()
                    return currentThread()
                }
            }
            #expect(witness.threads.withLock { $0 } == [])
            mayGo.come()
            _ = try await write.value
            try await store.write { _ in }
            let saved = witness.threads.withLock { $0 }
            #expect(saved.count == 1 && saved.first != thread)
            // Nor when the writer is free.
            let other = Holder(Live(Beacon(text: "b", witness: witness), saving: .onRelease, in: store))
            let second = try await onThread { () throws in
                other.letGo()
                return currentThread()
            }
            try await store.write { _ in }
            #expect(witness.threads.withLock { $0 }.count == 2)
            #expect(witness.threads.withLock { $0.last } != second)
        }
    }

    enum Transaction: CaseIterable { case write, alone, read, blockingWrite, blockingRead }

    @Test(arguments: Transaction.allCases)
    func theLastReferenceMayDieInsideATransaction(_ kind: Transaction) async throws {
        try await ObjectHome.run { home async throws in
            try await Beacon.prepare()
            let store = try await home.store
            for number in 0..<20 {
                let holder = Holder(Live(Beacon(text: "\(number)"), saving: .onRelease, in: store))
                try await ending {
                    switch kind {
                    case .write: try await store.write { _ in holder.letGo() }
                    case .alone: try await store.write(as: .immediate) { _ in holder.letGo() }
                    case .read: try await store.read { _ in holder.letGo() }
                    case .blockingWrite: try await onThread { try store.write { _ in holder.letGo() } }
                    case .blockingRead: try await onThread { try store.read { _ in holder.letGo() } }
                    }
                }
            }
            try await ending { try await store.write { _ in } }
            #expect(try await Beacon.count() == 20)
        }
    }

    @Test func afterATimeWithoutAChangeTheyAreSavedOnce() async throws {
        try await ObjectHome.run { home async throws in
            let clock = StepClock()
            let witness = Beacon.Witness()
            let live = try await Live(
                Beacon(text: "a", witness: witness), saving: .debounced(.seconds(10)), isNew: false, clock: clock)
            for number in 1...5 {
                live.number = number
                try await eventually { clock.sleepers == 1 }
                clock.advance(by: .seconds(6))
                try await home.store.write { _ in }
                #expect(try await texts(home) == [])
            }
            clock.advance(by: .seconds(4))
            try await eventually { !live.hasChanges }
            #expect(try await texts(home) == ["a 5"])
            #expect(witness.threads.withLock { $0 }.count == 1)
            live.number = 6
            try await eventually { clock.sleepers == 1 }
            clock.advance(by: .seconds(10))
            try await eventually { !live.hasChanges }
            #expect(try await texts(home) == ["a 6"] && clock.sleepers == 0)
        }
    }

    @Test func aNewOneIsSavedAfterTheTimeEvenIfNothingChanges() async throws {
        try await ObjectHome.run { home async throws in
            let clock = StepClock()
            let live = try await Live(Beacon(text: "a"), saving: .debounced(.seconds(10)), clock: clock)
            try await eventually { clock.sleepers == 1 }
            clock.advance(by: .seconds(10))
            try await eventually { !live.hasChanges }
            #expect(try await texts(home) == ["a 0"])
        }
    }

    @Test(arguments: [LiveSaving.onRelease, .debounced(.seconds(10))])
    func aNewOneAndItsChangeAreSavedWhenTheStoreIsClosed(saving: LiveSaving) async throws {
        try await ObjectHome.run { home async throws in
            let new = try await Live(Beacon(text: "a"), saving: saving, clock: StepClock())
            let changed = try await Live(Beacon(text: "b"), saving: saving, clock: StepClock())
            changed.number = 7
            try await home.stores.closeAll()
            #expect(!new.hasChanges && !changed.hasChanges)
            #expect(try await Set(texts(home)) == ["a 0", "b 7"])
        }
    }

    @Test func aChangeThatWaitsIsSavedAtTheLastReference() async throws {
        try await ObjectHome.run { home async throws in
            let clock = StepClock()
            do {
                let live = try await Live(Beacon(text: "a"), saving: .debounced(.seconds(10)), clock: clock)
                live.number = 1
                try await eventually { clock.sleepers == 1 }
            }
            try await home.store.write { _ in }
            #expect(try await texts(home) == ["a 1"])
            try await eventually { clock.sleepers == 0 }
        }
    }

    @Test func anObjectWithoutReferencesIsReleased() async throws {
        for saving in [LiveSaving.manual, .onRelease, .debounced(.seconds(10))] {
            try await ObjectHome.run { home async throws in
                let clock = StepClock()
                weak var object: Live<Beacon>?
                weak var witness: Beacon.Witness?
                do {
                    let made = Beacon.Witness()
                    let live = try await Live(Beacon(text: "\(saving)", witness: made), saving: saving, clock: clock)
                    (object, witness) = (live, made)
                    live.number = 1
                    if case .debounced = saving { try await eventually { clock.sleepers == 1 } }
                    #expect(object != nil && witness != nil)
                }
                #expect(object == nil)
                try await home.store.write { _ in }
                // What was in the line has been let go of, too, and what slept has ended.
                try await eventually { witness == nil && clock.sleepers == 0 }
            }
        }
    }
}

/// An object whose table keeps a version and a time.
@Table("sheet", in: "objects.sqlite")
struct Sheet: Sendable, Equatable {
    var id: Int64?
    var text: String
    var number = 0
    @Column(kept: .version) var version = 0
    @Column(kept: .updated) var changed: Date?
}

/// An object whose hook undoes its save.
@Table("undone", in: "objects.sqlite")
struct Undone: Sendable, Equatable {
    var id: Int64?
    var text: String

    static let hooks: RecordHooks<Undone>? = RecordHooks().didSave { _, db in try db.rollBack() }
}

@Suite("Objects of a table with a version", .ending)
struct LiveUpkeepTests {
    @Test func anObjectWhoseSaveAHookUndoesIsUnchanged() async throws {
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            try await Undone.prepare()
            var object = Undone(text: "a")
            try await object.save()
            #expect(object.id == nil)
            var list = [object, object]
            try await list.save()
            #expect(list == [object, object])
            let live = Live(object, saving: .manual, in: store)
            try await expectFailure(.writeRefused) { try await live.save() }
            #expect(live.value.id == nil && live.hasChanges)
            #expect(try await Undone.all().isEmpty)
        }
    }

    @Test func eachSaveHasTheNextVersion() async throws {
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            try await Sheet.prepare()
            let live = Live(Sheet(text: "a"), saving: .manual, in: store)
            #expect(try await live.save() == .inserted)
            #expect(live.version == 0 && live.changed != nil)
            for version in 1...3 {
                live.number += 1
                #expect(try await live.save() == .updated)
                #expect(live.version == version)
            }
            #expect(try await Sheet.all() == [live.value])
            // A save without a change writes nothing.
            #expect(try await live.save() == nil)
            #expect(try await Sheet.all().first?.version == 3)
        }
    }

    @Test func aRowThatHasChangedIsNotOverwritten() async throws {
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            try await Sheet.prepare()
            let live = Live(Sheet(text: "a"), saving: .manual, in: store)
            _ = try await live.save()
            var other = try #require(try await Sheet.all().first)
            other.text = "theirs"
            try await other.save()
            #expect(other.version == 1)
            live.number = 5
            try await expectFailure(.staleRecord) { try await live.save() }
            #expect(live.hasChanges)
            #expect(try await Sheet.all() == [other])
            // Read again, it can be saved.
            let current = try #require(try await Sheet.all().first)
            let fresh = Live(current, saving: .manual, isNew: false, in: store)
            fresh.number = 5
            _ = try await fresh.save()
            #expect(try await Sheet.all().map(\.version) == [2])
        }
    }

    /// Several saves wait for the writer and share one commit; the object is changed between them.
    @Test func savesThatShareACommitFollowEachOther() async throws {
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            try await Sheet.prepare()
            let live = Live(Sheet(text: "a"), saving: .manual, in: store)
            _ = try await live.save()
            let tasks = try await store.queued { before in
                (1...3).map { number in
                    live.number = number
                    defer { before(number) }
                    return Task { try await live.save() }
                }
            }
            live.text = "b"
            for task in tasks { _ = try await task.value }
            _ = try await live.save()
            let row = try #require(try await Sheet.all().first)
            #expect(row == live.value)
            #expect(row.number == 3 && row.text == "b")
            #expect(!live.hasChanges)
        }
    }
}
