import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

@Suite("Asking a type for its objects", .ending)
struct ObjectQueryTests {
    private func withPeople(_ work: @Sendable (ObjectHome) async throws -> Void) async throws {
        try await ObjectHome.run { home async throws in
            // In the order of the keys: age 0…4 again and again, and names that go down.
            var people = (0..<20).map { Player(name: "p\(19 - $0 / 2)", age: $0 % 5, email: "\($0)") }
            try await people.save()
            try await work(home)
        }
    }

    private func keys(_ people: [Player]) -> [Int64] { people.compactMap(\.id) }

    @Test func byAConditionOrAText() async throws {
        try await withPeople { home async throws in
            #expect(keys(try await Player.all()) == Array(1...20))
            #expect(keys(try await Player.all { $0.age == 4 }) == [5, 10, 15, 20])
            let (low, name) = (3, "p1")
            let found = try await Player.all(where: "age BETWEEN {%d, 4} AND name BEGINSWITH[c] %@", low, name)
            #expect(keys(found) == [4, 5, 9, 10, 14, 15, 19, 20])
            #expect(keys(try await Player.all(where: "age = \(low) OR email = '0'")) == [1, 4, 9, 14, 19])
            let query = try Player.where(#Predicate { $0.age == 4 }).order { $0.id.descending }
            #expect(keys(try await Player.all(query)) == [20, 15, 10, 5])
            try await expectFailure(.invalidPredicate) { try await Player.all(where: "height > 3") }
        }
    }

    @Test func sorted() async throws {
        try await withPeople { home async throws in
            let byAge = try await Player.all(
                where: { $0.age < 2 }, orderBy: { $0.age.descending }, { $0.name.ascending })
            #expect(byAge.map(\.age) == [1, 1, 1, 1, 0, 0, 0, 0])
            #expect(keys(byAge) == [17, 12, 7, 2, 16, 11, 6, 1])
            #expect(keys(try await Player.all(orderBy: { $0.name.ascending }).suffix(2)) == [1, 2])
        }
    }

    @Test func onePerGroup() async throws {
        try await withPeople { home async throws in
            #expect(keys(try await Player.all(groupBy: { $0.age })) == [1, 2, 3, 4, 5])
            #expect(keys(try await Player.all(where: { $0.id > 6 }, groupBy: { $0.age })) == [7, 8, 9, 10, 11])
            let grouped = try await Player.all(
                where: "id > 6", orderBy: { $0.age.descending }, groupBy: { $0.age }, page: 1, size: 2)
            #expect(keys(grouped) == [8, 7])
            #expect(try await Player.all(groupBy: { $0.age }, { $0.name }).count == 20)
        }
    }

    @Test func onePerGroupOfAKeyOfSeveralColumns() async throws {
        try await ObjectHome.run { _ async throws in
            var squares = [(2, 1, "a"), (1, 9, "a"), (1, 3, "a"), (5, 5, "b"), (4, 9, "b")]
                .map { Square(row: $0, column: $1, group: $2) }
            try await squares.save()
            var square = Square(row: 0, column: 7, group: "c")
            try await square.save(persistence: .memory)
            let found = try await Square.all(where: { $0.row < 5 }, groupBy: { $0.group })
            #expect(found.map { [$0.row, $0.column] } == [[0, 7], [1, 3], [4, 9]])
        }
    }

    @Test func pageByPage() async throws {
        try await withPeople { home async throws in
            var pages: [[Int64]] = []
            while true {
                let page = try await Player.all(where: { $0.age > 0 }, page: pages.count, size: 6)
                guard !page.isEmpty else { break }
                pages.append(keys(page))
            }
            #expect(pages.map(\.count) == [6, 6, 4])
            let keys = (1...20).filter { (key: Int64) in key % 5 != 1 }
            #expect(pages.flatMap(\.self) == keys)
            #expect(try await Player.all(page: .max, size: 6) == [])
            #expect(try await Player.all(page: 0, size: 0) == [])
        }
    }

    @Test func theFirstTheNumberAndTheKey() async throws {
        try await withPeople { home async throws in
            #expect(try await Player.first()?.id == 1)
            #expect(try await Player.first(orderBy: { $0.name.ascending }, { $0.id.descending })?.id == 20)
            #expect(try await Player.first { $0.age == 3 }?.id == 4)
            #expect(try await Player.first(where: "age = 3", orderBy: { $0.id.descending })?.id == 19)
            #expect(try await Player.first(where: "age = 30") == nil)
            #expect(try await Player.count() == 20)
            #expect(try await Player.count { $0.age == 3 } == 4)
            #expect(try await Player.count(where: "age = %d", 3) == 4)
            #expect(try await Player.find(7)?.email == "6")
            #expect(try await Player.find(70) == nil)
        }
    }

    @Test func theyAreDeletedByAConditionOrAll() async throws {
        try await withPeople { home async throws in
            #expect(try await Player.deleteAll { $0.age == 3 } == 4)
            #expect(try await Player.deleteAll(where: "age = %d AND id > 10", 4) == 2)
            #expect(try await Player.count() == 14)
            #expect(try await Player.truncate() == 14)
            #expect(try await Player.truncate() == 0)
            var ada = Player(name: "Ada")
            try await ada.save()
            #expect(ada.id == 1)
        }
    }
}

@Suite("Objects that are read again", .ending)
struct ReloadObjectsTests {
    @Table("ticket", in: "objects.sqlite")
    struct Ticket: Equatable {
        var id: Int64?
        var title: String
        @Column(default: "open") var state: String?
        var number: String?
        @Ignored var isSelected = false
    }

