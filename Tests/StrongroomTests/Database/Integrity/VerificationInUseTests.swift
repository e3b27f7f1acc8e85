import Foundation
// Internal: the size of a page, which depends on the engine.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Verifying a store that is in use", .ending)
struct VerificationInUseTests {
    private let vault = Vault(keys: .numbered(1))
        .with(\.settings, StoreSettings(readers: 3, busyTimeout: .milliseconds(10)))

    private func addLines(_ store: Store, _ count: Int) async throws {
        try await store.write { db in
            for _ in 0..<count { try db.execute("INSERT INTO line VALUES (hex(randomblob(2000)))") }
        }
    }

    @Test func findsNothingWhileOthersReadAndWrite() async throws {
        // A reader that meets a half-written header of the WAL index takes the write lock while it reads it again.
        let vault = vault.with(\.settings, StoreSettings(readers: 3))
        try await vault.using { store in
            try await addLines(store, 50)
            let isOver = Moment()
            let others = (0..<4).map { number in
                Task {
                    while !isOver.isPast {
                        if number == 0 {
                            try await addLines(store, 20)
                            try await store.write { db in try db.execute("DELETE FROM line WHERE rowid % 3 = 0") }
                        } else {
                            _ = try await store.value("SELECT sum(length(text)) FROM line", as: Int.self)
                        }
                    }
                }
            }
            for _ in 0..<20 {
                let report = try await store.verify()
                #expect(report.isIntact, "\(report)")
            }
            isOver.come()
            for other in others { try await other.value }
        }
    }

    /// Runs work while a reader keeps the log from being emptied.
    private func withLog(_ store: Store, _ work: () async throws -> Void) async throws {
        let canEnd = Moment()
        let reader = try await store.holdReader(until: canEnd)
        try await addLines(store, 12)
        do { try await work() } catch {
            canEnd.come()
            throw error
        }
        canEnd.come()
        try await reader.value
    }

