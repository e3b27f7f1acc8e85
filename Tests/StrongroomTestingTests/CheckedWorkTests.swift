import Strongroom
import StrongroomTesting
import Testing

@Suite("Statements that each version's schema accepts")
struct CheckedWorkTests {
    private static let shelves: @Sendable (borrowing WriteTransaction) throws -> Void = { db in
        _ = try db.value("SELECT shelf FROM book WHERE title = \("Emma")", as: String.self)
        try db.execute("UPDATE book SET shelf = \("new")")
        _ = try db.value("SELECT shelf FROM book WHERE title = \("Sanditon")", as: String.self)
    }

    @Test func eachStatementIsPreparedOnceAndChangesNothing() async throws {
        let report = try await Library().quickProof().statements(since: "2", Self.shelves).verify()
        #expect(report.statements == 2)
        #expect(report.description.contains("statements: 2"))
    }

    @Test func aStatementThatAnOlderSchemaRefusesIsNamedWithTheVersion() async throws {
        let line = #line + 1
        let report = try await Library().quickProof().statements(since: "1", Self.shelves).report()
        #expect(report.faults.count == 2, "\(report)")
        for fault in report.faults {
            #expect(fault.ways == ["at \"1\""])
            #expect(fault.message.hasPrefix("a statement of the work at \(#fileID):\(line) is not valid"))
            #expect(fault.message.contains("no such column: shelf"))
        }
        #expect(report.faults[0].message.contains("[SQL: SELECT shelf FROM book WHERE title = "))
        #expect(report.faults[1].message.contains("[SQL: UPDATE book SET shelf = "))
    }

    @Test func workThatFailsOrRunsNothingOrHasNoVersionIsAFault() async throws {
        let report = try await Library().quickProof()
            .statements(since: "3") { db in try db.execute("DELETE FROM nowhere") }
            .statements(since: "3") { _ in }
            .statements(since: "4", Self.shelves)
            .report()
        #expect(report.faults.count == 3, "\(report)")
        #expect(report.faults[0].message.contains("no such table: nowhere"))
        #expect(report.faults[1].message.hasSuffix("ran no statement"))
        #expect(report.faults[2].message.hasSuffix("which is none of the versions \"1\", \"2\", \"3\""))
    }

    @Test func releasesOfAnAutomaticSchemaAreVersions() async throws {
        let report = try await GuestBook().quickProof()
            .statements(since: "automatic") { db in _ = try Guest.all(in: db) }
            .statements(since: "1") { db in _ = try db.value("SELECT visits FROM guest", as: Int?.self) }
            .report()
        #expect(report.statements == 2)
        #expect(report.faults.map(\.ways) == [["at \"1\""]], "\(report)")
    }
}
