import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("History")
struct HistoryTests {
    typealias Patient = Clinic.Patient
    typealias Visit = Clinic.Visit
    typealias Scan = Clinic.Scan

    @Test func `who changed which row when, from what to what`() async throws {
        let store = try await Clinic.store().store
        let start = Date()
        let first = Clinic.patient()
        let key = try await store.write(author: "ada") { db in try Patient.insert(first, in: db) }
        try await store.write { db throws in
            db.author = "grace"
            try Patient.update(key, in: db) { [$0.name.set("Ada L."), $0.weight.set(nil), $0.photo.set(Data([7]))] }
            // Nothing changes.
            try Patient.update(key, in: db) { [$0.name.set("Ada L.")] }
        }
        try await store.write { db in try Patient.delete(key, in: db) }
        let changes = try await store.read { db in try Patient.changes(of: key, in: db) }
        try #require(changes.count == 3)
        var inserted = first
        inserted.id = key
        var updated = inserted
        (updated.name, updated.weight, updated.photo) = ("Ada L.", nil, Data([7]))
        #expect(changes.map(\.kind) == [.insert, .update, .delete])
        #expect(changes.map(\.author) == ["ada", "grace", nil])
        #expect(changes.map(\.before) == [nil, inserted, updated])
        #expect(changes.map(\.after) == [inserted, updated, nil])
        #expect(changes.map(\.columns) == [[], ["name", "weight", "photo"], []])
        #expect(changes.allSatisfy { $0.key == key && $0.isAfterKnown })
        #expect(changes.allSatisfy { $0.at > start.addingTimeInterval(-2) && $0.at < Date().addingTimeInterval(2) })
        #expect(Set(changes.map(\.transaction)).count == 3)
        #expect(changes.map(\.number) == changes.map(\.number).sorted())
        #expect(changes.allSatisfy { $0.transaction != nil })
    }

    @Test func `a write of a value and a blocking write have an author, too`() async throws {
        let store = try await Clinic.store().store
        var patient = Clinic.patient()
        try await store.write(&patient, author: "ada") { db, patient in try Patient.save(&patient, .insert, in: db) }
        let key = try #require(patient.id)
        try rename(key, in: store, author: "grace")
        try rename(key, in: store, author: nil)
        let changes = try await store.read { db in try Patient.changes(of: key, in: db) }
        #expect(changes.map(\.author) == ["ada", "grace", nil])
    }

    private func rename(_ key: Int64, in store: Store, author: String?) throws {
        let name = author ?? "nobody"
        try store.write(author: author) { db in _ = try Patient.update(key, in: db) { [$0.name.set(name)] } }
    }

    @Test func `changes since a number, a time, and of a transaction`() async throws {
        let store = try await Clinic.store().store
        try await store.write { db in _ = try Patient.insert(Clinic.patient("A", number: "1"), in: db) }
        let number = try await store.transaction { db throws in
            #expect(try db.transactionNumber == nil)
            _ = try Patient.insert(
                contentsOf: [Clinic.patient("B", number: "2"), Clinic.patient("C", number: "3")], in: db)
        }
        try await store.write { db in _ = try Patient.insert(Clinic.patient("D", number: "4"), in: db) }
        try await store.read { db throws in
            let all = try Patient.changes(since: 0, in: db)
            #expect(all.map(\.after?.name) == ["A", "B", "C", "D"])
            #expect(try Patient.changes(since: all[1].number, in: db).map(\.after?.name) == ["C", "D"])
            #expect(try Patient.changes(since: 0, limit: 2, in: db).map(\.after?.name) == ["A", "B"])
            #expect(all.filter { $0.transaction == number }.map(\.after?.name) == ["B", "C"])
            #expect(try Patient.changes(since: Date(timeIntervalSinceNow: -60), in: db).count == 4)
            #expect(try Patient.changes(since: Date(timeIntervalSinceNow: 60), in: db).isEmpty)
        }
    }

