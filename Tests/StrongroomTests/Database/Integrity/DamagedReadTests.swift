import Foundation
// Internal: the size of a page, which depends on the engine.
@testable import Strongroom
import StrongroomTesting
import Testing

/// A page is damaged at the end of a long value, which the engine reads as zeros without an error.
@Suite("Whichever way a damaged page is read", .ending)
struct DamagedReadTests {
    @Table("page", in: "vault.sqlite")
    struct Page: Equatable {
        var id: Int64?
        var title: String
        var content: [UInt8]
        var note: String?
    }

    /// One way to read the page with the damage.
    enum Way: CaseIterable {
        case text, blob, blockingRead, fetch, find, all, cursor, tableFind, tableFetch, values
        case stream, streamThatIsLeft, writeThatReads, writeAlone, deferredWrite, thrownResult, swallowed, savepoint
    }

    private static let count: Int64 = 5

    private let directory: TemporaryDirectory
    private let vault: Vault
    private let pageSize: Int
    // Each fills ten pages.
    private let content: [UInt8]
    private let note: String

    init() throws {
        let pageSize = try CipherSettings.engineDefault().pageSize
        self.pageSize = pageSize
        content = (0..<10 * pageSize).map { UInt8(truncatingIfNeeded: $0 % 250 + 1) }
        note = String(repeating: "0123456789", count: pageSize)
        directory = try TemporaryDirectory()
        vault = Vault(directory.path(""), keys: .numbered(1))
            .with(\.migrator, Migrator { Migration("1") { db in try db.createTable(Page.schema) } })
            // One reader, so that it is the same one that reads again.
            .with(\.settings, StoreSettings(readers: 1, groupDuration: .seconds(1_000)))
    }

    private struct Result: Error {
        let page: Page?
    }

    private func isWhole(_ page: Page?) -> Bool {
        page?.content == content && page?.note == note
    }

    /// - Returns: What was read, which is wrong or nothing unless it is whole.
    private func read(_ way: Way, _ store: Store) async throws -> Page? {
        let query = Page.order { $0.id.ascending }
        switch way {
        case .text:
            let note = try await store.value("SELECT note FROM page WHERE id = 3", as: String.self)
            return Page(id: 3, title: "", content: content, note: note)
        case .blob:
            let found = try await store.read { db in
                try db.value("SELECT content FROM page WHERE id = 3", as: [UInt8].self)
            }
            return Page(id: 3, title: "", content: found ?? [], note: note)
        case .blockingRead: return try await onThread { try store.read { db in try Page.find(3, in: db) } }
        case .fetch: return try await store.read { db in try query.fetch(in: db).first { $0.id == 3 } }
        case .find: return try await store.read { db in try Page.find(3, in: db) }
        case .all: return try await store.read { db in try Page.all(in: db).first { $0.id == 3 } }
        case .cursor:
            return try await store.read { db in
                var found: Page?
                try query.forEach(in: db) { page in if page.id == 3 { found = page } }
                return found
            }
        case .tableFind: return try await store.table(Page.self).find(3)
        case .tableFetch: return try await store.table(Page.self).fetch(query).first { $0.id == 3 }
        default: return try await readOtherwise(way, store)
        }
    }

    private func readOtherwise(_ way: Way, _ store: Store) async throws -> Page? {
        let last = Page.where { $0.id == 3 }
        switch way {
        case .values:
            for try await page in store.values({ db in try Page.find(3, in: db) }) { return page }
            return nil
        case .stream:
            var found: Page?
            for try await page in store.stream(last) { found = page }
            return found
        case .streamThatIsLeft:
            // Of a batch nothing is handed out before all of it has been checked.
            for try await page in store.stream(last) { return page }
            return nil
        case .writeThatReads: return try await store.write { db in try Page.find(3, in: db) }
        case .writeAlone: return try await store.write(as: .immediate) { db in try Page.find(3, in: db) }
        case .deferredWrite: return try await store.write(as: .deferred) { db in try Page.find(3, in: db) }
        default: return try await readInPassing(way, store)
        }
    }

    private func readInPassing(_ way: Way, _ store: Store) async throws -> Page? {
        switch way {
        case .thrownResult:
            do {
                try await store.read { db in throw Result(page: try Page.find(3, in: db)) }
            } catch let result as Result {
                return result.page
            }
            return nil
        case .swallowed:
            let (content, note) = (content, note)
            return try await store.read { db in
                var page: Page?
                do { page = try Page.find(3, in: db) } catch is StrongroomError {}
                return page ?? Page(title: "", content: content, note: note)
            }
        case .savepoint:
            return try await store.write { db in
                try db.savepoint { db in
                    try db.execute("UPDATE page SET title = 'new' WHERE id = 1")
                    return try Page.find(3, in: db)
                }
            }
        default: return nil
        }
    }

    @Test(arguments: Way.allCases)
    func itIsToldAndNothingWrongIsHandedOut(way: Way) async throws {
        let damaged = try await withEachPageDamaged { store in
            // Twice: the first time must not leave anything in the reader that the second one believes.
            for _ in 0..<2 {
                do {
                    let page = try await read(way, store)
                    #expect(isWhole(page))
                    return false
                } catch let error as StrongroomError {
                    #expect(error.code == .damaged, "\(error)")
                    #expect(error.message.contains("doctor") && error.message.contains("salvage"))
                    #expect(error.message.contains("backup"))
                    #expect(error.database == "vault.sqlite")
                }
            }
            // The rest can be read.
            #expect(try await store.read { db in try Page.find(1, in: db)?.title } == "page 1")
            return true
        }
        #expect(damaged >= 10)
    }

