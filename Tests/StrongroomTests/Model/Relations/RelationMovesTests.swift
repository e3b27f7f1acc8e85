import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Records that change their positions in a tree while it is saved: nothing that is still in it is lost, nor what is
/// below it and not loaded.
@Suite("Children that move")
struct RelationMovesTests {
    @Test func belowASiblingTheyKeepWhatIsBelowThem() async throws {
        try await withTables { db throws in
            let all = [("root", "root"), ("a", "root"), ("b", "root"), ("c", "b")]
            try Folder.insert(contentsOf: all.map { Folder(id: $0, parent: $1) }, in: db)
            var root = try #require(try Folder.find("root", in: db))
            root.inside = try ["a", "b"].map { try #require(try Folder.find($0, in: db)) }
            try Folder.load(\.$inside, of: &root, in: db)
            root.inside.removeAll { $0.id == "root" }
            let moved = root.inside.remove(at: 1)
            root.inside[0].inside.append(moved)
            try Folder.save(&root, cascading: true, in: db)
            #expect(
                try Folder.all(in: db).map { [$0.id, $0.parent] } == [
                    ["a", "root"], ["b", "a"], ["c", "b"], ["root", "root"],
                ])
        }
    }

    @Test func theyLeaveAnOrphanThatIsDeleted() async throws {
        try await withTables { db throws in
            var album = Album(songs: [Song(verses: [Verse(), Verse()]), Song()])
            try Album.save(&album, cascading: true, in: db)
            album = try #require(try Album.find(1, in: db))
            try Album.load(\.$songs, of: &album, in: db)
            try Song.load(\.$verses, of: &album.songs, in: db)
            album.songs[1].verses.append(album.songs[0].verses[1])
            album.songs.removeFirst()
            try Album.save(&album, cascading: true, in: db)
            #expect(try Song.all(in: db).map(\.id) == [2] && Verse.all(in: db).map { [$0.id, $0.song] } == [[2, 2]])
        }
    }

    @Test func theyLeaveARecordThatIsMarked() async throws {
        try await withTables { db throws in
            var both = [Album(songs: [Song(verses: [Verse()])]), Album(songs: [Song()])]
            try Album.save(contentsOf: &both, cascading: true, in: db)
            both = try Album.all(in: db)
            try Album.load(\.$songs, of: &both, in: db)
            both[1].songs += both[0].songs
            both[0].isGone = true
            #expect(try Album.save(contentsOf: &both, cascading: true, in: db) == [.deleted, .updated])
            #expect(try Album.all(in: db).map(\.id) == [2] && Song.all(in: db).map(\.album) == [2, 2])
            #expect(try Verse.count(in: db) == 1)
        }
    }

    @Test func theyLeaveAMarkedRecordThatTheyCannotBeWithout() async throws {
        try await withTables { db throws in
            var both = [
                Customer(name: "Ada", calls: [Call(text: "a")]), Customer(name: "Bob", calls: [Call(text: "b")]),
            ]
            try Customer.save(contentsOf: &both, cascading: true, in: db)
            both[1].calls += both[0].calls
            both[0].isGone = true
            try Customer.save(contentsOf: &both, cascading: true, in: db)
            #expect(try Call.all(in: db).map { "\($0.text) \($0.customer)" } == ["a 2", "b 2"])
            #expect(try Customer.all(in: db).map(\.name) == ["Bob"])
        }
    }

    /// Better refused than saved and deleted atomically.
    @Test func whatIsSavedIsNotDeletedWithItsMarkedParent() async throws {
        try await withTables { db throws in
            var ada = Customer(name: "Ada", calls: [Call(text: "a")])
            try Customer.save(&ada, cascading: true, in: db)
            var call = ada.calls[0]
            ada.isGone = true
            call.owner = ada
            try expectFailure(.constraint) { try Call.save(&call, cascading: true, in: db) }
            #expect(try Call.count(in: db) == 1 && Customer.count(in: db) == 1)
        }
    }

