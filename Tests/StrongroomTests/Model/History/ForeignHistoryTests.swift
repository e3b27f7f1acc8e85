import Foundation
import Strongroom
import StrongroomTesting
import Testing

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
            let changes = try Patient.history(of: one, in: db)
            #expect(changes.map(\.kind) == [.insert, .update, .delete])
            #expect(changes.map(\.author) == ["ada", nil, "grace"])
            #expect(changes.map { $0.transaction == nil } == [false, true, false])
            #expect(changes.map(\.after?.name) == ["A", "C", nil])
            // No trigger has fired there for the row that was replaced.
            let replaced = try Patient.history(of: two, in: db)
            #expect(replaced.map(\.kind) == [.insert, .insert])
            #expect(replaced.map(\.isAfterKnown) == [false, true])
            #expect(replaced.map(\.after?.name) == [nil, "D"])
            let transaction = try #require(changes.first?.transaction)
            try expectFailure(.notUndoable) { try db.undo(transaction: transaction) }
        }
        try await store.close()
    }
}
