import Foundation
// Internal: the size of a page, which depends on the engine.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("What a damaged page belongs to", .ending)
struct VerificationOwnerTests {
    /// The engine is the witness: what it can still read, and what not, must be as the owner says.
    @Test func isToldForEachPage() async throws {
        let specimen = try await DamageSpecimen()
        var owners: [DamagedPage.Owner: Int] = [:]
        for page in 2...specimen.pages {
            try specimen.put(specimen.damaged(page: page))
            guard let report = try await specimen.verification() else { continue }
            let damaged = try #require(report.damagedPages.first)
            #expect(damaged.number == page && report.damagedPages.count == 1)
            owners[damaged.owner, default: 0] += 1
            let unreadable = try await unreadable(specimen)
            switch damaged.owner {
            case .table(let name) where DamageSpecimen.queries[name] != nil:
                #expect(unreadable == [name], "page \(page)")
            case .index("note_title", let table): #expect(unreadable == ["index"] && table == "note", "page \(page)")
            case .unused: #expect(unreadable == [], "page \(page)")
            case .pointerMap, .unknown, .schema: Issue.record("page \(page): \(damaged.owner)")
            case .table, .index: #expect(unreadable == [], "page \(page)")
            }
        }
        for name in ["note", "word", "loose"] { #expect(owners[.table(name), default: 0] > 0, "\(name)") }
        #expect(owners[.index("note_title", table: "note"), default: 0] > 0)
        #expect(owners[.unused, default: 0] > 1)
    }

    /// The tables that cannot be read through, and "index" for the index.
    private func unreadable(_ specimen: DamageSpecimen) async throws -> Set<String> {
        try await specimen.vault.using { store in
            var unreadable: Set<String> = []
            for table in DamageSpecimen.queries.keys {
                let rows = try? await store.read { db in try DamageSpecimen.rows(db, of: table) }
                if rows == nil { unreadable.insert(table) }
            }
            let titles = try? await store.read { db in
                try db.value("SELECT group_concat(title) FROM note INDEXED BY note_title", as: String.self)
            }
            if titles == nil { unreadable.insert("index") }
            return unreadable
        }
    }

    @Test func isUnknownBehindAnotherDamagedPage() async throws {
        let specimen = try await DamageSpecimen()
        // All but the first and those of the schema: of what only another page leads to, nothing can be told.
        var bytes = specimen.whole
        var damaged: [Int] = []
        for page in 2...specimen.pages {
            try specimen.put(specimen.damaged(page: page))
            guard try await specimen.verification() != nil else { continue }
            bytes[(page - 1) * specimen.layout.pageSize + 20] ^= 1
            damaged.append(page)
        }
        try specimen.put(bytes)
        // The history of versions is damaged, too.
        let report = try await specimen.vault.with(\.migrator, nil).using { store in try await store.verify() }
        #expect(report.damagedPages.map(\.number) == damaged)
        let tables = report.damagedPages.filter { $0.owner == .table("note") }
        #expect(tables.count == 1)
        #expect(report.damagedPages.contains { $0.owner == .unknown })
        #expect(report.description.contains("whose owner is unknown"))
    }
}