    @Test func checksWhatAReaderKeepsInTheLog() async throws {
        try await vault.using { store in
            try await addLines(store, 10)
            try await withLog(store) {
                #expect(try await store.verify().isIntact)
                let log = vault.path + "-wal"
                let whole = try Data(contentsOf: URL(filePath: log))
                let frame = 24 + (try CipherSettings.engineDefault().pageSize)
                #expect(whole.count > 32 + 5 * frame)
                // The newest form of a page, in its middle.
                var damagedFrames = 0
                for index in stride(from: 32, to: whole.count, by: frame) {
                    try change(log, at: index + 24 + 300, whole[index + 24 + 300] ^ 1)
                    let report = try await store.verify()
                    let page = whole[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
                    if !report.damagedPages.isEmpty {
                        #expect(report.damagedPages.map(\.number) == [page])
                        #expect(!report.isIntact)
                        damagedFrames += 1
                    }
                    try change(log, at: index + 24 + 300, whole[index + 24 + 300])
                }
                #expect(damagedFrames > 5)
                #expect(try await store.verify().isIntact)
            }
            #expect(try await store.verify().isIntact)
        }
    }

    /// Not through a descriptor on the database itself, which would drop the engine's locks: on the log it holds none.
    private func change(_ path: String, at offset: Int, _ byte: UInt8) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: [byte])
        try handle.close()
    }

    /// The pages of its lost frames would be taken from the file, which has older ones.
    @Test(arguments: [false, true])
    func aLogThatWasShortenedOrRestartedIsNoticed(isRestarted: Bool) async throws {
        let size = try CipherSettings.engineDefault().pageSize
        let store = try await vault.open()
        try await addLines(store, 50)
        let log = vault.path + "-wal"
        try await store.pool.perform(.ungroupedWrite) { connection in
            try connection.inSnapshotOfPages { published in
                let published = try #require(published)
                #expect(try DatabasePages(of: connection, pageSize: size, in: published).isLogIntact)
                if isRestarted {
                    try change(log, at: 32 + 8, 0)
                    try change(log, at: 32 + 9, 0)
                } else {
                    let handle = try FileHandle(forUpdating: URL(filePath: log))
                    try handle.truncate(atOffset: UInt64(32 + (published.frames - 1) * (24 + size)))
                    try handle.close()
                }
                #expect(try !DatabasePages(of: connection, pageSize: size, in: published).isLogIntact)
            }
        }
        try? await store.close()
    }

    /// A new connection cannot read the schema then.
    @Test func damageOfTheSchemaIsReportedByAnOpenStore() async throws {
        // Not by this process, whose descriptor on the file would drop the engine's locks.
        let dd = try #require(Program(at: "/bin/dd"))
        let size = try CipherSettings.engineDefault().pageSize
        try await vault.using { store in
            try await store.write { db in
                for number in 0..<60 {
                    let name = "filler_\(number)_\(String(repeating: "x", count: 100))"
                    try db.execute("CREATE VIEW \(name: name) AS SELECT 1")
                }
            }
            _ = try await store.checkpoint()
            let pages = try await store.pool.perform(.ungroupedWrite) { connection in
                let key = try #require(store.file.pageKey)
                let cipher = try PageCipher(key)
                return try connection.inSnapshotOfPages { log in
                    let pages = try DatabasePages(of: connection, pageSize: size, in: log)
                    var found: [Int] = []
                    try TreeWalk(contents: PageContents(pages: pages, cipher: cipher)).walk(1) { event in
                        if case .page(let number) = event { found.append(number) }
                    }
                    return found
                }
            }
            let page = try #require(pages.last { $0 > 1 })
            let place = "seek=\((page - 1) * size + 100)"
            let result = try dd.run(["of=\(vault.path)", "bs=1", "conv=notrunc", "count=5", place], input: "xxxxx")
            #expect(result.status == 0)
            let report = try await store.verify()
            #expect(report.damagedPages.map(\.number) == [page], "\(report)")
        }
    }

    @Test(arguments: [1, 3])
    func readsContinue(readers: Int) async throws {
        let settings = StoreSettings(readers: readers, busyTimeout: .milliseconds(10))
        try await vault.with(\.settings, settings).using { store in
            try await addLines(store, 50)
            let isFirst = Once()
            let report = try await store.verify { _ in
                guard isFirst() else { return }
                let isRead = Moment()
                Task {
                    let count = try await store.lineCount()
                    #expect(count == 50)
                    isRead.come()
                }
                do { try isRead.block() } catch { Issue.record(error) }
            }
            #expect(report.isIntact)
        }
    }

    /// As it is while another process checkpoints the WAL.
    @Test func aPageThatIsBeingWrittenFromTheLogIsNotDamaged() async throws {
        // Not by this process, whose descriptor on the file would drop the engine's locks.
        let dd = try #require(Program(at: "/bin/dd"))
        let size = try CipherSettings.engineDefault().pageSize
        try await vault.using { store in
            try await addLines(store, 10)
            try await withLog(store) {
                let log = try Data(contentsOf: URL(filePath: vault.path + "-wal"))
                let file = try FileManager.default.attributesOfItem(atPath: vault.path)[.size] as? Int ?? 0
                var pages: Set<Int> = []
                for index in stride(from: 32, to: log.count, by: 24 + size) {
                    pages.insert(log[index..<index + 4].reduce(0) { $0 << 8 | Int($1) })
                }
                // Those that the file has already and that are not the first, which readers of before need.
                let written = pages.filter { $0 > 1 && $0 * size <= file }
                #expect(!written.isEmpty)
                for page in written {
                    let place = "seek=\((page - 1) * size + 100)"
                    let result = try dd.run(
                        ["of=\(vault.path)", "bs=1", "conv=notrunc", "count=5", place], input: "xxxxx")
                    #expect(result.status == 0)
                }
                let report = try await store.verify()
                #expect(report.damagedPages == [])
            }
        }
    }

    /// One snapshot is checked, whatever others commit meanwhile.
    @Test(arguments: [true, false])
    func writesDoNotWait(checksStructure: Bool) async throws {
        try await vault.using { store in
            try await addLines(store, 50)
            let isFirst = Once()
            let report = try await store.verify(checkingStructure: checksStructure) { _ in
                guard isFirst() else { return }
                let isWritten = Moment()
                Task {
                    try await store.write { db in try db.execute("DELETE FROM line") }
                    try await addLines(store, 100)
                    isWritten.come()
                }
                do { try isWritten.block() } catch { Issue.record(error) }
            }
            #expect(report.isIntact && report.isAuthenticated, "\(report)")
            #expect(try await store.verify().isIntact)
        }
    }

    @Test func withoutTheStructureOnlyPagesAreChecked() async throws {
        try await vault.using { store in
            try await store.write { db in try db.execute("CREATE INDEX line_text ON line (text)") }
            try await addLines(store, 3)
        }
        try await SourceFile.rewriteSchema(vault, "sql = replace(sql, '(text)', '(text DESC)')", of: "line_text")
        try await vault.using { store in
            let steps = Locked<Set<WorkProgress.Phase>>([])
            let report = try await store.verify(checkingStructure: false) { step in
                _ = steps.withLock { $0.insert(step.phase) }
            }
            #expect(report.isIntact && report.pages > 3 && steps.withLock { $0 } == [.checking])
            #expect(try await !store.verify().isIntact)
        }
    }

    @Test func canBeCancelled() async throws {
        try await vault.using { store in
            try await addLines(store, 500)
            await expectCancelled { report in try await store.verify { report($0) } }
            #expect(try await store.verify().isIntact)
            try await addLines(store, 1)
        }
    }

    @Test func aPlaintextFileHasOnlyTheEnginesChecks() async throws {
        let directory = try TemporaryDirectory()
        let plain = Vault(directory.path("plain")) { _ in .plaintext }
        try await plain.using { store in
            try await addLines(store, 50)
            let report = try await store.verify()
            #expect(report.isIntact && !report.isAuthenticated)
            #expect(report.pages > 10 && report.bytes > 100_000)
        }
    }

    @Test func valuesThatPointNowhereAreTold() async throws {
        let migrator = Migrator {
            Migration("1") { db in
                try db.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
                try db.execute("CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent (id))")
            }
        }
        let family = vault.with(\.migrator, migrator)
        try await family.using { store in
            let violations = try await store.verify().foreignKeyViolations
            #expect(violations == [])
        }
        let careless = try vault.connection()
        try careless.run("INSERT INTO child VALUES (7, 8)")
        careless.close()
        try await family.using { store in
            let report = try await store.verify()
            #expect(report.isIntact)
            #expect(report.foreignKeyViolations.map(\.table) == ["child"])
            #expect(report.foreignKeyViolations.first?.rowID == 7)
            #expect(report.foreignKeyViolations.first?.parentTable == "parent")
        }
    }
}
