import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

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
            await #expect {
                try await live.save()
            } throws: { error in
                (error as? StrongroomError)?.code == .writeRefused
            }
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
            await #expect {
                try await live.save()
            } throws: { error in
                (error as? StrongroomError)?.code == .staleRecord
            }
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
            let tasks = try await store.write { _ in
                let waits = store.statistics.waits
                var tasks: [Task<Saved?, any Error>] = []
                for number in 1...3 {
                    live.number = number
                    tasks.append(Task { try await live.save() })
                    while store.statistics.waits < waits + number { usleep(1_000) }
                }
                return tasks
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
