import Strongroom

/// The versions of an address book's schema. Released versions are never changed; new ones are added at the end.
enum AddressBookMigrations {
    static var all: [Migration] { [first, mail, phoneNumbers, favourites] }

    /// A contact has a name and one phone number.
    private static let first = Migration("1") { db in
        try db.execute("CREATE TABLE contact (id INTEGER PRIMARY KEY, name TEXT NOT NULL, phone TEXT)")
    }

    /// Contacts have an email address and a time, and an index on the name.
    private static let mail = Migration("2") { db in
        try db.addColumn(Column<String?>("email"), to: "contact")
        try db.addColumn(Column<Int64>("created_at", default: 0), to: "contact")
        try db.execute("CREATE INDEX contact_name ON contact (name)")
    } down: { db in
        try db.dropIndex("contact_name")
        try db.dropColumn("created_at", from: "contact")
        try db.dropColumn("email", from: "contact")
    }

    /// A contact has any number of phone numbers, in a separate table; existing numbers are moved to it.
    private static let phoneNumbers = Migration("3") { db in
        try db.createTable(PhoneNumberOfVersion3.schema)
        try db.execute(
            """
            INSERT INTO phone_number (contact, number)
            SELECT id, trim(phone) FROM contact WHERE trim(phone) <> '' ORDER BY id
            """)
        try db.dropColumn("phone", from: "contact")
    } down: { db in
        try db.addColumn(Column<String?>("phone"), to: "contact")
        try db.execute(
            """
            UPDATE contact SET phone =
                (SELECT number FROM phone_number WHERE contact = contact.id ORDER BY phone_number.id LIMIT 1)
            """)
        try db.dropTable("phone_number")
    }

    /// A number has a label and is unique for a contact; contacts can be favourites, and the column of their time gets
    /// a descriptive name.
    private static let favourites = Migration("4") { db in
        try db.addColumn(Column<String>("label", default: "phone"), to: "phone_number")
        try db.execute(
            """
            DELETE FROM phone_number WHERE id NOT IN (SELECT min(id) FROM phone_number GROUP BY contact, number)
            """)
        try db.createIndex(
            TableIndex(on: .column("contact"), .column("number"), unique: true), on: "phone_number")
        try db.dropIndex("phone_number_contact")
        try db.addColumn(Column<Bool>("is_favourite", default: false), to: "contact")
        try db.renameColumn("created_at", to: "added_at", in: "contact")
    } down: { db in
        try db.renameColumn("added_at", to: "created_at", in: "contact")
        try db.dropColumn("is_favourite", from: "contact")
        try db.execute("CREATE INDEX phone_number_contact ON phone_number (contact)")
        try db.dropIndex("phone_number_contact_number")
        try db.dropColumn("label", from: "phone_number")
    }
}

/// The table of phone numbers as created by version 3; must not be changed.
private enum PhoneNumberOfVersion3 {
    static let schema = TableSchema(
        "phone_number",
        Column<Int64?>("id", primaryKey: true),
        Column<Int64>("contact", indexed: true, references: Reference("contact", onDelete: .cascade)),
        Column<String>("number", check: "length(number) > 0"))
}
