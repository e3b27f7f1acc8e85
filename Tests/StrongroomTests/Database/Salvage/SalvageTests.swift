import Foundation
// Internal: the layout of a page, which depends on the engine.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Salvaging a damaged file", .ending)
struct SalvageTests {
    @Test func aWholeFileComesOverCompletely() async throws {
        let specimen = try await DamageSpecimen()
        let store = try await specimen.vault.open()
        try await store.write { db in
            try db.execute("CREATE VIRTUAL TABLE found USING fts4(text)")
            for number in 0..<20 { try db.execute("INSERT INTO found VALUES (\("some words \(number)"))") }
            try db.execute("PRAGMA user_version = 42")
            try db.execute("PRAGMA application_id = 4711")
        }
        let schema = try await store.read { db in try Self.schema(db) }
        try await store.close()
        try FileManager.default.removeItem(atPath: specimen.vault.beside("lock"))
        let before = try DirectorySnapshot(specimen.vault.directory, ignoring: [])
        let (report, rescued) = try await specimen.salvage()
        try before.expectUntouched()
        #expect(report.isComplete, "\(report)")
        #expect(report.damagedPages == [] && report.missingObjects == [])
        try await rescued.using { store in
            #expect(try await store.read { db in try DamageSpecimen.rows(db) } == specimen.rows)
            #expect(try await store.read { db in try Self.schema(db) } == schema)
            let numbers = try await store.read { db in
                [
                    try db.value("PRAGMA user_version", as: Int.self),
                    try db.value("PRAGMA application_id", as: Int.self),
                    try db.value("SELECT seq FROM sqlite_sequence WHERE name = 'numbered'", as: Int.self),
                    try db.value("SELECT count(*) FROM found WHERE found MATCH 'words'", as: Int.self),
                ]
            }
            #expect(numbers == [42, 4711, 9, 20])
            // The trigger works, and the view; the full-text table can be written.
            try await store.write { db in
                try db.execute("INSERT INTO note (title) VALUES ('new')")
                try db.execute("INSERT INTO found VALUES ('more words')")
            }
            let counts = try await store.read { db in
                [
                    try db.value("SELECT notes FROM counter", as: Int.self),
                    try db.value("SELECT count(*) FROM titles", as: Int.self),
                    try db.value("SELECT count(*) FROM found WHERE found MATCH 'more'", as: Int.self),
                ]
            }
            #expect(counts == [45, 41, 1])
            #expect(try await store.verify().isIntact)
        }
    }

    private static func schema(_ db: borrowing ReadTransaction) throws -> Set<String> {
        var schema: Set<String> = []
        try db.forEachRow("SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master") { row in
            schema.insert(try row[0])
        }
        return schema
    }

    /// Each page in its turn: what comes over is right, what does not is told, and little else is lost.
    @Test func whatADamagedPageHidesIsToldAndTheRestComesOver() async throws {
        let specimen = try await DamageSpecimen()
        var (schemaPages, lossy, harmless, longValues) = (0, 0, 0, 0)
        for page in 2...specimen.pages {
            try specimen.put(specimen.damaged(page: page))
            let before = try DirectorySnapshot(specimen.vault.directory)
            let result: (report: SalvageReport, rescued: Vault)
            do {
                result = try await specimen.salvage()
            } catch let error as StrongroomError where error.message.contains("schema") {
                #expect(error.code == .damaged && error.message.contains("backup"))
                schemaPages += 1
                continue
            }
            try before.expectUntouched()
            #expect(result.report.damagedPages.map(\.number) == [page])
            try await specimen.expectHonest(result.report, result.rescued, "page \(page)")
            if result.report.isComplete { harmless += 1 } else { lossy += 1 }
            let notes = try #require(result.report.tables.first { $0.name == "note" })
            guard notes.rowsLost > 0, notes.unreadablePages == 0 else { continue }
            // The engine reads the last page of such a value as zeros, and is content.
            #expect(notes.rowsLost == 1 && notes.unreadablePages == 0 && notes.rowsCopied == 39)
            #expect(notes.lostRowIDs.count == 1 && notes.lostRowIDs.first?.count == 1)
            longValues += 1
        }
        // An engine with large pages has few.
        #expect(schemaPages > 0)
        #expect(lossy >= 8)
        #expect(harmless >= 2)
        #expect(longValues >= 4)
    }

