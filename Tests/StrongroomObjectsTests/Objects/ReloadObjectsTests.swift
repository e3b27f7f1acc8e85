import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

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

    @Test func `inside a transaction the table reads it`() async throws {
        try await Self.run { home async throws in
            try await home.store.write { db throws in
                var ticket = Ticket(title: "a")
                try Ticket.save(&ticket, in: db)
                try Ticket.reload(&ticket, in: db)
                #expect(ticket.number == "T-1")
            }
        }
    }
}
