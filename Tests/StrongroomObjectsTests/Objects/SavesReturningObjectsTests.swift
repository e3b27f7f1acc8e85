#if Macros
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

@Suite("Saves of objects that return rows", .ending)
struct SavesReturningObjectsTests {
    @Table("ticket", in: "objects.sqlite")
    struct Ticket: Equatable {
        var id: Int64?
        var title: String
        @Column(default: "open") var state: String?
        var number: String?
        @Ignored var isSelected = false
    }

    struct Number: Record, Equatable {
        var number: String?

        static let columnNames = ["number"]

        init(_ number: String?) { self.number = number }

        init(row: borrowing Row) throws { self.init(try row[0]) }

        func encode(to bindings: borrowing Bindings) throws {}
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

    @Test func `an object is as its row after the save`() async throws {
        try await Self.run { home async throws in
            var ticket = Ticket(title: "a", isSelected: true)
            #expect(try await ticket.save(returning: Ticket.self) == ticket)
            #expect(ticket == Ticket(id: 1, title: "a", state: "open", number: "T-1", isSelected: true))
            #expect(try await ticket.save(returning: Number.self) == Number("T-1"))
            var list = [Ticket(title: "b"), Ticket(title: "c", state: "done")]
            try await list.save(returning: Ticket.self)
            #expect(list.map(\.number) == ["T-2", "T-3"] && list.map(\.state) == ["open", "done"])
            #expect(try await Ticket.all() == [Ticket(id: 1, title: "a", state: "open", number: "T-1")] + list)
        }
    }

    @Test func `a failed save leaves the objects as they were`() async throws {
        try await Self.run { home async throws in
            var list = [Ticket(title: "a"), Ticket(title: "")]
            let before = list
            let error = await #expect(throws: StrongroomError.self) { try await list.save(returning: Ticket.self) }
            let other = await #expect(throws: StrongroomError.self) { try await list[1].save(returning: Number.self) }
            #expect(error?.code == .noSuchRow && other?.code == .noSuchRow)
            #expect(list == before)
            #expect(try await Ticket.count() == 0)
        }
    }

    @Test func `inside a transaction it joins it`() async throws {
        struct Regret: Error {}
        try await Self.run { home async throws in
            let store = try await home.store
            await #expect(throws: Regret.self) {
                try await store.write { db throws in
                    var ticket = Ticket(title: "a")
                    try ticket.save(returning: Ticket.self)
                    #expect(ticket.number == "T-1")
                    var list = [Ticket(title: "b")]
                    #expect(try list.save(returning: Number.self) == [Number("T-2")])
                    throw Regret()
                }
            }
            #expect(try await Ticket.count() == 0)
        }
    }
}
#endif
