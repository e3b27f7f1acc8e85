import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// A column of each type, made by the macro, with the key of a kind that the program gives.
@Table("everything", in: "everything.sqlite")
struct Everything: Equatable {
    enum Kind: String, Codable, ColumnValue { case small, large }
    struct Address: Codable, Equatable, Sendable { var street: String, numbers: [Int], note: String? }

    let id: UUID
    var flag: Bool
    var int8: Int8
    var int16: Int16
    var int32: Int32
    var int: Int
    var uint8: UInt8
    var uint16: UInt16
    var uint32: UInt32
    var uint64: UInt64
    var float: Float
    var double: Double
    var decimal: Decimal
    var text: String
    var part: String
    var bytes: [UInt8]
    var data: Data
    var date: Date
    var link: URL
    @Column(default: Kind.small) var kind: Kind
    @Column(as: .json) var address: Address
    @Column(as: .json) var addresses: [Address]
    var mayBeBool: Bool?
    var mayBeDecimal: Decimal?
    var mayBeDate: Date?
    var mayBeUUID: UUID?
    var mayBeKind: Kind?
    @Column(as: .json) var mayBeAddress: Address?

    static func sample(_ number: Int) -> Everything {
        let isNil = number.isMultiple(of: 2)
        let address = Address(street: "\"Ünter\" \0 🙂 \(number)", numbers: [number, -1], note: isNil ? nil : "n")
        return Everything(
            id: UUID(), flag: isNil, int8: .min, int16: .max, int32: .min, int: .min, uint8: .max, uint16: .max,
            uint32: .max, uint64: UInt64(Int64.max), float: .leastNonzeroMagnitude, double: .infinity,
            decimal: Decimal(string: "-12345678901234567890.123456789") ?? 0, text: "a\0b", part: "yz",
            bytes: [], data: Data([0, 255]), date: Date(timeIntervalSinceReferenceDate: 2_000_000_000.000_1),
            link: URL(filePath: "/a b/\(number)"), kind: .large, address: address, addresses: [address, address],
            mayBeBool: isNil ? nil : true, mayBeDecimal: isNil ? nil : 0.1, mayBeDate: isNil ? nil : .distantFuture,
            mayBeUUID: isNil ? nil : UUID(), mayBeKind: isNil ? nil : .small, mayBeAddress: isNil ? nil : address)
    }
}

/// A key of two columns, and a check.
@Table("rectangle")
struct Rectangle: Equatable {
    @Column(primaryKey: true) var room: String
    @Column(primaryKey: true) var number: Int
    var width: Int
    @Column(check: "height > 0") var height: Int
}

/// A column that the engine computes.
@Table("circle")
struct Circle: Equatable {
    var id: Int64?
    var radius: Double
    @Column(generated: .virtual("radius * 2")) var diameter: Double?
}

@Suite("Every type as a column of a made table")
struct EveryTypeTests {
    @Test func aRecordOfEveryTypeComesBackAsItWentIn() async throws {
        let store = try await TemporaryStore(tables: [Everything.schema]).store
        let samples = (0..<50).map(Everything.sample)
        try await store.write { db in
            try Everything.insert(contentsOf: samples, in: db)
            #expect(try Everything.find(samples.map(\.id), in: db) == samples)
            var changed = samples[0]
            changed.address.street = "another"
            changed.mayBeUUID = changed.id
            try Everything.update(changed, in: db)
            #expect(try Everything.find(changed.id, in: db) == changed)
            #expect(try Everything.upsert(changed, in: db).outcome == .updated)
            #expect(try Everything.where { $0.kind == .large && $0.mayBeKind == nil }.count(in: db) == 25)
            #expect(try Everything.where { $0.date > Date.now && $0.uint64 == UInt64(Int64.max) }.count(in: db) == 50)
            #expect(try Everything.where { $0.mayBeDecimal != nil }.count(in: db) == 25)
        }
    }

