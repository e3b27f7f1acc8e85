import Foundation
import Strongroom
import StrongroomTesting
import Testing

let slug = SQLFunction("slug", deterministic: true) { (title: String) in
    title.lowercased().replacing(" ", with: "-")
}

let distance = SQLFunction("distance", deterministic: true) { (x: Double, y: Double) in (x * x + y * y).squareRoot() }

let byLength = Collation("by_length") { left, right in
    left.count < right.count ? .orderedAscending : left.count > right.count ? .orderedDescending : .orderedSame
}

@Table("entry")
struct Entry {
    var id: Int64?
    var title: String
    var x: Double
    var y: Double
}

struct Journal: Configuration {
    static let target = "journal"
    let directory: String

    func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database)" }
    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.passphrase("a long passphrase")) }
    func migrator(for database: DatabaseName) -> Migrator? { .automatic(tables: [Entry.schema]) }
    func functions(for database: DatabaseName) -> [any DatabaseFunction] { [slug, distance] }
    func collations(for database: DatabaseName) -> [Collation] { [byLength] }
}

@Suite("The examples of \"Functions and collations in Swift\"")
struct FunctionsAndCollationsExamples {
    @Test func theExamplesRun() async throws {
        let directory = try TemporaryDirectory()
        let store = try await Stores(Journal(directory: directory.path(""))).open("journal.sqlite")
        try await store.write { db in
            for (title, x) in [("First Entry", 0.5), ("Ö 1815", 1), ("Z 10", 5), ("Z 9", 7)] {
                try Entry.insert(Entry(title: title, x: x, y: 0), in: db)
            }
        }
        try await store.read { db in
            let entries = try Entry.where { slug($0.title) == "first-entry" }.fetch(in: db)
            let near = try Entry.order { distance($0.x, $0.y).ascending }.limit(2).fetch(in: db)
            let first = try db.value("SELECT slug(title) FROM entry LIMIT 1", as: String.self)
            #expect(entries.count == 1 && near.map(\.x) == [0.5, 1] && first == "first-entry")
            let height = 4.0
            let high = try Entry.where { distance($0.x, Computed("\(height)")) > 6 }.fetch(in: db)
            #expect(high.map(\.x) == [5, 7])
            let swedish = try Entry.order { $0.title.collated(.locale("sv")).ascending }.fetch(in: db)
            let last = try db.value(
                "SELECT title FROM entry ORDER BY title COLLATE locale_numeric_en DESC", as: String.self)
            #expect(swedish.map(\.title) == ["First Entry", "Z 10", "Z 9", "Ö 1815"] && last == "Z 10")
            let lengths = try Entry.order { $0.title.collated(byLength).ascending }.fetch(in: db).map(\.title)
            #expect(lengths.first == "Z 9")
            let years = try Entry.where { $0.title.matches("(18|19)[0-9]{2}$") }.fetch(in: db)
            #expect(years.count == 1)
        }
        try await store.write { db in try db.reindex(.locale("sv")) }
        try await store.close()
    }
}