    @Test func `writes that share a commit are transactions of their own`() async throws {
        let store = try await Clinic.store().store
        let count = 40
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                group.addTask {
                    try await store.write(author: index.isMultiple(of: 3) ? nil : "author \(index)") { db throws in
                        _ = try Patient.insert(Clinic.patient("\(index)", number: "\(index)"), in: db)
                    }
                }
            }
            try await group.waitForAll()
        }
        try await store.read { db throws in
            let changes = try Patient.changes(since: 0, in: db)
            #expect(changes.count == count)
            #expect(Set(changes.compactMap(\.transaction)).count == count)
            for change in changes {
                let place = try #require(change.after.flatMap { Int($0.name) })
                #expect(change.author == (place.isMultiple(of: 3) ? nil : "author \(place)"))
            }
            #expect(try db.value("SELECT count(*) FROM strongroom_author", as: Int.self) == 0)
        }
    }

    @Test func `what is rolled back leaves no history, and a savepoint keeps the number`() async throws {
        struct Halt: Error {}
        let store = try await Clinic.store().store
        await #expect(throws: Halt.self) {
            try await store.write { db throws in
                _ = try Patient.insert(Clinic.patient(), in: db)
                throw Halt()
            }
        }
        try await store.write { db throws in
            db.author = "a"
            #expect(throws: Halt.self) {
                try db.savepoint { db throws in
                    db.author = "b"
                    _ = try Patient.insert(Clinic.patient("X", number: "X"), in: db)
                    throw Halt()
                }
            }
            _ = try Patient.insert(Clinic.patient("A", number: "A"), in: db)
            #expect(throws: Halt.self) {
                try db.savepoint { db throws in
                    _ = try Patient.insert(Clinic.patient("Y", number: "Y"), in: db)
                    throw Halt()
                }
            }
            _ = try Patient.insert(Clinic.patient("B", number: "B"), in: db)
            db.author = "c"
            _ = try Patient.insert(Clinic.patient("C", number: "C"), in: db)
        }
        let changes = try await store.read { db in try Patient.changes(since: 0, in: db) }
        #expect(changes.map(\.after?.name) == ["A", "B", "C"])
        #expect(changes.map(\.author) == ["a", "a", "c"])
        #expect(Set(changes.map(\.transaction)).count == 1)
    }

    @Test func `replaced rows, upserts, changed keys, truncation, and SQL by hand`() async throws {
        let store = try await Clinic.store().store
        try await store.write { db throws in
            let key = try Visit.insert(
                Visit(patient: try Patient.insert(Clinic.patient(), in: db), day: "1", note: "a"), in: db)
            try db.execute("REPLACE INTO visit (patient, day, note) VALUES (\(key.patient), '1', 'b')")
            var changes = try Visit.changes(of: key, in: db)
            #expect(changes.map(\.kind) == [.insert, .delete, .insert])
            #expect(changes.map(\.before?.note) == [nil, "a", nil])
            #expect(changes.map(\.after?.note) == ["a", nil, "b"])

            try Visit.upsert(Visit(patient: key.patient, day: "1", note: "c"), in: db)
            changes = try Visit.changes(of: key, in: db)
            #expect(changes.last?.kind == .update)
            #expect(changes.last?.before?.note == "b")

            try db.execute("UPDATE visit SET day = '2'")
            changes = try Visit.changes(of: key, in: db)
            #expect(changes.last?.kind == .delete)
            let moved = Visit.Key(patient: key.patient, day: "2")
            #expect(try Visit.changes(of: moved, in: db).map(\.kind) == [.insert])
            #expect(try Visit.changes(of: moved, in: db).first?.after?.note == "c")

            try Visit.truncate(in: db)
            #expect(try Visit.changes(of: moved, in: db).map(\.kind) == [.insert, .delete])
        }
        // Of a unique column, whose row has another key.
        try await store.write { db throws in
            let one = try #require(try Patient.query.latest(in: db))
            let key = try #require(one.id)
            try db.execute("REPLACE INTO patient (name, number, born) VALUES ('Z', 'p1', 1.0)")
            #expect(try Patient.find(key, in: db) == nil)
            #expect(try Patient.changes(of: key, in: db).map(\.kind) == [.insert, .delete])
            #expect(try Patient.changes(of: key, in: db).last?.before == one)
        }
    }

    @Test func `changes of case are changes, and ignored inserts are none`() async throws {
        try await Clinic.store().store.write { db throws in
            let key = try Patient.insert(Clinic.patient(), in: db)
            try Patient.update(key, in: db) { [$0.number.set("p1")] }
            try expectFailure(.constraint) { try Patient.insert(Clinic.patient(), in: db) }
            try db.execute("INSERT OR IGNORE INTO patient (name, number, born) VALUES ('Z', 'P1', 1.0)")
            let changes = try Patient.changes(since: 0, in: db)
            #expect(changes.map(\.kind) == [.insert, .update])
            #expect(changes.last?.columns == ["number"])
        }
    }

    @Test func `an omitted column is nil in former records, and written in parts`() async throws {
        try await Clinic.store().store.write { db throws in
            let key = try Scan.insert(Scan(title: "a", content: Data([1])), in: db)
            try Scan.writeBlob(\.content, of: key, size: 2, in: db) { try $0.append([1, 2]) }
            #expect(try Scan.changes(of: key, in: db).map(\.kind) == [.insert])
            try Scan.update(key, in: db) { [$0.title.set("b")] }
            let change = try #require(try Scan.changes(of: key, in: db).last)
            #expect(change.before == Scan(id: key, title: "a", content: nil))
            #expect(change.after == Scan(id: key, title: "b", content: Data([1, 2])))
            #expect(change.columns == ["title"])
            let patient = try Patient.insert(Clinic.patient(), in: db)
            try expectFailure(.blobAccess) {
                try Patient.writeBlob(\.photo, of: patient, size: 1, in: db) { try $0.append([1]) }
            }
        }
    }

    @Test func `observers of a table see its changes`() async throws {
        let store = try await Clinic.store().store
        var values = store.values { db in try Patient.changes(since: 0, in: db).count }.makeAsyncIterator()
        #expect(try await values.next() == 0)
        _ = try await store.write { db in try Patient.insert(Clinic.patient(), in: db) }
        #expect(try await values.next() == 1)
    }

    @Test func `tables without a history say so`() async throws {
        let temporary = try await TemporaryStore(tables: [Person.schema])
        let error = await #expect(throws: StrongroomError.self) {
            try await temporary.store.read { db in _ = try Person.changes(since: 0, in: db) }
        }
        #expect(error?.code == .notDeclared)
        #expect(error?.message.contains("history: .keep(…)") == true)
    }
}