    @Test(
        "a value that does not fit names table, column, row, what is there and what is wanted",
        arguments: [
            ("int8", "200", "an integer"), ("int", "'text'", "text"), ("flag", "NULL", "NULL"),
            ("decimal", "'x'", "text"),
            ("kind", "'medium'", "text"), ("uint64", "-1", "an integer"), ("address", "'{'", "text"),
            ("date", "x'00'", "bytes"),
        ])
    func aMisfit(column: String, value: String, found: String) async throws {
        // Without the schema's own guard, as another program may have written it.
        try await TemporaryStore(tables: []).store.write { db in
            let names = Everything.schema.columns.map { column in
                "`\(column.name)` \(column.declaredType == "DECIMAL_TEXT" ? column.declaredType : "")"
            }.joined(separator: ", ")
            try db.execute("CREATE TABLE everything (\(SQL(stringLiteral: names)), PRIMARY KEY (id))")
            try Everything.insert(contentsOf: [.sample(1), .sample(2)], in: db)
            try db.execute("UPDATE everything SET \(name: column) = \(SQL(stringLiteral: value)) WHERE rowid = 2")
            let mismatch = try expectFailure(.typeMismatch) { try Everything.query.fetch(in: db) }.mismatch
            #expect(mismatch?.table == "everything")
            #expect(mismatch?.column == column)
            #expect(mismatch?.rowID == 2)
            #expect(mismatch?.found == found)
            #expect(mismatch?.wanted.isEmpty == false)
        }
    }

    @Test func aGeneratedColumnIsReadAndNeverWritten() async throws {
        try await TemporaryStore(tables: []).store.write { db in
            guard try EngineFeatures.current().hasGeneratedColumns else {
                try expectFailure(.notSupported, saying: "diameter") { try db.createTable(Circle.schema) }
                return
            }
            try db.createTable(Circle.schema)
            let key = try Circle.insert(Circle(radius: 2, diameter: 99), in: db)
            #expect(try Circle.find(key, in: db)?.diameter == 4)
            try Circle.update(Circle(id: key, radius: 3), in: db)
            #expect(try Circle.upsert(Circle(id: key, radius: 5), in: db).outcome == .updated)
            #expect(try Circle.where { $0.diameter == 10 }.fetch(in: db).map(\.radius) == [5])
        }
    }

    @Test func aKeyOfTwoColumnsIsGivenBackAndACheckHolds() async throws {
        try await TemporaryStore(tables: [Rectangle.schema]).store.write { db in
            let key = try Rectangle.insert(Rectangle(room: "a", number: 1, width: 2, height: 3), in: db)
            #expect(key == Rectangle.Key(room: "a", number: 1))
            let error = try expectFailure(.constraint) {
                try Rectangle.insert(Rectangle(room: "a", number: 2, width: 1, height: 0), in: db)
            }
            #expect(error.constraint?.kind == .check)
        }
    }
}

/// A column of truth values is a condition.
struct BooleanColumnTests {
    @Table("member")
    struct Member: Equatable {
        var id: Int64?
        var isActive: Bool
        var isPaid: Bool?
        var age: Int
    }

    @Table("visit")
    struct Visit {
        var id: Int64?
        var member: Int64
        var isLate: Bool
    }

    private let store: Store

    init() async throws {
        store = try await TemporaryStore(tables: [Member.schema, Visit.schema]).store
        try await store.write { db in
            var members: [Member] = []
            for isActive in [true, false] {
                for isPaid in [true, false, nil] {
                    for age in [2, 30] { members.append(Member(isActive: isActive, isPaid: isPaid, age: age)) }
                }
            }
            try Member.insert(contentsOf: members, in: db)
            try Visit.insert(contentsOf: (1...12).map { Visit(member: $0, isLate: $0 % 2 == 0) }, in: db)
        }
    }