    @Test func ofWritesThatShareATransactionTheOneThatReadItIsTold() async throws {
        let damaged = try await withEachPageDamaged { store in
            let canEnd = Moment()
            let first = try await store.holdWriter(until: canEnd) { db in
                try db.execute("INSERT INTO page (title, content) VALUES ('first', x'01')")
            }
            let reading = try await store.waiting {
                try await store.write { db in
                    try db.execute("INSERT INTO page (title, content) VALUES ('copy', x'01')")
                    // Last: the engine has nothing to refuse after it.
                    return try Page.find(3, in: db)
                }
            }
            let after = try await store.waiting {
                try await store.write { db in
                    try db.execute("INSERT INTO page (title, content) VALUES ('after', x'01')")
                }
            }
            canEnd.come()
            var isDamaged = false
            do {
                #expect(isWhole(try await reading.value))
                try await first.value
            } catch let error as StrongroomError {
                isDamaged = true
                #expect(error.code == .damaged, "\(error)")
                // It has read nothing damaged, but its transaction is the other one's.
                try await expectFailure(.transactionEnded) { try await first.value }
            }
            _ = try await after.value
            let titles = try await store.value("SELECT group_concat(title) FROM page WHERE id > 5", as: String.self)
            #expect(titles == (isDamaged ? "after" : "first,copy,after"))
            return isDamaged
        }
        #expect(damaged >= 20)
    }

    /// A stream reads 256 records at a time; the engine has nothing to refuse after the last one of them. The second
    /// batch is read ahead, and another one after it without a pause.
    @Test(arguments: [256, 512] as [Int64]) func nothingWrongIsHandedOutAtTheEndOfABatch(last: Int64) async throws {
        let damaged = try await damageEachPage(long: last, of: last + 1) { vault in
            try await vault.using { store in
                do {
                    for try await page in store.stream(Page.order { $0.id.ascending }) where page.id == last {
                        #expect(isWhole(page))
                    }
                    return false
                } catch let error as StrongroomError {
                    #expect(error.code == .damaged, "\(error)")
                    return true
                }
            }
        }
        #expect(damaged >= 10)
    }

    @Test func aMigrationThatReadItIsUndone() async throws {
        let copying = Migrator {
            Migration("1") { db in try db.createTable(Page.schema) }
            Migration("2") { db in try db.execute("CREATE TABLE copy AS SELECT * FROM page") }
        }
        let damaged = try await damageEachPage { vault in
            do {
                try await vault.with(\.migrator, copying).using { store in
                    let found = try await store.value("SELECT note FROM copy WHERE id = 3", as: String.self)
                    #expect(found == note)
                }
                return false
            } catch let error as StrongroomError {
                #expect(error.code == .migrationFailed)
                #expect((error.underlying as? StrongroomError)?.code == .damaged)
                #expect(error.message.contains("doctor") && !error.message.contains("Correct the migration"))
                try await vault.using { store in #expect(store.openReport.migration?.applied == []) }
                return true
            }
        }
        #expect(damaged >= 20)
    }

    @Test func vacuumDoesNotMakeItGood() async throws {
        let damaged = try await withEachPageDamaged { store in
            var isTold = false
            do { try await store.vacuum() } catch let error as StrongroomError {
                isTold = true
                #expect(error.code == .damaged, "\(error)")
            }
            do {
                #expect(isWhole(try await store.table(Page.self).find(3)))
            } catch let error as StrongroomError {
                #expect(error.code == .damaged)
                isTold = true
            }
            return isTold
        }
        #expect(damaged >= 20)
    }

    // MARK: Planting

    /// - Parameter work: Tells whether it was told of damage.
    /// - Returns: How often it was.
    private func withEachPageDamaged(_ work: (Store) async throws -> Bool) async throws -> Int {
        try await damageEachPage { vault in try await vault.using(work) }
    }

    /// Works with the file as often as it has pages that opening does not need, each time with another one damaged.
    ///
    /// - Parameters:
    ///   - long: The record whose values fill pages of their own.
    ///   - count: How many records there are.
    private func damageEachPage(
        long: Int64 = 3, of count: Int64 = count, _ work: (Vault) async throws -> Bool
    ) async throws -> Int {
        try await vault.write { db in
            for id in 1...count {
                let isLong = id == long
                let page = Page(
                    id: id, title: "page \(id)", content: isLong ? content : [1], note: isLong ? note : nil)
                try Page.insert(page, in: db)
            }
        }
        let file = URL(filePath: vault.path)
        let whole = try Data(contentsOf: file)
        var told = 0
        for page in 2...whole.count / pageSize {
            var bytes = whole
            bytes[(page - 1) * pageSize + pageSize / 2] ^= 0x10
            try bytes.write(to: file)
            do {
                _ = try await vault.using { store in try await store.read { db in try Page.find(1, in: db) } }
            } catch let error as StrongroomError where error.code == .damaged {
                // Nothing can be read without this one.
                continue
            }
            if try await work(vault) { told += 1 }
            for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: vault.path + ending) }
        }
        return told
    }
}
