import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

/// A row that refers to its own table, and is checked at the commit. Its name says what its hooks do.
@Table("ward", in: "objects.sqlite")
private struct Ward: Equatable {
    var id: Int64?
    var name: String
    @Column(unique: true) var code: String?
    @Column(references: Reference("ward", deferred: true)) var parent: Int64?
    @HasMany var wards: [Ward] = []

    static let relations: Relations<Ward>? = Relations().hasMany(\.$wards, by: \.parent)

    static let hooks: RecordHooks<Ward>? = RecordHooks()
        .didSave { ward, db in if ward.name == "undo" { try db.rollBack() } }
        .willDelete { ward, db in
            guard ward.name == "logged" else { return }
            try db.execute("INSERT INTO square (\"row\", \"column\", \"group\") VALUES (1, \(ward.id), 'log')")
        }
}

@Suite("Changes of objects in memory and of the file as one")
struct ObjectsInBothPlacesTests {
    private static func names() async throws -> [String] {
        try await Ward.all(orderBy: { $0.name.ascending }).map(\.name)
    }

    @Test func aRequestedRollbackKeepsAnObjectThatMoves() async throws {
        try await ObjectHome.run { _ async throws in
            var draft = Ward(name: "draft")
            try await draft.save(persistence: .memory)
            let before = draft
            draft.name = "undo"
            try await draft.save(persistence: .disk)
            #expect(try await Ward.all() == [before])
        }
    }

    @Test func aRequestedRollbackInEitherPlaceUndoesBoth() async throws {
        try await ObjectHome.run { _ async throws in
            var (row, draft) = (Ward(name: "row"), Ward(name: "draft"))
            try await row.save()
            try await draft.save(persistence: .memory)
            let changes = [("undo", "x"), ("x", "undo")]
            for (first, second) in changes {
                var wards = [row, draft]
                (wards[0].name, wards[1].name) = (first, second)
                try await wards.save()
                #expect(try await Self.names() == ["draft", "row"])
            }
            // The database in memory is as it was, too.
            draft.code = "d"
            #expect(try await draft.save() == .updated)
            #expect(try await Ward.first(where: { $0.code == "d" }) == draft)
        }
    }

    @Test func aCommitThatFailsChangesNothingInMemory() async throws {
        try await ObjectHome.run { _ async throws in
            var (row, draft) = (Ward(name: "row"), Ward(name: "draft"))
            try await row.save()
            try await draft.save(persistence: .memory)
            try await expectFailure(.constraint) { [row, draft] () async throws in
                var wards = [row, draft]
                // No such row: found at the commit, after the object in memory was written.
                wards[0].parent = 99
                wards[1].name = "lost"
                return try await wards.save()
            }
            #expect(try await Self.names() == ["draft", "row"])
            draft.name = "kept"
            try await draft.save()
            #expect(try await Self.names() == ["kept", "row"])
        }
    }

    @Test func anObjectThatMovesWithAFailingWriteIsNotLost() async throws {
        try await ObjectHome.run { _ async throws in
            var parent = Ward(name: "parent")
            try await parent.save()
            var child = Ward(name: "child", parent: parent.id)
            var (first, second) = (Ward(name: "first", code: "1"), Ward(name: "second", code: "2"))
            try await child.save(persistence: .memory)
            try await first.save(persistence: .memory)
            try await second.save(persistence: .memory)
            try await parent.load(\.$wards)
            #expect(parent.wards.map(\.name) == ["child"])
            try await expectFailure(.constraint) { [parent, second] () async throws in
                var wards = [parent, second]
                wards[1].code = "1"
                return try await wards.save(cascading: true)
            }
            #expect(try await Self.names() == ["child", "first", "parent", "second"])
        }
    }

    @Test("A hidden object goes with the row that hides it", arguments: ["delete", "deleteAll", "truncate"])
    func aHiddenObjectGoesWithItsRow(_ call: String) async throws {
        try await ObjectHome.run { _ async throws in
            var draft = Player(name: "Ada", email: "ada@example.org")
            try await draft.save(persistence: .memory)
            try await draft.save(.by(\.email))
            #expect(try await Player.count() == 1)
            switch call {
            case "delete": #expect(try await draft.delete())
            case "deleteAll": #expect(try await Player.deleteAll { $0.name == "Ada" } == 1)
            default: #expect(try await Player.truncate() == 1)
            }
            #expect(try await Player.count() == 0)
        }
    }