    @Test func manyDamagedPagesAndAMissingEndAreNoHindrance() async throws {
        let specimen = try await DamageSpecimen()
        var generator = SeededGenerator(11)
        var salvaged = 0
        for round in 0..<20 {
            var bytes = specimen.whole
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let page = Int.random(in: 4..<specimen.pages, using: &generator)
                bytes[page * specimen.layout.pageSize + Int.random(in: 0..<200, using: &generator)] ^= 4
            }
            if generator.next().isMultiple(of: 2) {
                bytes = bytes.prefix(Int.random(in: bytes.count / 3..<bytes.count, using: &generator))
            }
            try specimen.put(bytes)
            let (report, rescued): (SalvageReport, Vault)
            do {
                (report, rescued) = try await specimen.salvage()
            } catch let error as StrongroomError where error.code == .damaged {
                #expect(error.message.contains("schema"), "round \(round): \(String(reflecting: error))")
                continue
            }
            try await specimen.expectHonest(report, rescued, "round \(round)")
            salvaged += 1
        }
        #expect(salvaged > 5)
    }

    // MARK: What cannot be salvaged

    @Test func aDamagedFirstPageIsNamedAndTheKeyIsSaidToBeRight() async throws {
        let specimen = try await DamageSpecimen()
        try specimen.put(specimen.flipped(at: 200))
        try await expectFailure(.damaged, saying: "first page", "the key is right") { try await specimen.salvage() }
        try specimen.expectNothingLeft()
    }

    @Test func aDamagedSaltIsAKeyThatDoesNotFitAndTheMessageSaysWhatCouldBeDone() async throws {
        let specimen = try await DamageSpecimen()
        try specimen.put(specimen.flipped(at: 3))
        try await expectFailure(.wrongKey, saying: "first 16 bytes") { try await specimen.salvage() }
        try specimen.expectNothingLeft()
    }

    @Test func nothingIsOverwritten() async throws {
        let specimen = try await DamageSpecimen()
        _ = try await specimen.salvage()
        let before = try DirectorySnapshot(specimen.rescue)
        try await expectFailure(.exists) {
            try await Stores(specimen.vault).salvage("vault.sqlite", to: specimen.rescue + "/vault.sqlite")
        }
        try await expectFailure(.exists) {
            try await Stores(specimen.vault).salvage("vault.sqlite", to: specimen.vault.path)
        }
        try before.expectUntouched()
    }

    @Test func anOpenFileIsRefused() async throws {
        let specimen = try await DamageSpecimen()
        try await specimen.vault.using { store in
            try await expectFailure(.alreadyOpen) { try await specimen.salvage() }
            try await store.write { db in try db.execute("INSERT INTO loose VALUES (1, 'still here')") }
        }
        try specimen.expectNothingLeft()
    }

    @Test func aPlaintextFileAndOneThatIsNotThereAreRefused() async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("")) { _ in .plaintext }
        try await vault.keep("a")
        let target = directory.path("rescue/vault.sqlite")
        try await expectFailure(.plaintextFile) { try await Stores(vault).salvage("vault.sqlite", to: target) }
        try await expectFailure(.fileMissing) { try await Stores(vault).salvage("vault_b.sqlite", to: target) }
        try await expectFailure(.noConfiguration) { try await Stores(vault).salvage("other.sqlite", to: target) }
    }

    @Test func aCancelledSalvageLeavesNothing() async throws {
        let specimen = try await DamageSpecimen()
        await expectCancelled { report in
            try await Stores(specimen.vault).salvage("vault.sqlite", to: specimen.rescue + "/vault.sqlite") {
                report($0)
            }
        }
        try specimen.expectNothingLeft()
        #expect(try await specimen.salvage().report.isComplete)
    }

    @Test func whatIsOnlyInTheLogOfAKilledProcessComesOver() async throws {
        let directory = try TemporaryDirectory()
        try await Vault(directory.path(""), keys: .numbered(9)).keep("in the file")
        let vault = Vault(directory.path(""), keys: .numbered(9), .numbered(10))
        await vault.leaveLog(key: 9)
        let before = try DirectorySnapshot(directory.path(""))
        let rescue = try TemporaryDirectory()
        let report = try await Stores(vault).salvage("vault.sqlite", to: rescue.path("vault.sqlite"))
        #expect(report.isComplete)
        try before.expectUntouched()
        // The new file has the current key.
        #expect(try await Vault(rescue.path(""), keys: .numbered(10)).lines() == ["in the file", "in the log"])
    }
}

extension DamageSpecimen {
    /// Where salvaged files go.
    var rescue: String { directory.path("rescue") }

    /// Salvages the file into a fresh directory.
    func salvage() async throws -> (report: SalvageReport, rescued: Vault) {
        try? FileManager.default.removeItem(atPath: rescue)
        let report = try await Stores(vault).salvage("vault.sqlite", to: rescue + "/vault.sqlite")
        let names = try FileManager.default.contentsOfDirectory(atPath: rescue)
        #expect(names == ["vault.sqlite"])
        return (report, Vault(rescue, keys: .numbered(1)).with(\.migrator, nil))
    }

    func expectNothingLeft() throws {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: rescue)) ?? []
        #expect(names == [])
    }

    /// Checks that every row that came over is right, and that the report tells what did not.
    func expectHonest(_ report: SalvageReport, _ rescued: Vault, _ comment: Comment) async throws {
        let found = try await rescued.using { store in
            #expect(try await store.verify().isIntact, comment)
            return try await store.read { db in try Self.rows(db) }
        }
        #expect(report.missingObjects == [], comment)
        for (name, all) in rows {
            let table = try #require(report.tables.first { $0.name == name })
            let copied = found[name] ?? []
            #expect(table.rowsCopied == copied.count, "\(comment) \(name)")
            #expect(Set(copied).isSubset(of: all), "\(comment) \(name): a row that never was")
            let lost = all.filter { !copied.contains($0) }
            if table.unreadablePages == 0 { #expect(lost.count == table.rowsLost, "\(comment) \(name)") }
            #expect(table.isComplete == lost.isEmpty || table.unreadablePages > 0, "\(comment) \(name)")
            guard name != "word", name != "counter" else { continue }
            for row in lost {
                let id = try #require(row.split(separator: "|").first.flatMap { Int64($0) })
                #expect(table.lostRowIDs.contains { $0.contains(id) }, "\(comment) \(name) \(id)")
            }
            for row in copied {
                let id = try #require(row.split(separator: "|").first.flatMap { Int64($0) })
                #expect(!table.lostRowIDs.contains { $0.contains(id) }, "\(comment) \(name) \(id)")
            }
        }
    }
}
