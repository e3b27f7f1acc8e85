import Configurations
import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The address book's versions")
struct AddressBookTests {
    /// A proof with people in files of every version.
    static func proof(fixtures: String? = nil) -> MigrationProof {
        MigrationProof(AddressBook(), database: "addressbook_alice.sqlite", fixtures: fixtures)
            .planting(at: "1") { db in
                try db.execute(
                    "INSERT INTO contact (name, phone) VALUES ('Ada', '+44 1'), ('Bob', NULL), ('Cleo', '  ')")
            } expecting: { db, version in
                let names = try texts("SELECT name FROM contact ORDER BY id", db)
                return try names == ["Ada", "Bob", "Cleo"] && (try numbers(of: "Ada", at: version, db)) == ["+44 1"]
                    && (try numbers(of: "Bob", at: version, db)).isEmpty
            }
            .planting(at: "2") { db in
                try db.execute(
                    """
                    INSERT INTO contact (name, phone, email, created_at) VALUES ('Dora', '49 2', 'dora@example.org', 7)
                    """
                )
            } expecting: { db, version in
                let time: SQL = version == "4" ? "SELECT added_at FROM contact" : "SELECT created_at FROM contact"
                return try db.value(time, as: Int.self) == 7
                    && (try texts("SELECT email FROM contact", db)) == ["dora@example.org"]
                    && (try numbers(of: "Dora", at: version, db)) == ["49 2"]
            }
            .planting(at: "3") { db in
                try db.execute("INSERT INTO contact (name) VALUES ('Emil')")
                try db.execute("INSERT INTO phone_number (contact, number) VALUES (1, '1'), (1, '2'), (1, '1')")
            } expecting: { db, version in
                // Version 4 has each number once, also when it has been gone back from.
                let numbers = try numbers(of: "Emil", at: version, db)
                return Set(numbers) == ["1", "2"] && (version == "3" || numbers.count == 2)
            }
            .planting(at: "4") { db in
                var contact = Contact(name: "Fay", isFavourite: true)
                try Contact.save(&contact, .insert, in: db)
                _ = try PhoneNumber.insert(PhoneNumber(contact: contact.id ?? 0, number: "3", label: "work"), in: db)
            } expecting: { db, _ in
                try Contact.all(in: db).map(\.isFavourite) == [true] && PhoneNumber.all(in: db).map(\.label) == ["work"]
            }
            .records(of: Contact.self, Contact(name: "Gil", email: "gil@example.org"))
            .records(of: PhoneNumber.self, PhoneNumber(contact: 1, number: "0", label: "home"))
    }

    private static func texts(_ sql: SQL, _ db: borrowing ReadTransaction) throws -> [String] {
        var texts: [String] = []
        try db.forEachRow(sql) { row in texts.append(try row[0]) }
        return texts
    }

    private static func numbers(of name: String, at version: String, _ db: borrowing ReadTransaction) throws -> [String]
    {
        guard version > "2" else {
            return try texts("SELECT phone FROM contact WHERE name = \(name) AND phone IS NOT NULL", db)
        }
        return try texts(
            """
            SELECT number FROM phone_number JOIN contact ON contact.id = phone_number.contact
            WHERE name = \(name) ORDER BY phone_number.id
            """, db)
    }

    @Test func everyPathToEveryVersionIsProvedAndEveryFixture() async throws {
        let report = try await Self.proof().verify()
        for path in ["1 → 2", "1 → 3", "1 → 4", "2 → 3", "2 → 4", "3 → 4", "1 → 2 → 3 → 4"] {
            #expect(report.ups.contains(path))
        }
        #expect(report.downs == ["2 → 1", "3 → 1", "4 → 1", "3 → 2", "4 → 2", "4 → 3"])
        #expect(report.interruptions >= 20)
        let engine = try EngineFeatures.current().cipherMajorVersion
        let old = (1...4).map { "\($0).cipher3.sqlite" }
        let new = (1...4).map { "\($0).cipher4.sqlite" }
        // The old engine cannot read the new one's format, and the report says so.
        #expect(Set(report.fixtures) == Set(engine >= 4 ? old + new : old))
        #expect(report.leftOut.count == (engine >= 4 ? 0 : 4), "\(report)")
    }

    /// Writes the fixtures again where one is missing:
    /// `STRONGROOM_RECORD_FIXTURES=1 swift test --filter AddressBookTests`.
    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["STRONGROOM_RECORD_FIXTURES"] != nil,
            "fixtures are recorded once, when a version is released"))
    func recordFixtures() async throws {
        for version in ["1", "2", "3", "4"] { try await Self.proof().recordFixture(version: version) }
    }

    @Test func aFreshFileIsOfVersion4AndEachUserHasOne() async throws {
        let directory = try TemporaryDirectory()
        let configuration = AddressBook(
            keyFile: KeyFile(directory.path("keys")), directory: directory.url.path(percentEncoded: false))
        let stores = try Stores(configuration)
        for user in ["alice", "bob"] {
            let store = try await stores.open("addressbook_\(user).sqlite")
            #expect(store.openReport.outcome == .created)
            #expect(store.openReport.migration?.to == "4")
            let contact = try await store.write { db in try Contact.insert(Contact(name: user), in: db) }
            _ = try await store.write { [contact] db in
                try PhoneNumber.insert(PhoneNumber(contact: contact, number: "1"), in: db)
            }
            #expect(try await store.table(Contact.self).all().map(\.name) == [user])
        }
        try await stores.closeAll()
    }

    @Test func aContactsNumbersGoWithItAndStandOnce() async throws {
        let temporary = try await TemporaryStore(tables: [Contact.schema, PhoneNumber.schema])
        let contact = try await temporary.store.write { db in try Contact.insert(Contact(name: "Ada"), in: db) }
        let numbers = temporary.store.table(PhoneNumber.self)
        _ = try await temporary.store.write { [contact] db in
            try PhoneNumber.insert(PhoneNumber(contact: contact, number: "1"), in: db)
        }
        await #expect(throws: StrongroomError.self) {
            _ = try await temporary.store.write { [contact] db in
                try PhoneNumber.insert(PhoneNumber(contact: contact, number: "1", label: "work"), in: db)
            }
        }
        _ = try await temporary.store.write { [contact] db in try Contact.delete(contact, in: db) }
        #expect(try await numbers.all().isEmpty)
    }
}
