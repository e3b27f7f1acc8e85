import Foundation
import Strongroom
import StrongroomTesting
import Testing

private enum Priority: Int, ColumnValue {
    case low = 1
    case high = 9
}

private enum Color: String, ColumnValue {
    case red, green
}

struct ValueMismatchTests {
    @Test func nullWhereAValueIsWantedIsAMismatch() async throws {
        try await expectNullRefused(Int64.self, "an integer")
        try await expectNullRefused(UInt8.self, "an integer")
        try await expectNullRefused(Bool.self, "an integer")
        try await expectNullRefused(Double.self, "a number")
        try await expectNullRefused(Float.self, "a number")
        try await expectNullRefused(String.self, "text")
        try await expectNullRefused([UInt8].self, "bytes")
        try await expectNullRefused(Priority.self, "an integer")
        try await expectNullRefused(Color.self, "text")
        try await expectNullRefused(Date.self)
        try await expectNullRefused(Data.self)
        try await expectNullRefused(UUID.self)
        try await expectNullRefused(URL.self)
        try await expectNullRefused(Decimal.self)
        try await expectNullRefused(JSON<[Int]>.self)
    }

    private func expectNullRefused<Content: ColumnValue>(_ type: Content.Type, _ wanted: String = "") async throws {
        try await TemporaryStore(tables: [Cell<Content?>.schema]).store.write { db in
            try Cell<Content?>.insert(Cell(nil), in: db)
            #expect(try #require(try Cell<Content?>.find(1, in: db)).content == nil)
            let error = try expectFailure(.typeMismatch, "\(type)", saying: " contains NULL where \(wanted)") {
                try Cell<Content>.find(1, in: db)
            }
            #expect(error.sql?.contains("SELECT") == true)
            #expect(error.mismatch?.found == "NULL")
            #expect(error.mismatch?.column == "content")
            #expect(error.mismatch?.rowID == 1)
        }
    }

    @Test(arguments: [
        ("'4711'", "text"), ("4711", "an integer"), ("4711.5", "a floating-point number"), ("x'34373131'", "bytes"),
    ])
    func aValueOfAnotherClassIsAMismatchThatDoesNotTellIt(literal: String, found: String) async throws {
        try await TemporaryStore().store.read { db in
            let query = SQL(stringLiteral: "SELECT \(literal) AS odd")
            var errors: [StrongroomError] = []
            if found != "an integer" {
                errors.append(try expectFailure(.typeMismatch) { try db.value(query, as: Int64.self) })
                errors.append(try expectFailure(.typeMismatch) { try db.value(query, as: Bool?.self) })
                errors.append(try expectFailure(.typeMismatch) { try db.value(query, as: Priority.self) })
            }
            if found != "text" {
                errors.append(try expectFailure(.typeMismatch) { try db.value(query, as: String.self) })
                errors.append(try expectFailure(.typeMismatch) { try db.value(query, as: Color?.self) })
            }
            if found != "bytes" {
                errors.append(try expectFailure(.typeMismatch) { try db.value(query, as: [UInt8].self) })
            }
            if found == "text" || found == "bytes" {
                errors.append(try expectFailure(.typeMismatch) { try db.value(query, as: Double.self) })
            }
            for error in errors {
                #expect(error.message.contains(" contains \(found) where "))
                #expect(!error.message.contains("4711"))
            }
        }
    }

    @Test func aColumnThatIsNotThereIsAnError() async throws {
        try await TemporaryStore().store.read { db in
            try db.forEachRow("SELECT 1 AS one, NULL AS missing") { row in
                #expect(row.count == 2)
                #expect(row.name(at: 0) == "one")
                #expect(row.name(at: 2) == nil)
                #expect(row.name(at: -1) == nil && row.name(at: 1 << 32) == nil)
                for index in [-1, 2, 99, 1 << 32] {
                    try expectFailure(.invalidArgument) { try row[index] as Int64 }
                    try expectFailure(.invalidArgument) { try row[index] as Int64? }
                    try expectFailure(.invalidArgument) { try row[index] as SQLValue }
                }
                try expectFailure(.sql) { try row["two"] as Int64? }
                #expect(try row["one"] as Int64 == 1)
                #expect(try row["missing"] as String? == nil)
            }
        }
    }
}

struct EnumValueTests {
    @Test func anEnumRoundTripsAsItsRawValue() async throws {
        try await expectRoundTrip([Priority.low, .high, .low])
        try await expectRoundTrip([Color.green, .red])
        try await TemporaryStore(tables: [Cell<Color>.schema]).store.write { db in
            try Cell.insert(Cell(Color.green), in: db)
            #expect(try db.value("SELECT content FROM cell", as: String.self) == "green")
            #expect(try Cell<Color>.where { $0.content == .green }.count(in: db) == 1)
        }
    }

    @Test func aRawValueWithoutACaseIsAMismatch() async throws {
        try await TemporaryStore().store.read { db in
            let number = try expectFailure(.typeMismatch) { try db.value("SELECT 4711 AS level", as: Priority.self) }
            #expect(number.message.contains(" contains an integer where Priority is expected"))
            #expect(!number.message.contains("4711"))
            let text = try expectFailure(.typeMismatch) { try db.value("SELECT \("mauve") AS hue", as: Color.self) }
            #expect(text.message.contains(" contains text where Color is expected"))
            #expect(!"\(text)".contains("mauve"))
        }
    }
}

struct OptionalValueTests {
    @Test func nilAndValuesRoundTrip() async throws {
        try await expectRoundTrip([nil, Int64.min, nil, 0])
        try await expectRoundTrip([nil, true, false, nil])
        try await expectRoundTrip([nil, -1.5, .infinity])
        try await expectRoundTrip([nil, "", "a"])
        try await expectRoundTrip([nil, [UInt8](), [1]])
        try await expectRoundTrip([nil, Priority.high])
        try await expectRoundTrip([nil, UInt16.max])
    }

    @Test func aValueOfAnyClassRoundTrips() async throws {
        try await expectRoundTrip([
            SQLValue.null, .integer(.min), .integer(.max), .real(0.5), .real(-.infinity), .text(""), .text("a\0b"),
            .blob([]),
            .blob([0, 255]), 42, 1.25, "literal",
        ])
    }

    @Test func onlyOptionalsMayBeNull() {
        #expect(!Int64._isNullable && !String._isNullable && !Priority._isNullable)
        #expect(Int64?._isNullable && String?._isNullable && Priority?._isNullable && SQLValue._isNullable)
    }
}
