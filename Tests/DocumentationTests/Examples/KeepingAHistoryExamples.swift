import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Keeping a history\"")
struct KeepingAHistoryExamples {
    @Table("patient", in: "clinic.sqlite", history: .keep(days: 365))
    struct Patient {
        var id: Int64?
        var name: String
        var ward: String?
    }

    private struct User {
        let name: String
    }

    @Test func changesAreReadUndonePrunedAndErased() async throws {
        let temporary = try await TemporaryStore(tables: [Patient.schema])
        let store = temporary.store
        let user = User(name: "ada")
        let key = try await store.write { db in try Patient.insert(Patient(name: "B", ward: "1"), in: db) }
        let patient = Patient(id: key, name: "B", ward: "2")

        try await store.write(author: user.name) { db in
            try Patient.update(patient, in: db)
        }

        let changes = try await store.read { db in try Patient.changes(of: key, in: db) }
        for change in changes {
            print(change.at, change.author ?? "unknown", change.kind, change.columns)
            print(change.before?.ward ?? "-", change.after?.ward ?? "-")
        }
        #expect(changes.map(\.author) == [nil, "ada"])
        #expect(changes.last?.columns == ["ward"])

        var last: Int64 = 0
        let new = try await store.read { [last] db in try Patient.changes(since: last, limit: 1_000, in: db) }
        last = new.last?.number ?? last
        #expect(last == changes.last?.number)

        let number = changes.last?.transaction
        if let number {
            try await store.write { db in try db.undo(transaction: number) }
        }
        #expect(try await store.table(Patient.self).find(key)?.ward == "1")

        let removed = try await store.write { db in try db.pruneHistory(of: Patient.self) }
        #expect(removed == 0)

        try await store.write { db in try Patient.erase(key, in: db) }
        try await store.write { db in try Patient.erase(key, .former, in: db) }
        let left = try await store.read { db in try Patient.changes(since: 0, in: db) }
        #expect(left.isEmpty)
    }

    @Test func theNewestTransactionOfAnAuthorIsUndone() async throws {
        let store = try await TemporaryStore(tables: [Patient.schema]).store
        let user = User(name: "ada")
        let key = try await store.write(author: user.name) { db in
            try Patient.insert(Patient(name: "B", ward: "1"), in: db)
        }
        try await store.write(author: user.name) { db in try Patient.update(key, in: db) { [$0.ward.set("2")] } }
        try await store.write(author: "bob") { db in _ = try Patient.insert(Patient(name: "C"), in: db) }

        try await store.write(author: user.name) { db in
            if let number = try db.lastTransaction(author: user.name) { try db.undo(transaction: number) }
        }

        #expect(try await store.table(Patient.self).find(key)?.ward == "1")
    }

    @Test func anUndoingMayLeaveOutWhatNoHistoryHas() async throws {
        let store = try await TemporaryStore(tables: [Patient.schema]).store
        let key = try await store.write { db in try Patient.insert(Patient(name: "B", ward: "1"), in: db) }
        let number = try await store.write { db throws in
            try db.execute("CREATE TABLE scan (patient REFERENCES patient ON DELETE CASCADE)")
            try Patient.delete(key, in: db)
            return try #require(try db.transactionNumber)
        }

        let report = try await store.write { db in try db.undo(transaction: number, allowingLosses: true) }
        print(report.rows, report.omittedColumns, report.tablesWithoutHistory)
        #expect(report.tablesWithoutHistory == ["scan"])
    }

    @Test func aStepKeepsAHistory() async throws {
        let migrator = Migrator {
            Migration("6") { db in try db.createTable(TableSchema("patient", columns: Patient._columnDefinitions)) }
            Migration("7") { db in try db.keepHistory(of: Patient.schema) }
        }
        var place = try Place(tables: Patient.schema)
        place.migrator = migrator
        let store = try await Stores(place).open("addressbook.sqlite")
        _ = try await store.write { db in try Patient.insert(Patient(name: "B"), in: db) }
        let count = try await store.read { db in try Patient.changes(since: 0, in: db).count }
        #expect(count == 1)
        try await store.close()
    }
}
