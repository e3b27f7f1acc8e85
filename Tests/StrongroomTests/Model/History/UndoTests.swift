import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Undoing, pruning and erasing")
struct UndoTests {
    typealias Patient = Clinic.Patient
    typealias Visit = Clinic.Visit
    typealias Scan = Clinic.Scan

    private static func content(_ db: borrowing some Reading & ~Copyable) throws -> ([Patient], [Visit], [Scan]) {
        (try Patient.all(in: db), try Visit.all(in: db), try Scan.all(in: db))
    }

    /// Inserts, updates and deletes in three tables, with references and unique values.
    @Test func `a transaction is undone, and its undoing as well`() async throws {
        let store = try await Clinic.store().store
        let (one, two) = try await store.write { db throws in
            let one = try Patient.insert(Clinic.patient("A", number: "1"), in: db)
            let two = try Patient.insert(Clinic.patient("B", number: "2"), in: db)
            try Visit.insert(Visit(patient: one, day: "1", note: "x"), in: db)
            _ = try Scan.insert(Scan(title: "s", content: Data([1])), in: db)
            return (one, two)
        }
        let before = try await store.read { db in try Self.content(db) }
        let number = try await store.transaction { db throws in
            try Patient.delete(one, in: db)
            try Patient.update(two, in: db) { [$0.number.set("1"), $0.photo.set(nil), $0.fee.set(nil)] }
            try Patient.update(two, in: db) { [$0.name.set("C")] }
            let three = try Patient.insert(Clinic.patient("D", number: "2"), in: db)
            try Visit.insert(Visit(patient: three, day: "1", note: "y"), in: db)
            try db.execute("UPDATE scan SET title = 't'")
        }
        let after = try await store.read { db in try Self.content(db) }
        let undone = try await store.transaction(author: "undo") { db throws in
            #expect(try db.undo(transaction: number).count == 6)
        }
        let restored = try await store.read { db in try Self.content(db) }
        #expect(restored == before)
        #expect(undone != number)
        let last = try await store.read { db in try Patient.changes(of: one, in: db).last }
        #expect(last?.kind == .insert)
        #expect(last?.author == "undo")
        try await store.write { db in try db.undo(transaction: undone) }
        let again = try await store.read { db in try Self.content(db) }
        #expect(again == after)
    }

    @Test func `the newest transaction is found, of an author or of all`() async throws {
        let store = try await Clinic.store().store
        #expect(try await store.read { db in try db.lastTransaction() } == nil)
        let first = try await store.transaction(author: "ada") { db throws in
            try Patient.insert(Clinic.patient(), in: db)
        }
        let second = try await store.write(author: "bob") { db throws in
            _ = try Scan.insert(Scan(title: "s"), in: db)
            let own = try db.transactionNumber
            #expect(try db.lastTransaction() == own)
            return try #require(own)
        }
        let found = try await store.read { db in
            [
                try db.lastTransaction(), try db.lastTransaction(author: "ada"), try db.lastTransaction(author: "bob"),
                try db.lastTransaction(author: "cy"),
            ]
        }
        #expect(found == [second, first, second, nil])
        let undone = try await store.transaction(author: "ada") { db throws in
            let newest = try #require(try db.lastTransaction(author: "ada"))
            try db.undo(transaction: newest)
        }
        #expect(try await store.read { db in try db.lastTransaction(author: "ada") } == undone)
        #expect(try await store.read { db in try Patient.all(in: db).isEmpty })
    }

    @Test func `later changes are not overwritten`() async throws {
        let store = try await Clinic.store().store
        let key = try await store.write { db in try Patient.insert(Clinic.patient(), in: db) }
        let number = try await store.transaction { db throws in
            try Patient.update(key, in: db) { [$0.name.set("B")] }
            _ = try Scan.insert(Scan(title: "s"), in: db)
        }
        try await store.write { db in try Patient.update(key, in: db) { [$0.name.set("C")] } }
        let later = try await store.read { db in try #require(try Patient.changes(of: key, in: db).last?.number) }
        let error = await #expect(throws: StrongroomError.self) {
            try await store.write { db in try db.undo(transaction: number) }
        }
        #expect(error?.code == .notUndoable)
        #expect(error?.message.contains("1 row of table \"patient\" (changes \(later))") == true)
        try await store.read { db throws in
            #expect(try Patient.find(key, in: db)?.name == "C")
            #expect(try Scan.count(in: db) == 1)
        }
        try await expectFailure(.notUndoable) {
            try await store.write { db in try db.undo(transaction: 9_999) }
        }
    }

