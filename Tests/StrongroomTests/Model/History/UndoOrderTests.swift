import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Values of unique columns that rows exchange, and versions, which undoing does not put back.
@Suite("Undoing unique values and versions")
struct UndoOrderTests {
    typealias Patient = Clinic.Patient
    typealias Visit = Clinic.Visit

    /// Two patients, each with a visit that a deletion would delete.
    private func store() async throws -> (TemporaryStore, Int64, Int64) {
        let temporary = try await Clinic.store()
        let keys = try await temporary.store.write { db throws in
            let one = try Patient.insert(Clinic.patient("A", number: "1"), in: db)
            let two = try Patient.insert(Clinic.patient("B", number: "2"), in: db)
            for key in [one, two] { try Visit.insert(Visit(patient: key, day: "1", note: "x"), in: db) }
            return (one, two)
        }
        return (temporary, keys.0, keys.1)
    }

    @Test func `exchanged unique values are exchanged back, and the undoing is undone`() async throws {
        let (temporary, one, two) = try await store()
        let store = temporary.store
        let number = try await store.write { db throws in
            try Patient.update(one, in: db) { [$0.number.set("in between")] }
            try Patient.update(two, in: db) { [$0.number.set("1")] }
            try Patient.update(one, in: db) { [$0.number.set("2")] }
            return try #require(try db.transactionNumber)
        }
        let undone = try await store.write { db throws in
            #expect(try db.undo(transaction: number).count == 2)
            #expect(try Patient.all(in: db).map(\.number) == ["1", "2"])
            #expect(try Visit.count(in: db) == 2)
            return try #require(try db.transactionNumber)
        }
        try await store.write { db throws in
            #expect(try db.undo(transaction: undone).count == 2)
            #expect(try Patient.all(in: db).map(\.number) == ["2", "1"])
        }
    }

    /// Three rows in a cycle; the row that left its value was deleted and inserted again, so that it has no value in
    /// between, and its photo is one that the transaction has written.
    @Test func `values exchanged through a deletion are exchanged back`() async throws {
        let store = try await TemporaryStore(tables: [Seat.schema]).store
        try await store.write { db throws in
            for index in 1...3 { _ = try Seat.insert(Seat(id: nil, place: "\(index)", photo: Data([1])), in: db) }
        }
        let before = try await store.read { db in try Seat.all(in: db) }
        let number = try await store.write { db throws in
            try Seat.delete(1, in: db)
            try Seat.update(2, in: db) { [$0.place.set("1")] }
            try Seat.update(3, in: db) { [$0.place.set("2")] }
            _ = try Seat.insert(Seat(id: 1, place: "3", photo: Data([1])), in: db)
            return try #require(try db.transactionNumber)
        }
        try await store.write { db throws in
            #expect(try db.undo(transaction: number).count == 3)
            #expect(try Seat.all(in: db) == before)
        }
    }

    /// A row is not deleted for a moment where a trigger of the program would run.
    @Test func `triggers of the program do not run for an exchange`() async throws {
        let store = try await TemporaryStore(tables: [Seat.schema]).store
        let number = try await store.write { db throws in
            for index in 1...2 { _ = try Seat.insert(Seat(id: nil, place: "\(index)", photo: nil), in: db) }
            try db.execute("CREATE TABLE deleted (id)")
            try db.execute(
                "CREATE TRIGGER seat_deleted AFTER DELETE ON seat BEGIN INSERT INTO deleted VALUES (old.id); END")
            return try #require(try db.transactionNumber)
        }
        let exchange = try await store.write { db throws in
            try Seat.delete(1, in: db)
            try Seat.update(2, in: db) { [$0.place.set("1")] }
            _ = try Seat.insert(Seat(id: 1, place: "2", photo: nil), in: db)
            return try #require(try db.transactionNumber)
        }
        #expect(exchange > number)
        try await expectFailure(.constraint) {
            try await store.write { db in try db.undo(transaction: exchange) }
        }
        try await store.read { db throws in
            #expect(try db.value("SELECT count(*) FROM deleted", as: Int.self) == 1)
            #expect(try Seat.all(in: db).map(\.place) == ["2", "1"])
        }
    }

    @Table("seat", history: .keep(omitting: ["photo"]))
    struct Seat: Equatable {
        var id: Int64?
        @Column(unique: true) var place: String
        var photo: Data?
    }

    /// Nothing is left half undone.
    @Test func `a value that a later row has is a conflict of the constraint`() async throws {
        let (temporary, one, two) = try await store()
        let store = temporary.store
        let number = try await store.write { db throws in
            try Patient.update(one, in: db) { [$0.number.set("3")] }
            return try #require(try db.transactionNumber)
        }
        try await store.write { db throws in
            try Patient.update(two, in: db) { [$0.number.set("1")] }
            let error = #expect(throws: StrongroomError.self) { try db.undo(transaction: number) }
            #expect(error?.code == .constraint)
            #expect(error?.constraint?.columns == ["number"])
            #expect(try Patient.all(in: db).map(\.number) == ["3", "1"])
        }
    }

    @Table("document", history: .keep())
    struct Document {
        var id: Int64?
        var text: String
        @Column(kept: .version) var version = 0
    }

    @Test func `a version goes on`() async throws {
        let store = try await TemporaryStore(tables: [Document.schema]).store
        var document = Document(text: "a")
        try await store.write(&document) { db, document in try Document.save(&document, .insert, in: db) }
        let key = try #require(document.id)
        let number = try await store.write { db throws in
            try Document.update(key, in: db) { [$0.text.set("b")] }
            return try #require(try db.transactionNumber)
        }
        // A reader that has seen the row as the transaction left it.
        let read = try await store.read { db in try #require(try Document.find(key, in: db)) }
        try await store.write { db in try db.undo(transaction: number) }
        let undone = try await store.read { db in try #require(try Document.find(key, in: db)) }
        #expect(undone.text == "a")
        #expect(undone.version == read.version + 1)
        for stale in [document, read] {
            try await expectFailure(.staleRecord) {
                try await store.write { db in try Document.update(stale, in: db) }
            }
        }
        // Also of a row that is inserted again.
        let deletion = try await store.write { db throws in
            try Document.update(key, in: db) { [$0.text.set("c")] }
            try Document.delete(key, in: db)
            return try #require(try db.transactionNumber)
        }
        try await store.write { db throws in
            #expect(try db.undo(transaction: deletion).count == 1)
            let again = try #require(try Document.find(key, in: db))
            #expect(again.text == "a")
            #expect(again.version == undone.version + 2)
        }
    }

    @Test func `the version of a schema by hand is checked`() async throws {
        let temporary = try await TemporaryStore()
        let columns = [Column<Int64?>("id", primaryKey: true).definition, Column<Int?>("count").definition]
        for (history, isFine) in [
            (History.keep().versioned(by: "count"), true), (.keep().versioned(by: "other"), false),
            (.keep().versioned(by: "id"), false), (.keep(omitting: ["count"]).versioned(by: "count"), false),
        ] {
            let name = "t\(isFine)"
            let schema = TableSchema(name, columns: columns, history: history)
            do {
                try await temporary.store.write { db in try db.createTable(schema) }
                #expect(isFine)
            } catch let error as StrongroomError {
                #expect(!isFine)
                #expect(error.code == .invalidDeclaration)
            }
        }
    }
}
