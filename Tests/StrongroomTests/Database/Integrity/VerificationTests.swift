import Foundation
// Internal: the layout of a page, which depends on the engine, and a connection without the library's settings.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Verifying a store", .ending)
struct VerificationTests {
    @Test func aWholeFileIsWhole() async throws {
        let specimen = try await DamageSpecimen()
        let steps = Locked<[WorkProgress]>([])
        let report = try await specimen.vault.using { store in
            try await store.verify { step in steps.withLock { $0.append(step) } }
        }
        #expect(report.isIntact && report.isAuthenticated)
        #expect(report.damagedPages == [] && report.objections == [] && report.foreignKeyViolations == [])
        #expect(report.pages == specimen.pages)
        #expect(report.bytes == Int64(specimen.whole.count))
        #expect(report.description.hasSuffix("intact"))
        let told = steps.withLock { $0 }
        #expect(told.first?.phase == .checking && told.last?.phase == .checkingStructure)
        #expect(told.allSatisfy { $0.total == specimen.pages && $0.unit == .pages })
        #expect(told.last?.done == Int64(specimen.pages))
        #expect(try Data(contentsOf: URL(filePath: specimen.vault.path)) == specimen.whole)
    }

    /// What is found, and that a reader is never given anything wrong.
    @Test func everyChangedByteThatIsProtectedIsFound() async throws {
        let specimen = try await DamageSpecimen()
        var generator = SeededGenerator(200)
        var found = 0
        for _ in 0..<200 {
            let offset = Int.random(in: 0..<specimen.whole.count, using: &generator)
            try specimen.put(specimen.flipped(at: offset, by: UInt8.random(in: 1...255, using: &generator)))
            let page = offset / specimen.layout.pageSize + 1
            let report = try await specimen.verification()
            if let report {
                let expected = specimen.isProtected(offset) ? [page] : []
                #expect(report.damagedPages.map(\.number) == expected, "byte \(offset)")
                #expect(report.isIntact == expected.isEmpty, "byte \(offset)")
                found += expected.count
                try await expectRightRowsOrErrors(specimen, "byte \(offset)")
            } else {
                #expect(specimen.isProtected(offset))
            }
        }
        #expect(found > 100)
    }

    private func expectRightRowsOrErrors(_ specimen: DamageSpecimen, _ comment: Comment) async throws {
        try await specimen.vault.using { store in
            for table in DamageSpecimen.queries.keys {
                do {
                    let rows = try await store.read { db in try DamageSpecimen.rows(db, of: table) }
                    #expect(rows == specimen.rows[table], comment)
                } catch let error as StrongroomError {
                    #expect(error.code == .damaged, comment)
                }
            }
        }
    }

    @Test func theOwnerOfAPageBehindAnotherDamagedOneIsUnknown() async throws {
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

    @Test func pagesThatLieInEachOthersPlaceAreDamaged() async throws {
        let specimen = try await DamageSpecimen()
        let size = specimen.layout.pageSize
        let (first, last) = (specimen.pages - 2, specimen.pages - 1)
        var bytes = specimen.whole
        bytes.replaceSubrange((first - 1) * size..<first * size, with: specimen.whole[(last - 1) * size..<last * size])
        bytes.replaceSubrange((last - 1) * size..<last * size, with: specimen.whole[(first - 1) * size..<first * size])
        try specimen.put(bytes)
        #expect(try specimen.closedDamage() == [first, last])
    }

    @Test func theNumberOfTheLockBytesPageFollowsThePagesSize() {
        for (size, page) in [(512, 2_097_153), (1_024, 1_048_577), (4_096, 262_145), (65_536, 16_385)] {
            #expect(PageLayout(pageSize: size, codeLength: 20).lockBytePage == page)
        }
        #expect(PageLayout(pageSize: 1_024, codeLength: 20).reserve == 48)
        #expect(PageLayout(pageSize: 4_096, codeLength: 64).reserve == 80)
    }
}

extension DamageSpecimen {
    /// The damaged pages of the file, which nobody has open.
    func closedDamage() throws -> [Int] {
        let settings = try CipherSettings.engineDefault()
        let key = try DerivedKey(.numbered(1), salt: Array(whole.prefix(16)), settings: settings)
        return try PageVerifier(closed: PlainFile(vault.path), PageCipher(key)).damagedPages()
    }
}
