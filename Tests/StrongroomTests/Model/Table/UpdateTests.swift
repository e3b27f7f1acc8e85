import Strongroom
import StrongroomTesting
import Testing

struct UpdateTests {
    @Test func aListIsUpdatedAsAWholeOrNotAtAll() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(contentsOf: Contact.samples(5), in: db)
            let before = try Contact.all(in: db)
            let changed = before.map { contact in
                var contact = contact
                contact.name += " changed"
                return contact
            }
            let failing: [([Contact], StrongroomError.Code)] = [
                (changed + [Contact(id: 99)], .noSuchRow), (changed + [Contact()], .missingKey),
                (changed + [Contact(id: 1, email: changed[4].email)], .constraint),
            ]
            for (list, code) in failing {
                try expectFailure(code) { try Contact.update(contentsOf: list, in: db) }
                try expectFailure(code, saying: "contact") { try Contact.update(list[5], in: db) }
                #expect(try Contact.all(in: db) == before)
            }
            try Contact.update(contentsOf: [], in: db)
            try Contact.update(contentsOf: changed, in: db)
            #expect(try Contact.all(in: db) == changed)
        }
    }
}

struct DeleteTests {
    @Test func longListsOfKeysAreDeletedAllOrNone() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try db.execute("CREATE TABLE note (contact INTEGER REFERENCES contact (id))")
            let contacts = try Contact.find(Contact.insert(contentsOf: Contact.samples(100), in: db), in: db)
            try db.execute("INSERT INTO note VALUES (70)")
            try expectFailure(.constraint) { try Contact.delete(keys: 1...90, in: db) }
            try expectFailure(.constraint) { try Contact.delete(contentsOf: contacts, in: db) }
            try expectFailure(.missingKey) {
                try Contact.delete(contentsOf: contacts.prefix(60) + [Contact(name: "no key")], in: db)
            }
            #expect(try Contact.count(in: db) == 100)
            #expect(try Contact.delete(keys: Array(1...60) + Array(1...50) + [999], in: db) == 60)
            #expect(try Contact.delete(contentsOf: contacts.filter { $0.id != 70 }, in: db) == 39)
            #expect(try Contact.all(in: db).map(\.id) == [70])
        }
    }

    @Test(arguments: [2, 40])
    func rowsThatReferToEachOtherAreDeletedInTheOrderOfTheList(count: Int64) async throws {
        try await TemporaryStore(tables: [Link.schema]).store.write { db in
            try Link.insert(contentsOf: (1...count).map { Link(id: $0, previous: $0 == 1 ? nil : $0 - 1) }, in: db)
            try expectFailure(.constraint) { try Link.delete(keys: 1...count, in: db) }
            #expect(try Link.count(in: db) == Int(count))
            #expect(try Link.delete(keys: (1...count).reversed(), in: db) == Int(count))
        }
    }

    @Test(arguments: [2, 40])
    func triggersSeeTheRowsInTheOrderOfTheList(count: Int) async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try db.execute("CREATE TABLE gone (id INTEGER, others INTEGER)")
            try db.execute(
                """
                CREATE TRIGGER going BEFORE DELETE ON CONTACT
                BEGIN INSERT INTO gone VALUES (old.id, (SELECT count(*) FROM contact)); END
                """)
            let keys = try Contact.insert(contentsOf: Contact.samples(count), in: db)
            #expect(try Contact.delete(keys: keys.reversed(), in: db) == count)
            let gone: String? = try db.value("SELECT group_concat(id) FROM (SELECT id FROM gone ORDER BY rowid)")
            #expect(gone == keys.reversed().map(String.init).joined(separator: ","))
            #expect(try db.value("SELECT sum(others) FROM gone", as: Int.self) == count * (count + 1) / 2)
        }
    }

    /// What a cascade deletes counts as if each row went alone: a row that another one of the list would have taken
    /// along still keeps its parent.
    @Test(arguments: [2, 40])
    func cascadesGoInTheOrderOfTheList(count: Int) async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try db.execute(
                """
                CREATE TABLE message (sender INTEGER REFERENCES contact (id) ON DELETE CASCADE,
                    recipient INTEGER REFERENCES contact (id))
                """)
            let keys = try Contact.insert(contentsOf: Contact.samples(count), in: db)
            try db.execute("INSERT INTO message VALUES (\(keys[0]), \(keys[1]))")
            try expectFailure(.constraint) { try Contact.delete(keys: [keys[1], keys[0]] + keys[2...], in: db) }
            #expect(try Contact.count(in: db) == count)
            #expect(try Contact.delete(keys: keys, in: db) == count)
            #expect(try db.value("SELECT count(*) FROM message", as: Int.self) == 0)
        }
    }

    /// As for one key: the column's affinity counts, whatever the list's length.
    @Test(arguments: [2, 40])
    func keysAreComparedAsTheColumnDoes(count: Int64) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE link (id TEXT PRIMARY KEY, previous)")
            for id in 1...count { try db.execute("INSERT INTO link (id) VALUES (\(id))") }
            #expect(try Link.where { $0.id.isIn(Array(1...count)) }.count(in: db) == Int(count))
            #expect(try Link.delete(keys: 1...count, in: db) == Int(count))
        }
    }

    @Table("link")
    struct Link {
        @Column(primaryKey: true) var id: Int64
        @Column(references: Reference("link")) var previous: Int64?
    }

    @Test func aQueryDeletesItsRows() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(contentsOf: Contact.samples(10), in: db)
            #expect(try Contact.where { $0.id > 8 }.delete(in: db) == 2)
            #expect(try Contact.where { $0.id > 8 }.delete(in: db) == 0)
            #expect(try Contact.where { $0.phone == nil }.order { $0.id.descending }.limit(2).delete(in: db) == 2)
            #expect(try Contact.all(in: db).map(\.id) == [1, 2, 3, 4, 6, 8])
            #expect(try Contact.order { $0.id.ascending }.limit(2, offset: 1).delete(in: db) == 2)
            #expect(try Contact.all(in: db).map(\.id) == [1, 4, 6, 8])
            #expect(try Contact.where { $0.id > 1 }.limit(0).delete(in: db) == 0)
            #expect(try Query<Contact>().delete(in: db) == 4)
        }
    }

    @Test func aQueryWithALimitDeletesFromEveryKindOfTable() async throws {
        try await TemporaryStore(tables: [Named.schema, Misleading.schema]).store.write { db in
            try Named.insert(contentsOf: ["a", "b", "c"].map { Named($0) }, in: db)
            #expect(try Named.order { $0.name.descending }.limit(1).delete(in: db) == 1)
            #expect(try Named.all(in: db).map(\.name) == ["a", "b"])
            try Misleading.insert(contentsOf: (1...3).map { _ in Misleading(id: nil) }, in: db)
            #expect(try Misleading.order { $0.id.ascending }.limit(1).delete(in: db) == 1)
            #expect(try Misleading.all(in: db).map(\.id) == [2, 3])
            try db.dropTable("named")
            try db.execute("CREATE TABLE named (name TEXT PRIMARY KEY, size INTEGER) WITHOUT ROWID")
            try Named.insert(contentsOf: ["a", "b", "c"].map { Named($0) }, in: db)
            #expect(try Named.order { $0.name.ascending }.limit(2).delete(in: db) == 2)
        }
    }

    @Test func aQueryThatCannotDeleteOneRowDeletesNone() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try db.execute("CREATE TABLE note (contact INTEGER REFERENCES contact (id))")
            try Contact.insert(contentsOf: Contact.samples(4), in: db)
            try db.execute("INSERT INTO note VALUES (3)")
            try expectFailure(.constraint) { try Contact.where { $0.id > 1 }.delete(in: db) }
            #expect(try Contact.count(in: db) == 4)
        }
    }

    @Test func truncatingRemovesEveryRowAndBeginsAgainWithTheKeys() async throws {
        try await TemporaryStore(tables: [Counter.schema, Contact.schema]).store.write { db in
            try Counter.insert(contentsOf: [Counter(), Counter(), Counter(id: 50)], in: db)
            try Contact.insert(contentsOf: Contact.samples(3), in: db)
            try db.execute("CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT)")
            try db.execute("INSERT INTO other VALUES (70)")
            #expect(try Counter.truncate(in: db) == 3)
            #expect(try Counter.insert(Counter(), in: db) == 1)
            #expect(try Contact.count(in: db) == 3)
            #expect(try Contact.truncate(in: db) == 3)
            #expect(try Contact.truncate(in: db) == 0)
            #expect(try Contact.insert(Contact(), in: db) == 1)
            try db.execute("INSERT INTO other VALUES (NULL)")
            #expect(try db.value("SELECT max(id) FROM other", as: Int.self) == 71, "another table's keys go on")
        }
    }

    @Test func truncatingIsUndoneWithItsTransaction() async throws {
        struct Stop: Error {}
        let store = try await TemporaryStore(tables: [Counter.schema]).store
        try await store.write { db in try Counter.insert(contentsOf: [Counter(), Counter()], in: db) }
        await #expect(throws: Stop.self) {
            try await store.write { db in
                try Counter.truncate(in: db)
                throw Stop()
            }
        }
        #expect(try await store.table(Counter.self).count() == 2)
        #expect(try await store.write { db in try Counter.insert(Counter(), in: db) } == 3)
    }
}