    /// A trigger numbers the tickets; it deletes those without a title.
    private static func run(_ work: @Sendable (ObjectHome) async throws -> Void) async throws {
        try await ObjectHome.run { home async throws in
            try await Ticket.prepare()
            try await home.store.write { db throws in
                try db.execute(
                    """
                    CREATE TRIGGER numbered AFTER INSERT ON ticket BEGIN
                    UPDATE ticket SET number = 'T-' || new.id WHERE id = new.id;
                    DELETE FROM ticket WHERE title = ''; END
                    """)
            }
            try await work(home)
        }
    }

    @Test func `an object is as its row after it is reloaded`() async throws {
        try await Self.run { home async throws in
            var ticket = Ticket(title: "a", isSelected: true)
            try await ticket.save()
            #expect(ticket == Ticket(id: 1, title: "a", isSelected: true))
            try await ticket.reload()
            #expect(ticket == Ticket(id: 1, title: "a", state: "open", number: "T-1", isSelected: true))
        }
    }

    @Test func `an object whose row is gone stays as it is`() async throws {
        try await Self.run { home async throws in
            var ticket = Ticket(title: "")
            let unsaved = await #expect(throws: StrongroomError.self) { try await ticket.reload() }
            try await ticket.save()
            let before = ticket
            let gone = await #expect(throws: StrongroomError.self) { try await ticket.reload() }
            #expect(unsaved?.code == .missingKey && gone?.code == .noSuchRow)
            #expect(ticket == before && ticket.id == 1)
        }
    }
}

private func customer(_ name: String, calls: [String], notes: [String] = []) -> Customer {
    Customer(
        name: name, calls: calls.map { text in Call(text: text, notes: notes.map { Remark(text: $0) }) },
        card: Badge(label: "card of \(name)"))
}

@Suite("Objects with children")
struct RelatedObjectTests {
    @Test func theTablesAreMadeAndTheCallsFollow() async throws {
        try await ObjectHome.run { _ in
            var ada = customer("Ada", calls: ["a", "b"], notes: ["x"])
            ada.employer = Company(name: "Engines")
            #expect(try await ada.save(cascading: true) == .inserted)
            var found = try await Customer.all()
            try await found.load(\.$calls)
            try await found.load(\.$card)
            try await found.load(\.$employer)
            #expect(found[0].calls.map(\.text) == ["a", "b"] && found[0].card?.label == "card of Ada")
            #expect(found[0].employer?.name == "Engines")
            var call = found[0].calls[0]
            try await call.load(\.$owner)
            #expect(call.owner?.name == "Ada")
            #expect(try await found.delete(cascading: true) == 1)
            #expect(try await Call.count() == 0)
            #expect(try await Remark.count() == 0)
        }
    }

    @Test func childrenInAnotherDatabaseAreRefused() async throws {
        try await ObjectHome.run { _ in
            try await expectFailure(.otherStore) {
                var sender = Sender(parcels: [Consignment()])
                try await sender.save(cascading: true)
            }
            var sender = Sender(parcels: [Consignment()])
            try await sender.save()
            let store = try await Stores.current.open("objects.sqlite")
            try await expectFailure(.otherStore) {
                var sender = Sender(parcels: [Consignment()])
                try await store.write(&sender) { db, sender in try Sender.save(&sender, cascading: true, in: db) }
            }
            try await expectFailure(.otherStore) {
                var list = [Sender(id: 1)]
                try await store.read(&list) { db, list in try Sender.load(\.$parcels, of: &list, in: db) }
            }
        }
    }

