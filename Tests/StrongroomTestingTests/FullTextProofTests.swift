import Strongroom
import StrongroomTesting
import Testing

@Suite("Proving migrations of full-text indexes")
struct FullTextProofTests {
    @Table("essay", fullText: [FullTextIndex(on: "title")])
    struct Essay: Equatable {
        var id: Int64?
        var title: String
    }

    private struct Essays: Configuration {
        static let target = "essays"

        var migrator: Migrator
        var tokenizers: [TextTokenizer] = []

        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.passphrase("essays")) }
        func migrator(for database: DatabaseName) -> Migrator? { migrator }
        func tokenizers(for database: DatabaseName) -> [TextTokenizer] { tokenizers }
    }

    private static let plain = TableSchema("essay", columns: Essay.columnDefinitions)

    @Test func `a step that creates the declared index is proved`() async throws {
        let essays = Essays(
            migrator: Migrator(tables: [Essay.schema]) {
                Migration("1") { db in try db.createTable(Self.plain) }
                Migration("2") { db in try db.keepFullText(of: Essay.schema) }
            })
        let report = try await MigrationProof(essays)
            .planting(at: "1") { db in
                try db.execute("INSERT INTO essay (title) VALUES ('On growth')")
            } expecting: { db, version in
                guard version == "2" else { return true }
                return try Essay.search("growth").count(in: db) == 1
            }
            .records(of: Essay.self, Essay(title: "On form"))
            .verify()
        #expect(report.faults.isEmpty)
    }

    @Test func `a missing index is a fault`() async throws {
        let essays = Essays(
            migrator: Migrator(tables: [Essay.schema]) {
                Migration("1") { db in try db.createTable(Self.plain) }
                Migration("2") { db in try db.execute("UPDATE essay SET title = title") }
            })
        let report = try await MigrationProof(essays).report()
        #expect(report.faults.contains { $0.message.contains("strongroom_search_essay.text") }, "\(report.faults)")
    }

    @Test func `the program's own tokenizers are used`() async throws {
        let letters = TextTokenizer("letters") { text in
            text.indices.map { TextToken(String(text[$0]), $0..<text.index(after: $0)) }
        }
        let schema = TableSchema(
            "essay", columns: Essay.columnDefinitions, fullText: [FullTextIndex(on: "title", tokenizer: letters)])
        let proof = MigrationProof(Essays(migrator: .automatic(tables: [schema]), tokenizers: [letters]))
            .release("1", tables: [Self.plain])
            .planting(at: "1") { db in
                try db.execute("INSERT INTO essay (title) VALUES ('On growth')")
            } expecting: { db, _ in
                try db.value("SELECT title FROM essay") == "On growth"
            }
        #expect(try await proof.report().faults.map(\.description) == [])
    }
}
