import Strongroom
import StrongroomTesting
import Testing

struct StrongroomErrorTests {
    @Test func anErrorTellsWhatIsKnown() {
        #expect("\(StrongroomError(.closed, "Closed."))" == "closed: Closed.")
        let full = StrongroomError(
            .constraint, "Taken.", database: "a.sqlite", sql: "SELECT ?", resultCode: ResultCode(extended: 2067))
        let text = "\(full)"
        #expect(text.hasPrefix("constraint: Taken. [database: a.sqlite] [SQL: SELECT ?] [engine: "))
        #expect(text.hasSuffix("(2067)]"))
        #expect(full.resultCode?.primary == 19)
    }

    @Test func anEnginesErrorNamesTheDatabaseAndTheExtendedCode() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let error = try await expectFailure(.constraint) {
            try await store.write { db in
                try Contact.insert(contentsOf: [Contact(id: 1), Contact(id: 1, email: "b")], in: db)
            }
        }
        #expect(error.database == "temporary.sqlite")
        #expect(error.resultCode?.primary == 19)
        #expect(error.resultCode?.extended != 19)
        #expect(error.sql?.hasPrefix("INSERT INTO `contact`") == true)
    }
}

/// A record that sets a column which it has not.
private struct Overreaching: Table, Record {
    var place: Int

    struct Columns: Sendable {
        let id = Column<Int64?>("id", primaryKey: true)
    }

    static let columns = Columns()
    static let schema = TableSchema("overreaching", columns.id)
    static func key(of record: Overreaching) -> Int64? { nil }
    static func setKey(_ key: Int64, of record: inout Overreaching) {}

    init(_ place: Int) { self.place = place }
    init(row: borrowing Row) throws { place = try row[1] }
    func encode(to bindings: borrowing Bindings) throws { try bindings.set("secret", at: place) }
}

struct BindingsTests {
    @Test(arguments: [1, 2, 99, -1, .max, .min, 1 << 32])
    func aParameterThatIsNotThereIsAnError(index: Int) async throws {
        try await TemporaryStore(tables: [Overreaching.schema]).store.write { db in
            let error = try expectFailure(.invalidArgument) { try Overreaching.insert(Overreaching(index), in: db) }
            #expect(error.message.contains("1 parameter;"))
            #expect(error.sql?.contains("overreaching") == true)
            #expect(!"\(error)".contains("secret"))
            try db.execute("INSERT INTO overreaching VALUES (1)")
            try expectFailure(.invalidArgument) { try Overreaching.all(in: db) }
            #expect(try Overreaching.count(in: db) == 1)
        }
    }

    @Test func valuesOfEverySizeFollowEachOther() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let lengths = [0, 1, 500, 511, 512, 513, 10, 2_000, 3, 70_000, 0, 1 << 20, 1, (1 << 20) + 1, 5, 100_000, 0]
        try await store.write { db in
            var expected: [Contact] = []
            for (index, length) in lengths.enumerated() {
                let text = String(repeating: "\(index % 10)", count: length)
                var contact = Contact(
                    name: text, email: "\(index)\(text)", phone: text, score: Double(length),
                    photo: [UInt8](repeating: UInt8(index), count: length))
                try Contact.save(&contact, .insert, in: db)
                expected.append(contact)
            }
            let found = try Contact.all(in: db)
            #expect(found.map(\.photo.count) == lengths)
            // Compared here: a failure would print megabytes.
            let isEqual = found == expected
            #expect(isEqual)
        }
    }
}
