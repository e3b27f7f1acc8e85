#if Macros
import Foundation
import Strongroom

@Table("note", in: "notes.sqlite")
struct Note {
    var id: Int64?
    var text: String
    @Column(indexed: true) var written: Date
}

@Configuration("notes")
struct Notes {
    func keyChain(for database: DatabaseName) throws -> KeyChain {
        let file = URL.homeDirectory.appending(path: ".config/notes/keys")
        return try KeyFile(file.path(percentEncoded: false)).keyChain(creating: true)
    }

    func migrator(for database: DatabaseName) -> Migrator? { .automatic(tables: [Note.schema]) }
}

@main
enum Program {
    static func main() async throws {
        let store = try await Stores.shared.open("notes_alice.sqlite")
        try await store.write { db in
            try Note.insert(Note(text: "Call Bob", written: Date()), in: db)
        }
        let latest = try await store.read { db in
            try Note.order { $0.written.descending }.limit(10).fetch(in: db)
        }
        for note in latest { print(note.written, note.text) }
        try await Stores.shared.closeAll()
    }
}
#else
@main
enum Program {
    static func main() {}
}
#endif