/// A clinic whose tables keep histories.
enum Clinic {
    @Table("patient", history: .keep())
    struct Patient: Equatable {
        var id: Int64?
        var name: String
        @Column(unique: true, collation: .noCase) var number: String
        var weight: Double?
        var born: Date = Date(timeIntervalSinceReferenceDate: 0)
        var fee: Decimal?
        var photo: Data?
    }

    @Table("visit", history: .keep(changes: 3))
    struct Visit: Equatable {
        @Column(primaryKey: true, references: Reference("patient", onDelete: .cascade)) var patient: Int64
        @Column(primaryKey: true) var day: String
        var note: String
    }

    @Table("scan", history: .keep(days: 30, omitting: ["content"]))
    struct Scan: Equatable {
        var id: Int64?
        var title: String
        var content: Data?
    }

    static func store() async throws -> TemporaryStore {
        try await TemporaryStore(tables: [Patient.schema, Visit.schema, Scan.schema])
    }

    static func patient(_ name: String = "Ada", number: String = "P1") -> Patient {
        Patient(
            name: name, number: number, weight: 61.5, born: Date(timeIntervalSinceReferenceDate: -1234.125),
            fee: Decimal(string: "12.50"), photo: Data([0, 1, 255]))
    }
}

extension Store {
    /// Writes, and returns the number of the transaction.
    func transaction(
        author: String? = nil, _ work: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
    ) async throws -> Int64 {
        try await write(author: author) { db throws in
            try work(db)
            return try #require(try db.transactionNumber)
        }
    }
}

/// What the `sqlcipher` shell writes is recorded by the triggers in the file, without an author and a number.
@Suite(
    "Histories of what other programs write",
    .enabled(if: SQLCipherShell.installed != nil, SQLCipherShell.reason))
struct ForeignHistoryTests {
    typealias Patient = Clinic.Patient

    @Test func `the shell's changes are recorded`() async throws {
        let shell = try #require(SQLCipherShell.installed)
        let directory = try TemporaryDirectory()
        var vault = Vault(directory.path(""), keys: .passphrase("secret"))
        vault.migrator = .automatic(tables: [Patient.schema])
        var store = try await vault.open()
        let (one, two) = try await store.write(author: "ada") { db in
            let one = try Patient.insert(Clinic.patient("A", number: "1"), in: db)
            return (one, try Patient.insert(Clinic.patient("B", number: "2"), in: db))
        }
        try await store.close()

        _ = try shell.run(
            vault.path, key: "PRAGMA key = 'secret'",
            """
            UPDATE patient SET name = 'C' WHERE id = \(one);
            REPLACE INTO patient (id, name, number, born) VALUES (\(two), 'D', '2', 1.0);
            """)

        store = try await vault.open()
        try await store.write(author: "grace") { db throws in
            try Patient.delete(one, in: db)
            let changes = try Patient.changes(of: one, in: db)
            #expect(changes.map(\.kind) == [.insert, .update, .delete])
            #expect(changes.map(\.author) == ["ada", nil, "grace"])
            #expect(changes.map { $0.transaction == nil } == [false, true, false])
            #expect(changes.map(\.after?.name) == ["A", "C", nil])
            // No trigger has fired there for the row that was replaced.
            let replaced = try Patient.changes(of: two, in: db)
            #expect(replaced.map(\.kind) == [.insert, .insert])
            #expect(replaced.map(\.isAfterKnown) == [false, true])
            #expect(replaced.map(\.after?.name) == [nil, "D"])
            let transaction = try #require(changes.first?.transaction)
            try expectFailure(.notUndoable) { try db.undo(transaction: transaction) }
        }
        try await store.close()
    }
}
