import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Undoing a deletion does not leave rows or values out without a word.
@Suite("What undoing cannot put back")
struct UndoLossTests {
    @Table("entry", history: .keep())
    struct Entry: Equatable {
        var id: Int64?
        var text: String
    }

    @Table("note", history: .keep(omitting: ["content"]))
    struct Note: Equatable {
        var id: Int64?
        var text: String
        var content: Data?
    }

    private static func store(_ onDelete: String) async throws -> TemporaryStore {
        let temporary = try await TemporaryStore(tables: [Entry.schema, Note.schema])
        try await temporary.store.write { db throws in
            try db.execute("CREATE TABLE attachment (entry DEFAULT 1 \(SQL(verbatim: onDelete)))")
            try db.execute("CREATE TABLE part (attachment)")
            for id in 1...2 {
                try Entry.insert(Entry(id: Int64(id), text: "e"), in: db)
                try Note.insert(Note(id: Int64(id), text: "n", content: Data([1])), in: db)
            }
            try db.execute("INSERT INTO attachment VALUES (2)")
        }
        return temporary
    }

    @Test(arguments: ["CASCADE", "SET NULL", "SET DEFAULT"])
    func rowsOfATableWithoutAHistory(action: String) async throws {
        let temporary = try await Self.store("REFERENCES entry ON DELETE \(action)")
        try await temporary.store.write { db throws in
            try db.savepoint { db throws in
                try Entry.update(1, in: db) { [$0.text.set("f")] }
                try Entry.delete(2, in: db)
            }
        }
        let number = try await temporary.store.read { db in try Entry.changes(since: 0, in: db).last?.transaction }
        let transaction = try #require(number)
        let error = try await expectFailure(.notUndoable) {
            try await temporary.store.write { db in try db.undo(transaction: transaction) }
        }
        #expect(error.message.contains("\"attachment\"") && error.message.contains("allowingLosses"), "\(error)")
        #expect(try await temporary.store.table(Entry.self).all() == [Entry(id: 1, text: "f")])
        let report = try await temporary.store.write { db in
            try db.undo(transaction: transaction, allowingLosses: true)
        }
        #expect(report.rows == ["entry": 2] && report.tablesWithoutHistory == ["attachment"])
        #expect(report.count == 2 && report.omittedColumns.isEmpty)
        #expect(try await temporary.store.table(Entry.self).all().count == 2)
    }

    @Test(arguments: ["", "REFERENCES entry", "REFERENCES entry ON DELETE RESTRICT"])
    func nothingIsLostWithoutAnAction(reference: String) async throws {
        let temporary = try await Self.store(reference)
        let number = try await temporary.store.write { db throws in
            try db.execute("DELETE FROM attachment")
            try Entry.delete(2, in: db)
            return try #require(try db.transactionNumber)
        }
        let report = try await temporary.store.write { db in try db.undo(transaction: number) }
        #expect(report.rows == ["entry": 1] && report.tablesWithoutHistory.isEmpty && report.omittedColumns.isEmpty)
    }

    @Test func valuesThatTheHistoryOmits() async throws {
        let store = try await Self.store("REFERENCES entry ON DELETE CASCADE").store
        let update = try await store.write { db throws in
            try Note.update(1, in: db) { [$0.text.set("o"), $0.content.set(nil)] }
            return try #require(try db.transactionNumber)
        }
        // Updated rows keep what they have, which the report says.
        let updated = try await store.write { db in try db.undo(transaction: update) }
        #expect(updated.rows == ["note": 1] && updated.omittedColumns == ["note": ["content"]])
        let deletion = try await store.write { db throws in
            try Note.delete(2, in: db)
            return try #require(try db.transactionNumber)
        }
        try await expectFailure(.notUndoable, saying: "omits \"content\"") {
            try await store.write { db in try db.undo(transaction: deletion) }
        }
        let report = try await store.write { db in try db.undo(transaction: deletion, allowingLosses: true) }
        #expect(report.omittedColumns == ["note": ["content"]] && report.tablesWithoutHistory.isEmpty)
        #expect(try await store.table(Note.self).find(2) == Note(id: 2, text: "n", content: nil))
    }
}