    @Test func `a history is pruned by number and by age`() async throws {
        let store = try await Clinic.store().store
        try await store.write { db in _ = try Patient.insert(Clinic.patient(), in: db) }
        var numbers: [Int64] = []
        for index in 0..<6 {
            numbers.append(
                try await store.write { db throws in
                    let visit = Visit(patient: 1, day: "1", note: "\(index)")
                    if index == 0 { _ = try Visit.insert(visit, in: db) } else { try Visit.update(visit, in: db) }
                    return try #require(try db.transactionNumber)
                })
        }
        let key = Visit.Key(patient: 1, day: "1")
        try await store.write { db throws in
            #expect(try db.pruneHistory(of: Visit.self) == 3)
            #expect(try Visit.changes(of: key, in: db).map(\.before?.note) == ["2", "3", "4"])
            #expect(try Visit.changes(of: key, in: db).map(\.after?.note) == ["3", "4", "5"])
            #expect(try db.pruneHistory(of: Visit.self) == 0)
            #expect(try db.pruneHistory(of: Patient.self) == 0)
        }
        // What was pruned cannot be undone in part.
        try await expectFailure(.notUndoable) { [numbers] in
            try await store.write { db in try db.undo(transaction: numbers[2]) }
        }
        try await store.write { [numbers] db throws in
            #expect(try db.undo(transaction: numbers[5]).count == 1)
            #expect(try Visit.find(key, in: db)?.note == "4")
        }
        try await store.write { db throws in
            let key = try Scan.insert(Scan(title: "a"), in: db)
            try Scan.update(key, in: db) { [$0.title.set("b")] }
            #expect(try db.pruneHistory(of: Scan.self) == 0)
            try db.execute("UPDATE scan_history SET at = at - 31 * 86400.0 WHERE kind = 'insert'")
            #expect(try db.pruneHistory(of: Scan.self) == 1)
            #expect(try Scan.changes(of: key, in: db).map(\.kind) == [.update])
        }
    }

    @Test func `erasing a person erases their history, and that of what is deleted with them`() async throws {
        let store = try await Clinic.store().store
        let (one, two) = try await store.write { db throws in
            let one = try Patient.insert(Clinic.patient("SECRETNAME", number: "1"), in: db)
            let two = try Patient.insert(Clinic.patient("B", number: "2"), in: db)
            for key in [one, two] { try Visit.insert(Visit(patient: key, day: "1", note: "note \(key)"), in: db) }
            return (one, two)
        }
        try await store.write { db throws in
            try db.execute("UPDATE visit SET note = note || '!'")
            try Patient.update(one, in: db) { [$0.name.set("OTHERNAME")] }
            try Visit.insert(Visit(patient: one, day: "2", note: "deleted before"), in: db)
        }
        try await store.write { db throws in
            #expect(try Patient.erase(one, in: db))
            #expect(try !Patient.erase(one, in: db))
            #expect(try Patient.changes(of: one, in: db).isEmpty)
            #expect(try Visit.changes(since: 0, in: db).allSatisfy { $0.key.patient == two })
            #expect(try Visit.changes(of: Visit.Key(patient: two, day: "1"), in: db).count == 2)
            #expect(try Patient.changes(of: two, in: db).count == 1)
        }
        // A row that was deleted before.
        try await store.write { db throws in
            try Patient.delete(two, in: db)
            #expect(try Patient.erase(two, in: db))
            #expect(try Patient.changes(since: 0, in: db).isEmpty)
        }
    }