    /// Each query, its WHERE clause, and which rows it selects; NULL is neither true nor false.
    private static let cases: [(Query<Member>, String, @Sendable (Member) -> Bool)] = [
        (Member.where { $0.isActive }, "(`isActive` = 1)", { $0.isActive }),
        (Member.where { !$0.isActive }, "(`isActive` = 0)", { !$0.isActive }),
        (Member.where { $0.isPaid }, "(`isPaid` = 1)", { $0.isPaid == true }),
        (Member.where { !$0.isPaid }, "(`isPaid` = 0)", { $0.isPaid == false }),
        (
            Member.where { $0.isActive && $0.age > 3 }, "((`isActive` = 1) AND (`age` > ?))",
            { $0.isActive && $0.age > 3 }
        ),
        (
            Member.where { $0.age > 3 || $0.isPaid }, "((`age` > ?) OR (`isPaid` = 1))",
            { $0.age > 3 || $0.isPaid == true }
        ),
        (
            Member.where { $0.isActive || $0.isPaid && !$0.isActive },
            "((`isActive` = 1) OR ((`isPaid` = 1) AND (`isActive` = 0)))",
            { $0.isActive || $0.isPaid == true && !$0.isActive }
        ),
        (
            Member.where { !($0.isActive && $0.isPaid) }, "(NOT ((`isActive` = 1) AND (`isPaid` = 1)))",
            { !$0.isActive || $0.isPaid == false }
        ),
        (
            Member.query.where { $0.isActive }.where { $0.isPaid },
            "((`isActive` = 1) AND (`isPaid` = 1))", { $0.isActive && $0.isPaid == true }
        ),
    ]

    @Test(arguments: cases.indices)
    func selects(index: Int) async throws {
        let (query, clause, isSelected) = Self.cases[index]
        try await store.read { db in
            let found = try db.expectSQL(
                "SELECT `id`, `isActive`, `isPaid`, `age` FROM `member` WHERE \(clause)"
            ) { try query.fetch(in: db) }
            #expect(found == (try Member.all(in: db).filter(isSelected)))
        }
    }

    @Test func inAJoin() async throws {
        try await store.read { db in
            let found = try Member.join(Visit.self) { member, visit in member.id == visit.member }
                .where { member, visit in member.isActive && !visit.isLate }.fetch(in: db)
            #expect(found.map { $0.0.id } == [1, 3, 5])
        }
    }
}

enum InitialLevel: Int, ColumnValue {
    case none, low, high
}

enum InitialMood: Int, ColumnValue {
    case good, bad
}

/// An initial value is a column's default where it is a constant.
struct InitialValueTests {
    @Table("entry")
    struct Entry: Equatable {
        var id: Int64?
        var name = "it's"
        var calls: Int = 0
        var share: Double = -0.5
        var isOpen = true
        var level: InitialLevel = .low
        var odd: InitialLevel = .none
        var maybe: Int? = 7
        var price: Decimal = 2
        @Column(scale: 2) var fee: Decimal = 3
        @Column(default: 4) var given: Int?
        @Column(default: 5) var both: Int = 5
        var note: String?
        var bytes: [UInt8] = []
        // The time of the test's process, which no column can have as its default.
        var when: Date = Date.now
        var token: UUID = UUID()
        var most: Int = .max
        @Column(as: .json) var tags: [String] = ["a"]
    }

    /// The same table before its columns.
    @Table("entry")
    struct Former {
        var id: Int64?
    }

    @Table("entry")
    struct Later {
        var id: Int64?
        var calls: Int = 3
        var level: InitialLevel = .high
        var maybe: Int? = 7
    }

    @Table("diary")
    struct Diary {
        var id: Int64?
        var mood: InitialMood? = .none
    }

    @Test func noneIsNoDefault() async throws {
        let sql = try await TemporaryStore(tables: [Diary.schema]).store.read { db in
            try db.value("SELECT sql FROM sqlite_master WHERE name = 'diary'", as: String.self)
        }
        #expect(sql?.contains("mood") == true && sql?.contains("DEFAULT") == false)
    }

