import Strongroom
import StrongroomTesting
import Testing

@Suite("The takeover of \"Coming from CTPersistance\"")
struct ComingFromCTPersistanceExamples {
    @Table("message")
    struct Message {
        var id: Int64?
        var text: String
    }

    struct Chat: Configuration {
        static let target = "chat"
        let directory: String

        func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database.fileName)" }
        func keyChain(for database: DatabaseName) throws -> KeyChain {
            try KeyChain(.plaintext, .legacyUTF16("пароль"), .passphrase("пароль"))
        }
        func migrator(for database: DatabaseName) -> Migrator? {
            Migrator {
                Migration("CTPersistance") { db in
                    try db.createTable(Message.schema, ifNotExists: true)
                    try db.dropTable("kCTPersistanceVersionTableName", ifExists: true)
                }
            }
        }
    }

    /// Makes the file that CTPersistance would have.
    private struct Before: Configuration {
        static let target = "chat"
        let directory: String
        let chain: KeyChain

        func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database.fileName)" }
        func keyChain(for database: DatabaseName) -> KeyChain { chain }
    }

    /// Of "пароль" it used as many bytes as there are letters, which are the first three.
    @Test(arguments: [nil, "пар", "пароль"])
    func itsFilesAreTakenOver(passphrase: String?) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("Library")
        let chain = try passphrase.map { try KeyChain(.passphrase($0)) } ?? .plaintext
        let before = try await Stores(Before(directory: path, chain: chain)).open("chat_alice.sqlite")
        try await before.write { db in
            try db.execute("CREATE TABLE message (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL)")
            try db.execute(
                "CREATE TABLE kCTPersistanceVersionTableName (identifier INTEGER PRIMARY KEY, databaseVersion TEXT)")
            try db.execute("INSERT INTO message (text) VALUES ('hello')")
        }
        try await before.close()

        let stores = try Stores(Chat(directory: path))
        let store = try await stores.open("chat_alice.sqlite")
        #expect(store.openReport.key?.isCurrent == true)
        #expect((store.openReport.rotation == nil) == (passphrase == "пароль"))
        #expect(try await store.table(Message.self).all().map(\.text) == ["hello"])
        #expect(try await store.read { db in try !db.hasTable("kCTPersistanceVersionTableName") })
        try await store.close()

        let again = try await Stores(Chat(directory: path)).open("chat_alice.sqlite")
        #expect(again.openReport.rotation == nil && again.openReport.migration?.applied == [])
        #expect(again.openReport.migration?.changed == [])
        try await again.close()
    }
}