    /// Numbers are not used again, so that a reader that has seen the last one misses nothing.
    @Test func `numbers increase after an erasure`() async throws {
        let store = try await Clinic.store().store
        let key = try await store.write { db in try Patient.insert(Clinic.patient(), in: db) }
        let last = try await store.read { db in try #require(try Patient.changes(since: 0, in: db).last) }
        try await store.write { db in try Patient.erase(key, in: db) }
        try await store.write { db in _ = try Patient.insert(Clinic.patient(), in: db) }
        let next = try await store.read { db in try Patient.changes(since: last.number, in: db) }
        #expect(next.count == 1)
        #expect(try #require(next.first?.transaction) > #require(last.transaction))
    }

    /// Rows that came later are neither deleted by a foreign key nor by a conflict clause.
    @Test func `later rows that reference an inserted one are a conflict`() async throws {
        let store = try await Clinic.store().store
        let (key, number) = try await store.write { db throws in
            (try Patient.insert(Clinic.patient(), in: db), try #require(try db.transactionNumber))
        }
        try await store.write { db in try Visit.insert(Visit(patient: key, day: "1", note: "x"), in: db) }
        try await store.write { db throws in
            let error = #expect(throws: StrongroomError.self) { try db.undo(transaction: number) }
            #expect(error?.code == .notUndoable)
            #expect(error?.message.contains("\"visit\"") == true)
            #expect(try db.value("PRAGMA defer_foreign_keys", as: Int.self) == 0)
            #expect(try Visit.count(in: db) == 1)
            #expect(try Patient.count(in: db) == 1)
        }
    }

    /// A row that the transaction gave an inserted parent is restored before that is deleted.
    @Test func `an inserted parent is deleted after its children are restored`() async throws {
        let store = try await TemporaryStore(tables: [Box.schema, Item.schema]).store
        let item = try await store.write { db throws in
            let box = try Box.insert(Box(name: "a"), in: db)
            return try Item.insert(Item(box: box, photo: Data([1])), in: db)
        }
        let number = try await store.transaction { db throws in
            let box = try Box.insert(Box(name: "b"), in: db)
            try Item.update(item, in: db) { [$0.box.set(box)] }
        }
        try await store.write { db throws in
            #expect(try db.undo(transaction: number).count == 2)
            #expect(try Item.find(item, in: db)?.box == 1)
            #expect(try Item.find(item, in: db)?.photo == Data([1]))
            #expect(try Box.count(in: db) == 1)
        }
    }

    @Table("box", history: .keep())
    struct Box {
        var id: Int64?
        var name: String
    }

    @Table("item", history: .keep(omitting: ["photo"]))
    struct Item {
        var id: Int64?
        @Column(references: Reference("box", onDelete: .cascade)) var box: Int64
        var photo: Data?
    }

    @Test func `what a history did not record cannot be undone`() async throws {
        let store = try await Clinic.store().store
        let (key, number) = try await store.write { db throws in
            let key = try Scan.insert(Scan(title: "a", content: Data([1])), in: db)
            return (key, try #require(try db.transactionNumber))
        }
        let later = try await store.transaction { db throws in
            try db.stopHistory(of: "scan")
            try Scan.update(key, in: db) { [$0.title.set("b")] }
            try db.keepHistory(of: Scan.schema)
            try Scan.update(key, in: db) { [$0.title.set("c")] }
        }
        try await store.write { db throws in
            try expectFailure(.notUndoable) { try db.undo(transaction: number) }
            try db.undo(transaction: later)
            #expect(try Scan.find(key, in: db) == Scan(id: key, title: "b", content: Data([1])))
        }
    }
}

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
        let number = try await store.transaction { db throws in
            try Patient.update(one, in: db) { [$0.number.set("in between")] }
            try Patient.update(two, in: db) { [$0.number.set("1")] }
            try Patient.update(one, in: db) { [$0.number.set("2")] }
        }
        let undone = try await store.transaction { db throws in
            #expect(try db.undo(transaction: number).count == 2)
            #expect(try Patient.all(in: db).map(\.number) == ["1", "2"])
            #expect(try Visit.count(in: db) == 2)
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
        let number = try await store.transaction { db throws in
            try Seat.delete(1, in: db)
            try Seat.update(2, in: db) { [$0.place.set("1")] }
            try Seat.update(3, in: db) { [$0.place.set("2")] }
            _ = try Seat.insert(Seat(id: 1, place: "3", photo: Data([1])), in: db)
        }
        try await store.write { db throws in
            #expect(try db.undo(transaction: number).count == 3)
            #expect(try Seat.all(in: db) == before)
        }
    }

    /// A row is not deleted for a moment where a trigger of the program would run.
    @Test func `triggers of the program do not run for an exchange`() async throws {
        let store = try await TemporaryStore(tables: [Seat.schema]).store
        let number = try await store.transaction { db throws in
            for index in 1...2 { _ = try Seat.insert(Seat(id: nil, place: "\(index)", photo: nil), in: db) }
            try db.execute("CREATE TABLE deleted (id)")
            try db.execute(
                "CREATE TRIGGER seat_deleted AFTER DELETE ON seat BEGIN INSERT INTO deleted VALUES (old.id); END")
        }
        let exchange = try await store.transaction { db throws in
            try Seat.delete(1, in: db)
            try Seat.update(2, in: db) { [$0.place.set("1")] }
            _ = try Seat.insert(Seat(id: 1, place: "2", photo: nil), in: db)
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
        let number = try await store.transaction { db throws in
            try Patient.update(one, in: db) { [$0.number.set("3")] }
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
        let number = try await store.transaction { db throws in
            try Document.update(key, in: db) { [$0.text.set("b")] }
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
        let deletion = try await store.transaction { db throws in
            try Document.update(key, in: db) { [$0.text.set("c")] }
            try Document.delete(key, in: db)
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
