import Foundation
// Internal: which page of a file is which, that nothing public tells.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Salvaging rows to which no page leads any more", .ending)
struct OrphanedPagesTests {
    @Test func `every row of a sound leaf comes over when the first page of its table is damaged`() async throws {
        let specimen = try await TreeSpecimen()
        for (table, _) in TreeSpecimen.tables where table != "pair" {
            let root = try #require(specimen.pages(table, .root).first)
            let result = try await specimen.salvage(damaging: [root])
            #expect(result.0.isComplete, "\(result.0)")
            let content = try #require(result.0.tables.first { $0.name == table })
            #expect(content.rowsFound == content.rowsCopied && content.rowsCopied == specimen.rows[table]?.count)
            #expect(result.0.description.contains("found by a scan") && !result.0.description.contains("lost"))
            try await specimen.expectAllBut([root], result, "root of \(table)")
        }
    }

    @Test func `every row of a sound leaf comes over when an inner page is damaged`() async throws {
        let specimen = try await TreeSpecimen()
        let inner = specimen.pages("wide", .inner)
        #expect(inner.count >= 2)
        for page in inner {
            let result = try await specimen.salvage(damaging: [page])
            #expect(result.0.isComplete, "\(result.0)")
            try await specimen.expectAllBut([page], result, "inner page \(page)")
        }
        // With the first page as well, and with all of them.
        let root = specimen.pages("wide", .root)
        for pages in [root + inner.prefix(1), root + inner] {
            try await specimen.expectAllBut([], try await specimen.salvage(damaging: pages), "pages \(pages)")
        }
    }

    @Test func `the report tells what a damaged leaf or long value has taken`() async throws {
        let specimen = try await TreeSpecimen()
        for (table, _) in TreeSpecimen.tables {
            for role in [TreeSpecimen.Role.leaf, .overflow] {
                let pages = specimen.pages(table, role)
                for page in Set([pages.first, pages.last].compactMap { $0 }).sorted() {
                    let result = try await specimen.salvage(damaging: [page])
                    try await specimen.expectAllBut([page], result, "\(role) \(page) of \(table)")
                }
            }
        }
        // An index tells how many rows of a leaf are gone; without one nobody knows.
        let counted = try await specimen.salvage(damaging: [specimen.pages("person", .leaf)[1]]).0
        let person = try #require(counted.tables.first { $0.name == "person" })
        #expect(person.isLossCounted && person.rowsLost > 0 && counted.description.contains("\(person.rowsLost) lost"))
        let unknown = try await specimen.salvage(damaging: [specimen.pages("wide", .leaf)[1]]).0
        let wide = try #require(unknown.tables.first { $0.name == "wide" })
        #expect(!wide.isLossCounted && wide.rowsLost == 0)
        #expect(!unknown.description.contains("0 lost") && unknown.description.contains("is unknown"))
    }

    @Test func `a leaf that is damaged together with the page above it is told`() async throws {
        let specimen = try await TreeSpecimen()
        let root = specimen.pages("event", .root)
        let leaf = specimen.pages("event", .leaf)[2]
        let overflow = specimen.pages("event", .overflow)[0]
        for pages in [root + [leaf], root + [overflow]] {
            let result = try await specimen.salvage(damaging: pages)
            try await specimen.expectAllBut(pages, result, "pages \(pages)")
        }
        // Below an inner page that is sound, but to which no page leads.
        let wide = specimen.pages("wide", .root) + [specimen.pages("wide", .leaf)[5]]
        try await specimen.expectAllBut(wide, try await specimen.salvage(damaging: wide), "pages \(wide)")
    }

    @Test func `of a table without row ids the sound pages come over`() async throws {
        let specimen = try await TreeSpecimen()
        let root = try #require(specimen.pages("pair", .root).first)
        let result = try await specimen.salvage(damaging: [root])
        let content = try #require(result.0.tables.first { $0.name == "pair" })
        let lost = try #require(specimen.pages[root]).rows.count
        // The first page has a few rows of its own.
        #expect(content.rowsCopied >= 400 - specimen.pages("pair", .leaf).count && content.rowsCopied < 400)
        #expect(!content.isComplete && !content.isLossCounted)
        #expect(lost == 0 || content.rowsCopied == 400 - lost)
        let found = try await result.1.using { store in try await store.read { db in try TreeSpecimen.rows(db) } }
        #expect(found["pair"]?.isSubset(of: specimen.rows["pair"] ?? []) == true)
        #expect(found["pair"]?.count == content.rowsCopied)
    }

