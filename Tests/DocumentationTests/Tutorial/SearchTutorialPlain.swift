import Strongroom

/// The notes of the tutorial before they have a full-text index.
struct SearchTutorialPlain {
    @Table("note")
    struct Note {
        var id: Int64?
        var title: String
        var body: String
        var isDone = false
    }

    struct Notes: Configuration {
        static let target = "notes"
        let directory: String

        func filePath(for database: DatabaseName) -> String? {
            "\(directory)/\(database.fileName)"
        }

        func keyChain(for database: DatabaseName) throws -> KeyChain {
            try KeyChain(.passphrase("secret of the notes"))
        }

        func migrator(for database: DatabaseName) -> Migrator? {
            Migrator(tables: [Note.schema]) {
                Migration("1") { db in
                    try db.execute(
                        """
                        CREATE TABLE note (
                            id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL,
                            isDone INTEGER NOT NULL DEFAULT 0)
                        """)
                }
            }
        }
    }
}
