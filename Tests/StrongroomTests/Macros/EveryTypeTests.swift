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
    var part: Substring
    var bytes: [UInt8]
    var data: Data
    var date: Date
    var link: URL
    @Column(default: Kind.small) var kind: Kind
    @Column(as: .json) var address: Address
    @Column(as: .propertyList) var addresses: [Address]
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
            decimal: Decimal(string: "-12345678901234567890.123456789") ?? 0, text: "a\0b", part: "xyz".dropFirst(),
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

    @Test func whatTheEngineCannotKeepIsRefusedAndNothingIsWritten() async throws {
        try await TemporaryStore(tables: [Everything.schema]).store.write { db in
            var sample = Everything.sample(1)
            sample.uint64 = UInt64(Int64.max) + 1
            try expectFailure(.valueNotStorable) { try Everything.insert(sample, in: db) }
            sample = .sample(1)
            sample.double = .nan
            try expectFailure(.valueNotStorable) { try Everything.insert(sample, in: db) }
            try expectFailure(.valueNotStorable) {
                try Everything.insert(contentsOf: [.sample(2), sample, .sample(3)], in: db)
            }
            #expect(try Everything.count(in: db) == 0)
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

    @Test func aKeyOfTwoColumnsIsStoredAndFound() async throws {
        try await TemporaryStore(tables: [Rectangle.schema]).store.write { db in
            let rectangle = Rectangle(room: "a", number: 1, width: 2, height: 3)
            let key = try Rectangle.insert(rectangle, in: db)
            #expect(key == Rectangle.Key(room: "a", number: 1))
            #expect(try Rectangle.find(key, in: db) == rectangle)
            #expect(try Rectangle.upsert(rectangle, in: db) == Upserted(.updated, key))
            let error = try expectFailure(.constraint) {
                try Rectangle.insert(Rectangle(room: "a", number: 2, width: 1, height: 0), in: db)
            }
            #expect(error.constraint?.kind == .check)
            #expect(try Rectangle.delete(key, in: db))
        }
    }
}
