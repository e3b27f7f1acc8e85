#if Macros
import Strongroom

@Configuration("notes")  // notes.sqlite, notes_alice.sqlite, …
struct Notes {
    func keyChain(for database: DatabaseName) throws -> KeyChain {
        try KeyChain(environment: "NOTES_KEYS")  // one a line, the newest last
    }
    func migrator(for database: DatabaseName) -> Migrator? { .automatic(tables: [Note.schema]) }
}

@Table("note", in: "notes.sqlite")
struct Note {
    var id: Int64?
    var text: String
}

func keepANote() async throws {
    let store = try await Stores.shared.open("notes_alice.sqlite")
    let key = try await store.write { db in try Note.insert(Note(text: "Call Bob"), in: db) }
    print(try await store.table(Note.self).find(key)?.text ?? "nothing")  // Call Bob
    try await Stores.shared.closeAll()
}
#endif
