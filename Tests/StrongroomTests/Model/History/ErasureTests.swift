import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Erasing rows whose key has changed, and rows whose key another row has now.
@Suite("Erasing by the lives of rows")
struct ErasureTests {
    typealias Patient = Clinic.Patient
    typealias Visit = Clinic.Visit

    private static func names(_ db: borrowing some Reading & ~Copyable) throws -> [String?] {
        try Patient.changes(since: 0, in: db).map { $0.before?.name ?? $0.after?.name }
    }

    @Test func `erasing follows the former keys of a row`() async throws {
        try await Clinic.store().store.write { db throws in
            for key in [1, 2] as [Int64] {
                _ = try Patient.insert(Clinic.patient("SECRET", number: "\(key)"), in: db)
                try Visit.insert(Visit(patient: key, day: "1", note: "SECRET"), in: db)
            }
            try Visit.insert(Visit(patient: 2, day: "2", note: "other"), in: db)
            try db.execute("DELETE FROM visit WHERE patient = 1")
            try db.execute("UPDATE patient SET id = 10 WHERE id = 1")
            try db.execute("UPDATE patient SET id = 11 WHERE id = 10")
            // The former key is another person's now, and stays that.
            _ = try Patient.insert(Patient(id: 1, name: "other", number: "3", weight: nil), in: db)
            #expect(try Patient.erase(11, in: db))
            #expect(try Self.names(db) == ["SECRET", "other"])
            #expect(try Patient.find(1, in: db)?.name == "other")
            // A cascade's rows, too.
            try db.execute("UPDATE visit SET day = '3' WHERE note = 'SECRET'")
            try Visit.update(Visit.Key(patient: 2, day: "3"), in: db) { [$0.note.set("SECRET2")] }
            #expect(try Patient.erase(2, in: db))
            #expect(try Self.names(db) == ["other"])
            #expect(try Visit.changes(since: 0, in: db).filter { $0.key.patient == 2 }.isEmpty)
        }
    }

    @Test func `a key that was used again`() async throws {
        try await Clinic.store().store.write { db throws in
            let key = try Patient.insert(Clinic.patient("first", number: "1"), in: db)
            try Patient.delete(key, in: db)
            #expect(try Patient.insert(Clinic.patient("second", number: "2"), in: db) == key)
            try Patient.update(key, in: db) { [$0.weight.set(1)] }

            try expectFailure(.notUnique) { try Patient.erase(key, in: db) }
            #expect(try Self.names(db) == ["first", "first", "second", "second"])

            #expect(try Patient.erase(key, .deleted, in: db))
            #expect(try Self.names(db) == ["second", "second"])
            #expect(try !Patient.erase(key, .deleted, in: db))
            #expect(try Patient.find(key, in: db)?.name == "second")

            try Patient.delete(key, in: db)
            _ = try Patient.insert(Patient(id: key, name: "third", number: "3", weight: nil), in: db)
            #expect(try Patient.erase(key, .present, in: db))
            #expect(try Patient.find(key, in: db) == nil)
            #expect(try Self.names(db) == ["second", "second", "second"])
            #expect(try !Patient.erase(key, .present, in: db))
            #expect(try Patient.erase(key, in: db))
            #expect(try Self.names(db).isEmpty)

            for name in ["a", "b"] {
                _ = try Patient.insert(Patient(id: key, name: name, number: "3", weight: nil), in: db)
                if name == "a" { try Patient.delete(key, in: db) }
            }
            #expect(try Patient.erase(key, .all, in: db))
            #expect(try Self.names(db).isEmpty)
            #expect(try Patient.find(key, in: db) == nil)
        }
    }

    /// The keys of the other rows change with the deletion.
    @Test func `rows that a trigger renumbers keep their history`() async throws {
        try await TemporaryStore(tables: [Item.schema]).store.write { db throws in
            for (index, text) in ["a", "b", "c"].enumerated() {
                try Item.insert(Item(position: Int64(index + 1), text: text), in: db)
            }
            try db.execute(
                """
                CREATE TRIGGER item_renumbered AFTER DELETE ON item BEGIN
                    UPDATE item SET position = position + 10 WHERE position > old.position;
                END
                """)
            #expect(try Item.erase(1, .present, in: db))
            #expect(try Item.all(in: db).map(\.text) == ["b", "c"])
            let texts = { (key: Int64, changes: [RecordChange<Item>]) in
                changes.filter { $0.key == key }.map { $0.before?.text ?? $0.after?.text }
            }
            let changes = try Item.changes(since: 0, in: db)
            #expect(texts(1, changes).isEmpty)
            #expect(texts(2, changes) == ["b", "b"] && texts(12, changes) == ["b"])
            #expect(texts(3, changes) == ["c", "c"] && texts(13, changes) == ["c"])
        }
    }