    @Test func aMarkedParentOfSeveralLeavesNoKeyBehind() async throws {
        try await withTables { db throws in
            var parent = Album()
            try Album.save(&parent, in: db)
            var list = [Album(by: parent), Album(by: parent)]
            try Album.save(contentsOf: &list, cascading: true, in: db)
            parent.isGone = true
            for index in list.indices { list[index].by = parent }
            #expect(try Album.save(contentsOf: &list, cascading: true, in: db) == [.updated, .updated])
            #expect(list.map(\.artist) == [nil, nil] && list.map(\.by) == [nil, nil])
            #expect(try Album.all(in: db).map { [$0.id, $0.artist] } == [[2, nil], [3, nil]])
        }
    }

    @Test func anOnlyChildIsTheOnlyOne() async throws {
        try await withTables { db throws in
            var album = Album(picture: Picture(caption: "first"))
            try Album.save(&album, cascading: true, in: db)
            var found = try #require(try Album.find(1, in: db))
            found.picture = Picture(caption: "second")
            try Album.save(&found, cascading: true, in: db)
            #expect(try Picture.all(in: db).map(\.caption) == ["second"])
            // One that somebody else has put there is not lost because it was not seen.
            try Picture.insert(Picture(album: 1, caption: "hidden"), in: db)
            try Album.load(\.$picture, of: &found, in: db)
            found.picture = nil
            try Album.save(&found, cascading: true, in: db)
            #expect(try Picture.all(in: db).map(\.caption) == ["hidden"])
        }
    }

    @Test func theyChangePlacesThatAreUnique() async throws {
        try await withTables { db throws in
            var both = ["Ada", "Bob"].map { Customer(name: $0, card: Badge(label: "of \($0)")) }
            try Customer.save(contentsOf: &both, cascading: true, in: db)
            (both[0].card, both[1].card) = (both[1].card, both[0].card)
            try Customer.save(contentsOf: &both, cascading: true, in: db)
            try Customer.load(\.$card, of: &both, in: db)
            #expect(both.map { $0.card?.label } == ["of Bob", "of Ada"])
            both[0].card = Badge(label: "new")
            try Customer.save(contentsOf: &both, cascading: true, in: db)
            #expect(Set(try Badge.all(in: db).map(\.label)) == ["new", "of Ada"])
        }
    }

    @Test func oneThatStandsInTwoListsBelongsToTheFirst() async throws {
        try await withTables { db throws in
            var both = ["Ada", "Bob"].map { Customer(name: $0) }
            try Customer.save(contentsOf: &both, in: db)
            var call = Call(text: "shared", customer: 2)
            try Call.save(&call, in: db)
            both[0].calls = [call]
            both[1].calls = [call, Call(text: "new")]
            try Customer.save(contentsOf: &both, cascading: true, in: db)
            #expect(try Call.all(in: db).map { "\($0.text) \($0.customer)" } == ["shared 1", "new 2"])
            #expect(both.map { $0.calls.map(\.text) } == [["shared"], ["new"]])
        }
    }

    @Test func newOnesOfAListThatWasNotLoadedComeBehind() async throws {
        try await withTables { db throws in
            var ada = Customer(name: "Ada", calls: [Call(text: "a"), Call(text: "b")])
            try Customer.save(&ada, cascading: true, in: db)
            var found = try #require(try Customer.find(1, in: db))
            found.calls = [Call(text: "c"), Call(text: "d")]
            try Customer.save(&found, cascading: true, in: db)
            try Customer.load(\.$calls, of: &found, in: db)
            #expect(found.calls.map(\.text) == ["a", "b", "c", "d"] && found.calls.map(\.place) == [0, 1, 2, 3])
        }
    }

    @Test func theyTakeThePlaceOfOneThatCannotBeDetached() async throws {
        try await withTables { db throws in
            var traveller = Traveller(
                passport: Passport(label: "old"), stamps: ["FR", "IT", "PL"].map { Stamp(country: $0) })
            try Traveller.save(&traveller, cascading: true, in: db)
            var other = Traveller(stamps: [Stamp(country: "DE", marks: [Mark()])])
            try Traveller.save(&other, cascading: true, in: db)
            traveller.passport = Passport(label: "new")
            traveller.stamps.removeFirst()
            // What another one has below is none of this one's.
            var both = [traveller, other]
            try Traveller.save(contentsOf: &both, cascading: true, in: db)
            #expect(try Passport.all(in: db).map(\.label) == ["new"])
            #expect(try Stamp.all(in: db).map { "\($0.country) \($0.place)" } == ["IT 0", "PL 1", "DE 0"])
        }
    }