    @Test func theDefaultsStandInTheSchema() async throws {
        let sql = try await TemporaryStore(tables: [Entry.schema]).store.read { db in
            try db.value("SELECT sql FROM sqlite_master WHERE name = 'entry'", as: String.self)
        }
        #expect(
            sql?.replacing("`", with: "\"") == """
                CREATE TABLE "entry" ("id" INTEGER PRIMARY KEY, "name" TEXT NOT NULL DEFAULT 'it''s', \
                "calls" INTEGER NOT NULL DEFAULT (0), "share" REAL NOT NULL DEFAULT (-0.5), \
                "isOpen" INTEGER NOT NULL DEFAULT (1), "level" INTEGER NOT NULL DEFAULT (1), \
                "odd" INTEGER NOT NULL DEFAULT (0), "maybe" INTEGER DEFAULT (7), \
                "price" DECIMAL_TEXT NOT NULL DEFAULT '\(try #require(Decimal(2).stored().text))', \
                "fee" DECIMAL_INTEGER(2) NOT NULL DEFAULT (300), "given" INTEGER DEFAULT (4), \
                "both" INTEGER NOT NULL DEFAULT (5), "note" TEXT, "bytes" BLOB NOT NULL, "when" REAL NOT NULL, \
                "token" TEXT NOT NULL, \
                "most" INTEGER NOT NULL DEFAULT (9223372036854775807), "tags" TEXT NOT NULL)
                """)
    }

    @Test func aColumnIsAddedToATableWithRows() async throws {
        let vault = Vault(keys: .numbered(1))
        try await vault.with(\.migrator, .automatic(tables: [Former.schema])).using { store in
            _ = try await store.write { db in try Former.insert(Former(), in: db) }
        }
        try await vault.with(\.migrator, .automatic(tables: [Later.schema])).using { store in
            let found = try await store.read { db in try Later.all(in: db) }
            #expect(found.map(\.calls) == [3])
            #expect(found.map(\.level) == [.high])
            #expect(found.map(\.maybe) == [7])
        }
        // Opened again: nothing is left to change.
        try await vault.with(\.migrator, .automatic(tables: [Later.schema])).using { store in
            #expect(store.openReport.migration?.schemaChanges == [])
        }
    }

    @Test func aMissingKeyIsTheInitialValue() throws {
        let entry = try Entry(
            json: """
                {"when": "2026-11-21T20:15:00Z", "token": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", \
                "tags": [], "bytes": ""}
                """)
        // Each property has its initial value, and `given` the column's default.
        #expect(entry == Entry(given: 4, when: entry.when, token: entry.token, tags: []))
        try expectFailure(.notARecord) { _ = try Entry(json: "{}") }
        #expect(try Later(dictionary: [:]).calls == 3)
        #expect(try Later(dictionary: ["maybe": .null]).maybe == nil)
    }

    @Test func aNewRowTakesItOfJSONAndOfSingleValues() async throws {
        try await TemporaryStore(tables: [Later.schema]).store.write { db in
            try Later.upsert(json: #"{"id": 1, "level": 1}"#, in: db)
            try Later.upsert(json: #"{"id": 1, "calls": 9}"#, in: db)
            let row = try #require(try Later.find(1, in: db))
            #expect(row.level == .low)
            #expect(row.calls == 9)
            #expect(row.maybe == 7)
            let id = try Later.insert(in: db) { [$0.calls.set(1)] }
            #expect(try Later.find(id, in: db)?.level == .high)
        }
    }

    /// An argument `default:` replaces nil; an initial value does not, since nil can be meant.
    @Test func aNilThatIsGivenIsNULL() async throws {
        try await TemporaryStore(tables: [Entry.schema]).store.write { db in
            for isListed in [false, true] {
                var entry = Entry()
                entry.maybe = nil
                entry.given = nil
                let id = isListed ? try Entry.insert(contentsOf: [entry], in: db)[0] : try Entry.insert(entry, in: db)
                let found = try #require(try Entry.find(id, in: db))
                #expect(found.maybe == nil)
                #expect(found.given == 4)
            }
        }
    }
}

extension SQLValue {
    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