    @Test func childrenOfAChosenStoreAreReadFromIt() async throws {
        try await ObjectHome.run { home in
            let own = try await home.stores.open("objects_own.sqlite")
            var list = [customer("Ada", calls: ["of its own file"])]
            try await own.write(&list) { db, list in try Customer.save(contentsOf: &list, cascading: true, in: db) }
            var other = customer("Ada", calls: ["of the other one"])
            try await other.save(cascading: true)
            var found = try await own.table(Customer.self).all()
            try await own.read(&found) { db, found in try Customer.load(\.$calls, of: &found, in: db) }
            #expect(found.map { $0.calls.map(\.text) } == [["of its own file"]])
        }
    }
}

@Suite("Objects that are saved with a rule", .ending)
struct SaveRuleTests {
    /// A rule, an object, what becomes of it, and its row afterwards; all rules are in `WriteRuleTests`.
    static let saves: [(rule: WriteRule<Player>, object: Player, outcome: Saved, row: Player)] = [
        (.key, Player(name: "A", age: 37), .inserted, Player(id: 3, name: "A", age: 37)),
        (
            .key(only: { [$0.age] }), Player(id: 1, name: "A", age: 37), .updated,
            Player(id: 1, name: "Ada", age: 37, email: "ada")
        ),
        (
            .by(\.email), Player(name: "A", age: 37, email: "ada"), .updated,
            Player(id: 1, name: "A", age: 37, email: "ada")
        ),
        (
            .matching(\.name, \.age, nils: .keep), Player(name: "Bob", age: 40), .updated,
            Player(id: 2, name: "Bob", age: 40, email: "bob")
        ),
        (.insert, Player(id: 7, name: "A"), .inserted, Player(id: 7, name: "A")),
        (.update, Player(id: 2, name: "B"), .updated, Player(id: 2, name: "B")),
    ]

    private static let players = [
        Player(id: 1, name: "Ada", age: 36, email: "ada"), Player(id: 2, name: "Bob", age: 40, email: "bob"),
    ]

    /// Runs work with the rows of two players.
    private func withPlayers(_ work: @Sendable () async throws -> Void) async throws {
        try await ObjectHome.run { _ async throws in
            var players = Self.players
            try await players.save()
            try await work()
        }
    }

    @Test(arguments: saves.indices)
    func `a rule chooses the row and its columns`(index: Int) async throws {
        try await withPlayers { () async throws in
            let save = Self.saves[index]
            var object = save.object
            #expect(try await object.save(save.rule) == save.outcome)
            #expect(object.id == save.row.id)
            let rows = Self.players.filter { $0.id != save.row.id } + [save.row]
            #expect(try await Player.all() == rows.sorted { $0.id ?? 0 < $1.id ?? 0 })
        }
    }

    @Test func `a list that a rule refuses is not saved`() async throws {
        try await withPlayers { () async throws in
            var list = [Player(id: 1, name: "A"), Player(id: 9, name: "B")]
            let before = list
            let error = await #expect(throws: StrongroomError.self) { try await list.save(.update) }
            #expect(error?.code == .noSuchRow && list == before)
            #expect(try await Player.all() == Self.players)
        }
    }

    @Test(
        arguments: [
            (.insert, nil, false, .constraint), (.matching(\.name, several: .updateAll), nil, false, .invalidRule),
            (.update, nil, true, .invalidRule), (.by(\.email), .memory, false, .invalidRule),
        ] as [(WriteRule<Player>, Persistence?, Bool, StrongroomError.Code)])
    func `what a rule refuses leaves the object and its row as they are`(
        rule: WriteRule<Player>, persistence: Persistence?, cascading: Bool, code: StrongroomError.Code
    ) async throws {
        try await withPlayers { () async throws in
            var object = Player(id: 1, name: "A", email: "ada")
            let before = object
            let error = await #expect(throws: StrongroomError.self) {
                try await object.save(rule, persistence: persistence, cascading: cascading)
            }
            #expect(error?.code == code && object == before)
            #expect(try await Player.all() == Self.players)
        }
    }
}
