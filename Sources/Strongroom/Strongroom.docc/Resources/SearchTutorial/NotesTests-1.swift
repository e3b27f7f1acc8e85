import Strongroom
import StrongroomTesting
import Testing

@Test func theNotesMigrate() async throws {
    try await MigrationProof(Notes(directory: "/nowhere"))
        .planting(at: "1") { db in
            try db.execute("INSERT INTO note (title, body) VALUES ('Café', 'Soup of the day')")
        } expecting: { db, version in
            guard version == "2" else { return true }
            return try Note.search("cafe soup").count(in: db) == 1
        }
        .records(of: Note.self)
        .verify()
}
