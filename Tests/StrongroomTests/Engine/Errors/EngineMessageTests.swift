import StrongroomTesting
import Testing

// Internal: a statement that is still running.
@testable import Strongroom

@Suite("Messages of the engine")
struct EngineMessageTests {
    @Test func `the engine's words are shown up to the first value`() async throws {
        let store = try await TemporaryStore().store
        let error = try await expectFailure(.sql) {
            try await store.write { db in
                try db.execute("CREATE VIRTUAL TABLE word USING fts4 (text)")
                _ = try db.value("SELECT count(*) FROM word WHERE word MATCH \("secret\"")", as: Int.self)
            }
        }
        #expect(error.message.contains("malformed MATCH expression") && !error.message.contains("secret"))
        #expect(EngineMessage.withoutValues("malformed JSON") == "malformed JSON")
        #expect(EngineMessage.withoutValues("bad JSON path: 'secret'") == "bad JSON path")
        #expect(EngineMessage.withoutValues("secret") == nil)
    }

    @Test func `a table that a loop of its own reads is not blamed on another connection`() throws {
        let connection = try Connection(path: ":memory:", mode: .create, database: ":memory:")
        defer { connection.close() }
        for sql in ["CREATE TABLE line (a)", "INSERT INTO line VALUES (1), (2)"] { try connection.run(sql) }
        try connection.withOwnStatement("SELECT a FROM line") { statement in
            #expect(try statement.step())
            let error = try expectFailure(.busy) { try connection.run("DROP TABLE line") }
            #expect(error.message.contains("still reads it") && !error.message.contains("Another connection"))
        }
    }
}
