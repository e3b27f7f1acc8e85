import Foundation
// Internal: the size of a page, which depends on the engine.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("What a damaged page belongs to", .ending)
struct VerificationOwnerTests {
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
