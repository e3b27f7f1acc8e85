import Foundation
// Internal: the size of a page, which depends on the engine.
@testable import Strongroom
import StrongroomTesting
import Testing

/// What a disk can give back for a page.
enum PageDamage: CaseIterable {
    case flippedBit, zeros, noise
    /// The page that follows, or the first one in place of the last.
    case otherPage

    func applied(to page: Range<Int>, of bytes: Data) -> Data {
        var bytes = bytes
        switch self {
        case .flippedBit: bytes[page.lowerBound + page.count / 3] ^= 0x20
        case .zeros: bytes.replaceSubrange(page, with: Data(count: page.count))
        case .noise:
            var generator = SeededGenerator(UInt64(page.lowerBound))
            let noise = page.map { _ in UInt8.random(in: 0...255, using: &generator) }
            bytes.replaceSubrange(page, with: noise)
        case .otherPage:
            let start = page.upperBound < bytes.count ? page.upperBound : 0
            bytes.replaceSubrange(page, with: bytes[start..<start + page.count])
        }
        return bytes
    }
}

@Suite("Every page of a file, damaged in each way", .ending)
struct EveryPageTests {
    @Test("fails the reads that need it, first and later ones, and no other", arguments: PageDamage.allCases)
    func failsWhatNeedsIt(damage: PageDamage) async throws {
        let specimen = try await DamageSpecimen()
        var (owners, refused): ([DamagedPage.Owner: Int], Int) = ([:], 0)
        // A smaller page size makes more pages of each kind.
        let isEach = specimen.layout.pageSize >= 4096 || damage == .flippedBit
        let pages = Array(stride(from: 2, through: specimen.pages, by: isEach ? 1 : 4))
        for page in pages {
            let range = (page - 1) * specimen.layout.pageSize..<page * specimen.layout.pageSize
            try specimen.put(damage.applied(to: range, of: specimen.whole))
            do {
                let owner = try await specimen.vault.using { try await expectLoud(page, damage, $0, specimen) }
                if let owner { owners[owner, default: 0] += 1 }
            } catch let error as StrongroomError {
                // A page of the schema, without which nothing can be opened.
                #expect(error.code == .damaged && error.message.contains("backup"), "page \(page): \(error)")
                refused += 1
            }
        }
        let named = owners.values.reduce(0, +)
        #expect(named > pages.count / 2 && refused >= 2)
        // An unused page of zeros is no damage.
        #expect(damage == .zeros || named + refused == pages.count)
        guard damage == .flippedBit else { return }
        for name in ["note", "word", "loose"] { #expect(owners[.table(name), default: 0] > 0, "\(name)") }
        #expect(owners[.index("note_title", table: "note"), default: 0] > 0)
        #expect(owners[.unused, default: 0] > 1)
    }

    /// - Returns: The owner that `verify` names, which it need not if the page is unused and zeros.
    private func expectLoud(
        _ page: Int, _ damage: PageDamage, _ store: Store, _ specimen: DamageSpecimen
    ) async throws -> DamagedPage.Owner? {
        var failing: Set<String> = []
        // The same reader again, and after others have met the damage.
        for _ in 0..<2 {
            for table in specimen.rows.keys.sorted() {
                let isRead = try await isRight("page \(page) \(damage)") {
                    try await store.read { db in try DamageSpecimen.rows(db, of: table) } == specimen.rows[table]
                }
                if !isRead { failing.insert(table) }
            }
        }
        let titles = specimen.rows["note"]?.count
        let canUseIndex = try await isRight("index, page \(page) \(damage)") {
            try await store.value("SELECT count(*) FROM note INDEXED BY note_title WHERE title > ''") == titles
        }
        try await expectNothingWritten(store, failing, "page \(page) \(damage)")
        let report = try await store.verify()
        guard let found = report.damagedPages.first else {
            #expect(damage == .zeros && failing.isEmpty && canUseIndex, "page \(page)")
            return nil
        }
        #expect(report.damagedPages.map(\.number) == [page], "page \(page) \(damage): \(report.damagedPages)")
        switch found.owner {
        // The engine is the witness: what it can still read, and what not, must be as the owner says.
        case .table(let name) where DamageSpecimen.queries[name] != nil:
            #expect(failing == [name], "page \(page) of \(name): \(failing)")
        case .index("note_title", let table):
            #expect(failing.isEmpty && table == "note", "page \(page): \(failing)")
            #expect(!canUseIndex || damage == .zeros, "page \(page)")
        case .table, .index: #expect(failing.isEmpty, "page \(page): \(failing)")
        case .unused: #expect(failing.isEmpty && canUseIndex, "page \(page): \(failing)")
        case .schema, .pointerMap, .unknown: Issue.record("page \(page) \(damage): \(found)")
        }
        return found.owner
    }

    /// A write that reads the damage commits nothing, and the store can still write.
    private func expectNothingWritten(_ store: Store, _ failing: Set<String>, _ comment: Comment) async throws {
        guard let table = failing.first else { return }
        let isCommitted = try await isRight(comment) {
            try await store.write { db in
                try db.execute("UPDATE numbered SET text = 'copied' WHERE id = 1")
                _ = try? DamageSpecimen.rows(db, of: table)
            }
            return true
        }
        #expect(!isCommitted, comment)
        guard !failing.contains("numbered") else { return }
        let text = try await store.value("SELECT text FROM numbered WHERE id = 1", as: String.self)
        #expect(text == "number 1", comment)
        try await store.write { db in try db.execute("UPDATE numbered SET text = text WHERE id = 1") }
    }

    /// - Returns: Whether work was done, and not refused because of damage.
    private func isRight(_ comment: Comment, _ work: () async throws -> Bool) async throws -> Bool {
        do {
            #expect(try await work(), comment)
            return true
        } catch let error as StrongroomError {
            #expect(error.code == .damaged, "\(comment): \(error)")
            return false
        }
    }
}