    /// Better refused than deleted with what they leave.
    @Test func theyDoNotLeaveOneWhosePlaceIsTakenAndThatTheyCannotBeWithout() async throws {
        try await withTables { db throws in
            var traveller = Traveller(stamps: ["FR", "IT", "PL"].map { Stamp(country: $0, marks: [Mark()]) })
            try Traveller.save(&traveller, cascading: true, in: db)
            let gone = traveller.stamps.removeFirst()
            traveller.stamps[1].marks += gone.marks
            try expectFailure(.constraint) { try Traveller.save(&traveller, cascading: true, in: db) }
            #expect(try Stamp.count(in: db) == 3 && Mark.count(in: db) == 3)
        }
    }

    /// The engine would delete them, and what refers to them, without an error.
    @Test func theyDoNotLeaveOneThatTakesThemAlong() async throws {
        let tables = [Binder.schema, Sheet.schema, Sticker.schema]
        try await TemporaryStore(tables: tables).store.write { db throws in
            var binder = Binder(sheets: ["a", "b", "c"].map { Sheet(text: $0, stickers: [Sticker()]) })
            try Binder.save(&binder, cascading: true, in: db)
            let gone = binder.sheets.removeFirst()
            binder.sheets[1].stickers += gone.stickers
            try expectFailure(.constraint, saying: "saved elsewhere") {
                try Binder.save(&binder, cascading: true, in: db)
            }
            #expect(try Sheet.count(in: db) == 3 && Sticker.all(in: db).map(\.id) == [1, 2, 3])
        }
    }

    @Test func aParentOfAnotherListIsLetGoOf() async throws {
        try await withTables { db throws in
            var ada = Customer(name: "Ada")
            // The value that the call has is not saved yet, and has no key.
            ada.calls = [Call(text: "a", owner: ada)]
            try Customer.save(&ada, cascading: true, in: db)
            var call = ada.calls[0]
            #expect(call.customer == ada.id && call.owner == nil)
            try Call.save(&call, cascading: true, in: db)
            #expect(try Customer.count(in: db) == 1)
            #expect(try Call.all(in: db).map(\.customer) == [1])
        }
    }

    @Test func aListIsDeletedWhoseRecordsReferToEachOther() async throws {
        try await withTables { db throws in
            let all = [("root", "root"), ("a", "root"), ("b", "a"), ("c", "b")]
            let folders = all.map { Folder(id: $0, parent: $1) }
            try Folder.insert(contentsOf: folders, in: db)
            #expect(try Folder.delete(contentsOf: [folders[1], folders[2]], cascading: true, in: db) == 2)
            #expect(try Folder.all(in: db).map(\.id) == ["root"])
        }
    }
}

extension Table where RecordType == Self {
    static func load<Property: _RelatedProperty>(
        _ relation: any WritableKeyPath<Self, Property> & Sendable, of record: inout Self,
        in db: borrowing some Reading & ~Copyable
    ) throws {
        var list = [record]
        try load(relation, of: &list, in: db)
        record = list[0]
    }
}

@Table("binder")
private struct Binder {
    var id: Int64?
    @HasMany var sheets: [Sheet] = []

    static let relations: Relations<Binder>? = Relations()
        .hasMany(\.$sheets, by: \.binder, orphans: .delete, position: \.place)
}

@Table("sheet")
private struct Sheet {
    var id: Int64?
    var text: String
    @Column(references: Reference("binder")) var binder: Int64 = 0
    var place = 0
    @HasMany var stickers: [Sticker] = []

    static let relations: Relations<Sheet>? = Relations().hasMany(\.$stickers, by: \.sheet, orphans: .delete)
    static var indexes: [TableIndex] { [TableIndex(on: columns.binder, columns.place, unique: true)] }
}

@Table("sticker")
private struct Sticker {
    var id: Int64?
    @Column(references: Reference("sheet", onDelete: .cascade)) var sheet: Int64 = 0
}