/// A table with a column that is named as the engine names a row's number, and is the same in every row.
@Table("misleading")
private struct Misleading {
    var id: Int64?
    var rowid = "same"
}

/// A type of a program's own, whose range is smaller than that of its raw value.
struct Percentage: RawRepresentable, NumericColumnValue, Equatable {
    let rawValue: Int

    init(_ value: Int) { rawValue = value }

    init?(rawValue: Int) {
        guard (0...100).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

/// An update by calculation stores a value that its column's type reads, or nothing.
@Suite("Updates by calculation")
struct CalculatedUpdateTests {
    @Table("num")
    struct Num: Equatable {
        var id: Int64?
        var int: Int = 0
        var int8: Int8 = 0
        var uint: UInt = 0
        var uint8: UInt8 = 0
        var maybe: UInt16?
        var float: Float = 0
        var double: Double = 0
        var percent: Percentage = Percentage(0)
    }

    static let row = Num(
        id: 1, int: .max, int8: .min, uint: 0, uint8: 255, maybe: .max, float: 0.1, double: 0.5,
        percent: Percentage(99))

    typealias Change = @Sendable (Num.Columns) -> [Assignment]

    /// What does not fit, each by itself: the compiler takes long for a list of closures.
    static let tooFar: [Change] = {
        var changes: [Change] = []
        changes.append { [$0.int.set($0.int + 1)] }
        changes.append { [$0.int.set(-2 - $0.int)] }
        changes.append { [$0.int.set($0.int * 2)] }
        changes.append { [$0.int8.set($0.int8 - 1)] }
        changes.append { [$0.int8.set(-$0.int8)] }
        changes.append { [$0.int8.set($0.int8 / -1)] }
        changes.append { [$0.uint.set($0.uint - 1)] }
        changes.append { [$0.uint8.set($0.uint8 + 1)] }
        changes.append { [$0.uint8.set($0.uint8 * $0.uint8)] }
        changes.append { [$0.maybe.set($0.maybe + 1)] }
        let largest = Float.greatestFiniteMagnitude
        changes.append { [$0.float.set($0.float * largest + largest)] }
        changes.append { [$0.percent.set($0.percent + $0.percent)] }
        changes.append { [$0.double.set(1), $0.uint8.set($0.uint8 + 1)] }
        changes.append { [$0.uint8.set(Computed("CASE WHEN \($0.int > 0) THEN \($0.uint8 + 1) END", as: UInt8.self))] }
        return changes
    }()

    @Test(arguments: Array(tooFar.indices), [false, true])
    func whatDoesNotFitIsRefusedAndNothingIsChanged(index: Int, isFound: Bool) async throws {
        let store = try await TemporaryStore(tables: [Num.schema]).store
        let change = Self.tooFar[index]
        try await store.write { db throws in
            try Num.insert(Self.row, in: db)
            try expectFailure(.limit, saying: "calculation") { () throws -> Int in
                if isFound { return try Num.update(1, in: db, change) ? 1 : 0 }
                return try Num.where { $0.id > 0 }.update(in: db, change)
            }
            #expect(try Num.all(in: db) == [Self.row])
        }
    }

    @Test func whatFitsIsStored() async throws {
        try await TemporaryStore(tables: [Num.schema]).store.write { db throws in
            try Num.insert(Self.row, in: db)
            try Num.update(1, in: db) { [$0.int.set($0.int - 1), $0.int8.set($0.int8 + 1)] }
            try Num.update(1, in: db) { [$0.uint.set($0.uint + 7), $0.uint8.set($0.uint8 - 255)] }
            try Num.update(1, in: db) { [$0.maybe.set($0.maybe - 1), $0.float.set($0.float * 3)] }
            try Num.update(1, in: db) { [$0.double.set($0.double / 0.3)] }
            try Num.update(1, in: db) { [$0.percent.set($0.percent + Percentage(1))] }
            let float: Float = 0.1
            let wanted = Num(
                id: 1, int: .max - 1, int8: -127, uint: 7, uint8: 0, maybe: .max - 1, float: float * 3,
                double: 0.5 / 0.3, percent: Percentage(100))
            #expect(try Num.find(1, in: db) == wanted)
            try Num.update(1, in: db) { [$0.maybe.set($0.maybe / 0), $0.double.set($0.double * 2)] }
            #expect(try Num.find(1, in: db)?.maybe == nil)
            // Of a column alone nothing is calculated.
            try Num.update(1, in: db) { [$0.int.set($0.int), $0.uint8.set(200)] }
            #expect(try Num.find(1, in: db)?.uint8 == 200)
        }
    }

    @Test func sumsAndQuotientsHaveATypeThatHoldsThem() async throws {
        try await TemporaryStore(tables: [Num.schema]).store.write { db throws in
            var other = Self.row
            other.id = 2
            other.maybe = nil
            try Num.insert(contentsOf: [Self.row, other], in: db)
            let sum: Int? = try Num.query.value(in: db) { $0.uint8.sum() }
            let negative: Int? = try Num.query.value(in: db) { $0.int8.sum() }
            let maybe: Int? = try Num.query.value(in: db) { $0.maybe.sum() }
            #expect(sum == 510 && negative == -256 && maybe == 65_535)
            let float: Double? = try Num.query.value(in: db) { $0.float.sum() }
            #expect(float == Double(0.1 as Float) * 2)
            let ordered = Num.order { $0.id.ascending }
            let quotients: [UInt8?] = try ordered.select { $0.uint8 / 0 }.fetch(in: db)
            #expect(quotients == [nil, nil])
            let rests: [UInt16?] = try ordered.select { $0.maybe % 10 }.fetch(in: db)
            #expect(rests == [5, nil])
            let columns: [UInt?] = try ordered.select { 7 / $0.uint }.fetch(in: db)
            #expect(columns == [nil, nil])
            let two: [Int?] = try ordered.select { $0.int / $0.int + 1 }.fetch(in: db)
            #expect(two == [2, 2])
        }
    }
}
