import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// A record in memory and a row that another program writes may stand for the same. The other program is the engine's
/// shell.
@Suite(
    "Records in memory beside another process", .ending,
    .enabled(if: SQLCipherShell.installed != nil, SQLCipherShell.reason))
struct RecordsInMemoryOfTwoProcessesTests {
    typealias Note = Notebook.Note

    private let notebook: Notebook
    private let shell: SQLCipherShell

    init() async throws {
        notebook = try await Notebook()
        shell = try #require(SQLCipherShell.installed)
    }

    private func inOtherProcess(_ sql: String) throws {
        let key = "PRAGMA key = \"x'\(String(repeating: "01", count: 32))'\""
        #expect(try shell.run(notebook.vault.path, key: key, sql) == [])
    }

    private func insertInMemory(id: Int64?, code: String? = nil) async throws {
        try await notebook.store.write { db throws in
            try Note.insert(Note(id: id, text: "memory", code: code, rank: 1), persistence: .memory, in: db)
        }
    }

    private func rowsOnDisk() async throws -> Int? {
        try await notebook.store.read { db in try db.value("SELECT count(*) FROM main.note", as: Int.self) }
    }

    @Test func aRowWithTheSameKeyIsAnErrorAndNotASecondRecord() async throws {
        try await insertInMemory(id: 500)
        #expect(try await notebook.texts() == ["memory"])
        try inOtherProcess("INSERT INTO note (id, text, rank) VALUES (500, 'disk', 2);")
        let error = try await expectFailure(.constraint) { try await notebook.texts() }
        #expect(error.constraint?.table == "note" && error.constraint?.columns == ["id"])
        #expect(error.message.contains("discard(_:in:)"))
        // Nor is either of them changed by a call that means one.
        try await notebook.store.write { db throws in
            try expectFailure(.constraint) { try Note.delete(500, in: db) }
            try expectFailure(.constraint) { try Note.update(500, in: db) { [$0.rank.set(3)] } }
            try expectFailure(.constraint) { try Note.where { $0.rank == 2 }.delete(in: db) }
            try expectFailure(.constraint) { try Note.update(Note(id: 500, text: "x", rank: 3), in: db) }
            try expectFailure(.constraint) { try Note.find(500, in: db) }
            // Other tables can be read.
            #expect(try Notebook.Tag.count(in: db) == 0)
        }
        #expect(try await rowsOnDisk() == 1)
    }

    @Test func aRowWithTheSameUniqueValueIsAnError() async throws {
        try await insertInMemory(id: nil, code: "c")
        try inOtherProcess("INSERT INTO note (text, code, rank) VALUES ('disk', 'c', 2);")
        let error = try await expectFailure(.constraint) { try await notebook.texts() }
        #expect(error.constraint?.columns == ["code"])
    }

    @Test func discardingTheRecordInMemoryEndsIt() async throws {
        try await insertInMemory(id: 500)
        try inOtherProcess("INSERT INTO note (id, text, rank) VALUES (500, 'disk', 2);")
        _ = try await expectFailure(.constraint) { try await notebook.texts() }
        struct Refusal: Error {}
        // What is undone is there again, and so is the error.
        await #expect(throws: Refusal.self) {
            try await notebook.store.write { db throws in
                do {
                    try db.savepoint { db throws in
                        #expect(try Note.discard(500, in: db))
                        #expect(try Note.find(500, in: db)?.text == "disk")
                        throw Refusal()
                    }
                } catch {
                    _ = try expectFailure(.constraint) { try Note.find(500, in: db) }
                    throw error
                }
            }
        }
        _ = try await expectFailure(.constraint) { try await notebook.texts() }
        try await notebook.store.write { db throws in
            #expect(try Note.keysInMemory(in: db) == [500])
            #expect(try Note.discard(500, in: db))
            #expect(try !Note.discard(500, in: db))
            #expect(try Note.update(500, in: db) { [$0.rank.set(3)] })
        }
        #expect(try await notebook.texts() == ["disk"])
    }

    @Test func itEndsWhenTheOtherProcessTakesItsRowBack() async throws {
        try await insertInMemory(id: 500)
        try inOtherProcess("INSERT INTO note (id, text, rank) VALUES (500, 'disk', 2);")
        _ = try await expectFailure(.constraint) { try await notebook.texts() }
        try inOtherProcess("DELETE FROM note;")
        #expect(try await notebook.texts() == ["memory"])
        try await notebook.store.write { db throws in #expect(try Note.delete(500, in: db)) }
    }
}