    @Test func anObjectThatAnotherProcessHidesGoesWithItsRow() async throws {
        try await ObjectHome.run { home async throws in
            var draft = Player(id: 5, name: "draft")
            try await draft.save(persistence: .memory)
            try await home.store.write { db in try Player.insert(Player(id: 5, name: "row"), in: db) }
            #expect(try await draft.delete())
            #expect(try await Player.find(5) == nil)
        }
    }

    @Test func aConditionOfADeletionFindsBoth() async throws {
        try await ObjectHome.run { home async throws in
            for number in 1...4 {
                var player = Player(id: Int64(number), name: "p")
                try await player.save(persistence: number > 2 ? .memory : .disk)
                var ward = Ward(id: Int64(number), name: "w")
                // The other place than that of the player.
                try await ward.save(persistence: number > 2 ? .disk : .memory)
            }
            #expect(try await Player.deleteAll { $0.id.isIn(Ward.where { $0.id > 1 }) } == 3)
            #expect(try await Player.all().map(\.id) == [1])
            #expect(try await home.store.read { db in try Player.count(in: db) } == 1)
        }
    }

    @Test func theHooksOfARowOfTheFileRunThereAlone() async throws {
        try await ObjectHome.run { home async throws in
            try await Square.prepare()
            var (root, other) = (Ward(name: "logged"), Ward(name: "in memory"))
            try await root.save()
            try await other.save(persistence: .memory)
            #expect(try await root.delete(cascading: true))
            #expect(try await home.store.read { db in try Square.count(in: db) } == 1)
            #expect(try await Self.names() == ["in memory"])
        }
    }

    @Test func aCascadeGoesThroughBothPlaces() async throws {
        try await ObjectHome.run { _ async throws in
            var root = Ward(name: "root")
            try await root.save()
            var child = Ward(name: "child", parent: root.id)
            try await child.save()
            var grandchild = Ward(name: "grandchild", parent: child.id)
            try await grandchild.save(persistence: .memory)
            var below = Ward(name: "below", parent: grandchild.id)
            try await below.save(persistence: .memory)
            var other = Ward(name: "other")
            try await other.save(persistence: .memory)
            #expect(try await [root].delete(cascading: true) == 1)
            #expect(try await Self.names() == ["other"])
        }
    }

    @Test func concurrentSavesOfOneKeyLeaveItOnce() async throws {
        try await ObjectHome.run { home async throws in
            for key in 1...40 {
                let object = Player(id: Int64(key), name: "p")
                await withTaskGroup(of: Void.self) { group in
                    for persistence in [Persistence.memory, nil, .disk] {
                        group.addTask {
                            var copy = object
                            // The one in memory is refused if the row in the file was first.
                            _ = try? await copy.save(persistence: persistence)
                        }
                    }
                }
                // With the row of the file, nothing is left that it hid.
                try await home.store.write { db in try Player.delete(Int64(key), in: db) }
                #expect(try await Player.find(Int64(key)) == nil)
            }
        }
    }

    // MARK: Declarations

    @Table("person", in: "objects.sqlite")
    struct Nameplate: Equatable {
        var id: Int64?
        var name: String
    }

    @Test func typesOfOneTableShareItInMemory() async throws {
        try await ObjectHome.run { _ async throws in
            try await Player.prepare()
            var plate = Nameplate(name: "plate")
            try await plate.save(persistence: .memory)
            var player = Player(name: "player", age: 7, email: "p@example.org")
            try await player.save(persistence: .memory)
            #expect(try await Nameplate.all(orderBy: { $0.name.ascending }).map(\.name) == ["plate", "player"])
            #expect(try await Player.first(where: { $0.age == 7 }) == player)
            try await expectFailure(.constraint) { () async throws in
                var copy = Player(name: "copy", email: "p@example.org")
                return try await copy.save(persistence: .memory)
            }
            #expect(try await plate.save(persistence: .disk) == .updated)
            #expect(try await Player.count() == 2)
        }
    }

    @Table("ware_checked", in: "objects.sqlite")
    struct Checked: Equatable {
        var id: Int64?
        @Column(check: "ware_checked.price > 0") var price: Int
    }

    @Test func aCheckMayNameTheTable() async throws {
        try await ObjectHome.run { _ async throws in
            var ware = Checked(price: 3)
            try await ware.save(persistence: .memory)
            #expect(try await Checked.all() == [ware])
            try await expectFailure(.constraint) { () async throws in
                var free = Checked(price: 0)
                return try await free.save(persistence: .memory)
            }
        }
    }
}
