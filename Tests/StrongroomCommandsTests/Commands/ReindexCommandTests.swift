import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

struct ReindexCommandTests {
    private struct Answer: Decodable {
        struct Detail: Decodable { let indexes: [String] }

        let status: String
        let detail: Detail?
    }

    @Test func anIndexThatDiffersIsCreatedAnew() async throws {
        let ledger = try Ledger()
        try await ledger.make()
        #expect(try await ledger.run("reindex", "ledger.sqlite", "--json").json(Answer.self).status == "skipped")
        let store = try await Stores(ledger.configuration).open("ledger.sqlite")
        try await store.write { db throws in
            try db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT)")
            try db.execute("INSERT INTO note (title) VALUES ('alpha')")
            let schema = TableSchema(
                "note", Column<Int64>("id", primaryKey: true), Column<String>("title"),
                fullText: [FullTextIndex(on: "title")])
            try db.keepFullText(of: schema)
            try db.execute("DELETE FROM `strongroom_search_note.text`")
        }
        try await store.close()
        let verified = try await ledger.run("verify", "ledger.sqlite")
        #expect(verified.status == .failure)
        #expect(verified.errors.contains("reindex") || verified.output.contains("reindex"))
        let answer = try await ledger.run("reindex", "ledger.sqlite", "--json").json(Answer.self)
        #expect(answer.status == "done")
        #expect(answer.detail?.indexes == ["strongroom_search_note.text"])
        #expect(try await ledger.run("verify", "ledger.sqlite").status == .success)
        #expect(try await ledger.run("reindex", "ledger.sqlite").output.contains("1 full-text index created"))
    }

    @Test func importedRowsAreIndexed() async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let schema = TableSchema(
            "note", Column<Int64>("id", primaryKey: true), Column<String>("title"),
            fullText: [FullTextIndex(on: "title")])
        let file = ledger.directory.path("notes.csv")
        try Data("id,title\n1,alpha beta\n2,gamma\n1,delta\n".utf8).write(to: URL(filePath: file))
        let store = try await Stores(ledger.configuration).open("ledger.sqlite")
        try await store.write { db in try db.createTable(schema) }
        try await store.close()
        let refused = try await ledger.run("import", "ledger.sqlite", "note", file)
        #expect(refused.status != .success)
        #expect(try await ledger.run("verify", "ledger.sqlite").status == .success)
        try Data("id,title\n1,alpha beta\n2,gamma\n".utf8).write(to: URL(filePath: file))
        #expect(try await ledger.run("import", "ledger.sqlite", "note", file).status == .success)
        #expect(try await ledger.run("verify", "ledger.sqlite").status == .success)
        let index = "`strongroom_search_note.text`"
        let found = try await ledger.run(
            "query", "ledger.sqlite", "SELECT rowid FROM \(index) WHERE \(index) MATCH 'gamma'", "--csv")
        #expect(found.output.contains("2"), "\(found.output) \(found.errors)")
    }
}
