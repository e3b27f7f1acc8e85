import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

@Suite("Objects that are saved with a rule", .ending)
struct SaveRuleTests {
    struct Save: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rule: WriteRule<Player>
        let object: Player
        let outcome: Saved
        /// The object's row afterwards.
        let row: Player

        init(_ name: String, _ rule: WriteRule<Player>, _ object: Player, _ outcome: Saved, _ row: Player) {
            (testDescription, self.rule, self.object, self.outcome, self.row) = (name, rule, object, outcome, row)
        }
    }

    static let saves = [
        Save("key", .key, Player(id: 1, name: "A", age: 37), .updated, Player(id: 1, name: "A", age: 37)),
        Save("key, none", .key, Player(name: "A", age: 37), .inserted, Player(id: 3, name: "A", age: 37)),
        Save(
            "key, nils", .key(nils: .keep), Player(id: 1, name: "A", age: 37), .updated,
            Player(id: 1, name: "A", age: 37, email: "ada")),
        Save(
            "key, only", .key(only: { [$0.age] }), Player(id: 1, name: "A", age: 37), .updated,
            Player(id: 1, name: "Ada", age: 37, email: "ada")),
        Save(
            "by", .by(\.email), Player(name: "A", age: 37, email: "ada"), .updated,
            Player(id: 1, name: "A", age: 37, email: "ada")),
        Save(
            "by, none", .by(\.email), Player(name: "A", age: 37, email: "a"), .inserted,
            Player(id: 3, name: "A", age: 37, email: "a")),
        Save(
            "matching", .matching(\.name), Player(name: "Bob", age: 41), .updated, Player(id: 2, name: "Bob", age: 41)),
        Save(
            "matching, nils", .matching(\.name, \.age, nils: .keep), Player(name: "Bob", age: 40), .updated,
            Player(id: 2, name: "Bob", age: 40, email: "bob")),
        Save("insert", .insert, Player(id: 7, name: "A"), .inserted, Player(id: 7, name: "A")),
        Save("update", .update, Player(id: 2, name: "B"), .updated, Player(id: 2, name: "B")),
        Save(
            "update, only", .update(only: { [$0.name] }), Player(id: 2, name: "B"), .updated,
            Player(id: 2, name: "B", age: 40, email: "bob")),
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

    @Test(arguments: saves)
    func `a rule chooses the row and its columns`(save: Save) async throws {
        try await withPlayers { () async throws in
            var object = save.object
            #expect(try await object.save(save.rule) == save.outcome)
            #expect(object.id == save.row.id)
            let rows = Self.players.filter { $0.id != save.row.id } + [save.row]
            #expect(try await Player.all() == rows.sorted { $0.id ?? 0 < $1.id ?? 0 })
        }
    }

    @Test func `a rule applies to each object of a list`() async throws {
        try await withPlayers { () async throws in
            var list = [Player(name: "A", email: "ada"), Player(name: "Cyd", email: "cyd")]
            #expect(try await list.save(.by(\.email, only: { [$0.name] })) == [.updated, .inserted])
            #expect(list.map(\.id) == [1, 3])
            #expect(try await Player.all().map(\.name) == ["A", "Bob", "Cyd"])
            #expect(try await Player.find(1)?.age == 36)
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