    @Test func `damage to indexes and unused pages loses nothing and brings no deleted row back`() async throws {
        let specimen = try await TreeSpecimen()
        let unused = specimen.pages("", .unused)
        #expect(unused.count > 10)
        let index = specimen.pages("person_name", .root) + specimen.pages("person_name", .leaf).prefix(1)
        for page in index + specimen.pages("", .trunk).prefix(1) + unused.prefix(1) {
            let result = try await specimen.salvage(damaging: [page])
            #expect(
                result.0.isComplete && result.0.tables.allSatisfy { $0.rowsFound == 0 }, "page \(page): \(result.0)")
            try await specimen.expectAllBut([], result, "page \(page)")
        }
    }

    // MARK: What cannot be told

    /// Without the list of unused pages a deleted row cannot be told from one that is there.
    @Test func `deleted rows do not go to a table when the list of unused pages is damaged`() async throws {
        let specimen = try await TreeSpecimen()
        let trunks = specimen.pages("", .trunk)
        let pages = trunks + specimen.pages("wide", .root)
        let (report, rescued) = try await specimen.salvage(damaging: pages)
        let wide = try #require(report.tables.first { $0.name == "wide" })
        let aside = try #require(report.lostAndFound)
        #expect(!report.isComplete && !wide.isComplete && aside.mayHaveDeletedRows && aside.candidates == ["wide"])
        #expect(report.description.contains("deleted rows may be among them"))
        try await rescued.using { store in
            let found = try await store.read { db in try TreeSpecimen.rows(db) }
            #expect(found["wide"] == [])
            // All the same they are there for whoever knows them.
            let kept = try await store.read { db in
                var rows: Set<String> = []
                try db.forEachRow("SELECT id || '|' || hex(c1) FROM lost_and_found WHERE fields = 2") { row in
                    rows.insert(try row[0])
                }
                return rows
            }
            #expect(kept.isSuperset(of: specimen.rows["wide"] ?? []))
        }
        // Indexes know the rows that are there.
        let person = trunks + specimen.pages("person", .root)
        let result = try await specimen.salvage(damaging: person)
        #expect(result.0.tables.first { $0.name == "person" }?.isComplete == true, "\(result.0)")
        try await specimen.expectAllBut(person, result, "pages \(person)")
    }

    @Test func `tables that differ are told apart when both have lost their first pages`() async throws {
        let specimen = try await TreeSpecimen()
        let names = ["person", "event", "loose", "wide"]
        let pages = names.compactMap { specimen.pages($0, .root).first }
        let result = try await specimen.salvage(damaging: pages)
        #expect(result.0.lostAndFound == nil && result.0.isComplete, "\(result.0)")
        try await specimen.expectAllBut(pages, result, "pages \(pages)")
    }

    /// Two tables of one form.
    private static func twoTables(
        _ more: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
    ) async throws -> TreeSpecimen {
        try await TreeSpecimen { db in
            for name in ["one", "two"] {
                try db.execute("CREATE TABLE \(name: name) (id INTEGER PRIMARY KEY, text TEXT)")
                for number in 1...200 {
                    let text = "\(name) \(number) \(String(repeating: "y", count: 200))"
                    try db.execute("INSERT INTO \(name: name) VALUES (\(number), \(text))")
                }
            }
            try more(db)
        }
    }

    @Test(arguments: [true, false])
    func `rows that may be of two tables go to neither`(isKept: Bool) async throws {
        let specimen = try await Self.twoTables { db in try db.execute("CREATE TABLE lost_and_found (a)") }
        let pages = ["one", "two"].compactMap { specimen.pages($0, .root).first }
        let (report, rescued) = try await specimen.salvage(damaging: pages, keepingUnattributed: isKept)
        let aside = try #require(report.lostAndFound)
        #expect(aside.rows == 400 && aside.candidates == ["one", "two"] && !aside.mayHaveDeletedRows)
        // A name that is taken.
        #expect(aside.table == (isKept ? "lost_and_found_0" : nil))
        #expect(
            report.tables.filter { ["one", "two"].contains($0.name) }.allSatisfy {
                !$0.isComplete && $0.rowsCopied == 0
            })
        try await rescued.using { store in
            #expect(try await store.verify().isIntact)
            let counts = try await store.read { db in
                guard isKept else {
                    return [
                        try db.value(
                            "SELECT count(*) FROM sqlite_master WHERE name LIKE 'lost_and_found_%'", as: Int.self)
                    ]
                }
                return [
                    try db.value(
                        "SELECT count(*) FROM lost_and_found_0 WHERE candidates = 'one, two' AND c0 IS NULL",
                        as: Int.self),
                    try db.value("SELECT count(DISTINCT c1) FROM lost_and_found_0 WHERE c1 LIKE 'one %'", as: Int.self),
                ]
            }
            #expect(counts == (isKept ? [400, 200] : [0]))
        }
    }

    @Test func `an index tells tables of one form apart`() async throws {
        let specimen = try await Self.twoTables { db in
            for name in ["one", "two"] {
                try db.execute("CREATE INDEX \(name: name + "_text") ON \(name: name) (text)")
            }
        }
        let pages = ["one", "two"].compactMap { specimen.pages($0, .root).first }
        let (report, rescued) = try await specimen.salvage(damaging: pages)
        #expect(report.isComplete, "\(report)")
        try await rescued.using { store in
            for name in ["one", "two"] {
                let count = try await store.read { db in
                    try db.value("SELECT count(*) FROM \(name: name) WHERE text LIKE \(name + " %")", as: Int.self)
                }
                #expect(count == 200)
            }
        }
    }
}