    @Table("item", history: .keep())
    struct Item: Equatable {
        @Column(primaryKey: true) var position: Int64
        var text: String
    }

    @Test func `a cascade erases the deleted rows and no earlier ones of their keys`() async throws {
        try await Clinic.store().store.write { db throws in
            for name in ["first", "second"] {
                let key = try Patient.insert(Clinic.patient(name, number: "1"), in: db)
                #expect(key == 1)
                try Visit.insert(Visit(patient: key, day: "1", note: name), in: db)
                if name == "first" { try Patient.delete(key, in: db) }
            }
            #expect(try Patient.erase(1, .present, in: db))
            #expect(try Self.names(db) == ["first", "first"])
            let notes = try Visit.changes(since: 0, in: db).map { $0.before?.note ?? $0.after?.note }
            #expect(notes == ["first", "first"])
        }
    }

    /// A row that an undoing has inserted again is the same row, also if the transaction has changed its key.
    @Test func `a row that was put back is one row`() async throws {
        let store = try await Clinic.store().store
        try await store.write { db in _ = try Patient.insert(Clinic.patient("SECRET", number: "1"), in: db) }
        for change: SQL in ["DELETE FROM patient", "UPDATE patient SET id = 7"] {
            let number = try await store.transaction { db throws in
                try db.execute(change)
            }
            try await store.write { db in try db.undo(transaction: number) }
        }
        try await store.write { db throws in
            #expect(try Patient.find(1, in: db)?.name == "SECRET")
            #expect(try Patient.changes(since: 0, in: db).count == 7)
            #expect(try Patient.changes(since: 0, limit: 2, in: db).count == 2)
            try expectFailure(.invalidArgument) { try Patient.changes(since: 0, limit: -1, in: db) }
            try expectFailure(.invalidArgument) { try Patient.changes(since: Date.distantPast, limit: .min, in: db) }
            #expect(try Patient.erase(1, in: db))
            #expect(try Patient.changes(since: 0, in: db).isEmpty)
        }
    }

    @Test func `pruning follows the former keys of a row`() async throws {
        try await Clinic.store().store.write { db throws in
            _ = try Patient.insert(Clinic.patient(), in: db)
            let key = { (day: String) in Visit.Key(patient: 1, day: day) }
            try Visit.insert(Visit(patient: 1, day: "1", note: "SECRET"), in: db)
            try db.execute("UPDATE visit SET day = '2'")
            for note in ["a", "b", "c"] { try Visit.update(key("2"), in: db) { [$0.note.set(note)] } }
            // Insertion and deletion of the first key, and the insertion of the second.
            #expect(try db.pruneHistory(of: Visit.self) == 3)
            #expect(try Visit.changes(since: 0, in: db).map(\.before?.note) == ["SECRET", "a", "b"])
            try Visit.update(key("2"), in: db) { [$0.note.set("d")] }
            #expect(try db.pruneHistory(of: Visit.self) == 1)
            #expect(try db.pruneHistory(of: Visit.self) == 0)
        }
    }
}

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
        try await expectFailure(.notUndoable, saying: "\"attachment\"", "allowingLosses") {
            try await temporary.store.write { db in try db.undo(transaction: transaction) }
        }
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
        let number = try await temporary.store.transaction { db throws in
            try db.execute("DELETE FROM attachment")
            try Entry.delete(2, in: db)
        }
        let report = try await temporary.store.write { db in try db.undo(transaction: number) }
        #expect(report.rows == ["entry": 1] && report.tablesWithoutHistory.isEmpty && report.omittedColumns.isEmpty)
    }

    @Test func valuesThatTheHistoryOmits() async throws {
        let store = try await Self.store("REFERENCES entry ON DELETE CASCADE").store
        let update = try await store.transaction { db throws in
            try Note.update(1, in: db) { [$0.text.set("o"), $0.content.set(nil)] }
        }
        // Updated rows keep what they have, which the report says.
        let updated = try await store.write { db in try db.undo(transaction: update) }
        #expect(updated.rows == ["note": 1] && updated.omittedColumns == ["note": ["content"]])
        let deletion = try await store.transaction { db throws in
            try Note.delete(2, in: db)
        }
        try await expectFailure(.notUndoable, saying: "omits \"content\"") {
            try await store.write { db in try db.undo(transaction: deletion) }
        }
        let report = try await store.write { db in try db.undo(transaction: deletion, allowingLosses: true) }
        #expect(report.omittedColumns == ["note": ["content"]] && report.tablesWithoutHistory.isEmpty)
        #expect(try await store.table(Note.self).find(2) == Note(id: 2, text: "n", content: nil))
    }
}
