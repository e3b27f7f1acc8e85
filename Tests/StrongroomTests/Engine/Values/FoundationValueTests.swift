import Foundation
import Strongroom
import StrongroomTesting
import Testing

private struct Address: Codable, Hashable, Sendable {
    var street: String
    var number: Double?
    var tags: [String: Int]
}

struct FoundationValueTests {
    @Test func datesComeBackExactly() async throws {
        let now = Date(timeIntervalSinceReferenceDate: 800_000_000.123456)
        let dates = [
            Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: -1.5),
            Date(timeIntervalSince1970: 2_147_483_648), Date(timeIntervalSince1970: 99_999_999_999), now,
            Date(timeIntervalSinceReferenceDate: now.timeIntervalSinceReferenceDate.nextUp),
            Date(timeIntervalSinceReferenceDate: .infinity), Date(timeIntervalSinceReferenceDate: -.infinity),
        ]
        try await expectRoundTrip(dates)
        try await expectRoundTrip(dates.map(Optional.some) + [nil])
    }

    @Test func datesSortInSQLAsInSwift() async throws {
        let store = try await TemporaryStore(tables: [Cell<Date>.schema]).store
        var generator = SeededGenerator(7)
        let near = 1e9.nextUp
        var dates = (0..<200).map { _ in Date(timeIntervalSinceReferenceDate: generator.number()) }
        dates += [.distantFuture, .distantPast, Date(timeIntervalSinceReferenceDate: near)]
        dates.append(Date(timeIntervalSinceReferenceDate: near.nextUp))
        try await store.write { [dates] db in try Cell<Date>.insert(contentsOf: dates.map { Cell($0) }, in: db) }
        let sorted = try await store.read { db in
            try Cell<Date>.order { $0.content.ascending }.fetch(in: db).map(\.content)
        }
        #expect(sorted == dates.sorted())
    }

    @Test func aDateIsReadInPlainSQL() async throws {
        let text = try await TemporaryStore().store.read { db in
            try db.value(
                "SELECT datetime(\(Date(timeIntervalSince1970: 1e9)) + 978307200, 'unixepoch')", as: String.self)
        }
        #expect(text == "2001-09-09 01:46:40")
    }

    @Test func dataUUIDsAndURLsComeBack() async throws {
        let bytes = [Data(), Data([0, 255, 0]), Data(repeating: 7, count: 1 << 20), Data([9, 8, 7])[1...]]
        try await expectRoundTrip(bytes)
        try await expectRoundTrip([nil, Data(), Data([0])] as [Data?])
        try await expectRoundTrip([UUID(), UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))])
        try await expectRoundTrip([nil, UUID()] as [UUID?])
        let texts = ["https://example.org/a%20b?c=d#e", "mailto:ada@example.org", "file:///tmp/x", "relative/path"]
        let urls = try texts.map { try #require(URL(string: $0)) }
        try await expectRoundTrip(urls)
        try await expectRoundTrip([nil, urls[0]] as [URL?])
    }

    @Test func decimalsComeBackExactly() async throws {
        let texts = [
            "0", "0.1", "-0.1", "12345678901234567890123456789012345678", "0.12345678901234567890123456789012345678",
            "-99999999999999999999999999999999999999", "1.10", "100", "340282366920938463463374607431768211455",
        ]
        var decimals = try texts.map { try #require(Decimal(string: $0)) }
        decimals += [
            Decimal(sign: .plus, exponent: 127, significand: 1), Decimal(sign: .minus, exponent: -127, significand: 7),
        ]
        try await expectRoundTrip(decimals)
        try await expectRoundTrip([nil] + decimals.map(Optional.some))
    }

    @Test func codableValuesComeBack() async throws {
        let addresses = [
            Address(street: "", number: nil, tags: [:]),
            Address(street: "é\0\"👩‍👩‍👧/", number: 0.1, tags: ["b": 1, "a": -2]),
        ]
        try await expectRoundTrip(addresses.map { JSON($0) })
        try await expectRoundTrip([nil] + addresses.map { JSON($0) } as [JSON<Address>?])
        try await expectRoundTrip([JSON(1), JSON(-7)])
        let stored = try JSON(addresses[1]).stored()
        #expect(stored == #"{"number":0.1,"street":"é\u0000\"👩‍👩‍👧/","tags":{"a":-2,"b":1}}"#)
    }

    @Test func randomValuesComeBack() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed of randomValuesComeBack: \(seed)")
        var generator = SeededGenerator(seed)
        var dates: [Date?] = []
        var decimals: [Decimal?] = []
        var codes: [JSON<Address>?] = []
        for _ in 0..<200 {
            dates.append(generator.sometimesNil { Date(timeIntervalSinceReferenceDate: $0.number()) })
            decimals.append(
                generator.sometimesNil {
                    let exponent = Int.random(in: -100...100, using: &$0)
                    return Decimal(
                        sign: $0.next().isMultiple(of: 2) ? .plus : .minus, exponent: exponent,
                        significand: Decimal($0.next()) * Decimal($0.next() >> 2))
                })
            codes.append(
                generator.sometimesNil {
                    JSON(Address(street: $0.text(), number: nil, tags: [$0.text(): Int.random(in: 0...9, using: &$0)]))
                })
        }
        try await expectRoundTrip(dates)
        try await expectRoundTrip(decimals)
        try await expectRoundTrip(codes)
    }
}

struct FoundationValueRefusalTests {
    @Test func notANumberIsRefused() throws {
        try expectFailure(.valueNotStorable) { try Date(timeIntervalSinceReferenceDate: .nan).stored() }
        try expectFailure(.valueNotStorable) { try Decimal.nan.stored() }
        let error = try expectFailure(.valueNotStorable) {
            try JSON(Address(street: "secret", number: .nan, tags: [:])).stored()
        }
        #expect(!"\(error)".contains("secret"))
    }

    @Test(arguments: ["'odd'", "4711", "0.5", "x'00ff'", "''", "' 1'", "'1e5'", "'1.'", "'.5'", "'+1'"])
    func whatDoesNotFitIsAMismatchThatDoesNotTellIt(literal: String) async throws {
        try await TemporaryStore().store.read { db in
            let query = SQL(stringLiteral: "SELECT \(literal) AS odd")
            var errors: [StrongroomError] = []
            let isText = literal.hasPrefix("'")
            if isText || literal.hasPrefix("x") { errors.append(try mismatch(Date.self, query, db)) }
            if literal != "x'00ff'" { errors.append(try mismatch(Data.self, query, db)) }
            errors.append(try mismatch(UUID.self, query, db))
            if !isText {
                errors.append(try mismatch(URL.self, query, db))
                errors.append(try mismatch(String.self, query, db))
            }
            errors.append(try mismatch(Decimal.self, query, db))
            errors.append(try mismatch(JSON<Address>.self, query, db))
            for error in errors {
                #expect(error.mismatch?.column == "odd")
                #expect(!error.message.contains("4711"))
            }
        }
    }

    @Test(arguments: [
        (#"{"street": "secret"}"#, "\"tags\" is missing"), (#"{"street": null, "tags": {}}"#, "\"street\" is null"),
        (#"{"street": 4711, "tags": {}}"#, "\"street\" is not String"),
        (#"{"street": "a", "tags": {"secret": "b"}}"#, "\"tags.…\" is not Int"),
        (#"{"street": "#, "it is no JSON, or no value of the type"), ("[4711]", "the value is not an object"),
    ])
    func jsonThatDoesNotFitHasAReason(text: String, reason: String) async throws {
        try await TemporaryStore().store.read { db in
            let error = try expectFailure(.typeMismatch) { try db.value("SELECT \(text)", as: JSON<Address>.self) }
            #expect(error.message.contains("where JSON of Address is expected: \(reason)"), "\(error.message)")
            #expect(!error.message.contains("4711") && !error.message.contains("secret"))
        }
    }

    @Test func onlyTheSpellingThatTheLibraryWritesIsRead() async throws {
        let store = try await TemporaryStore().store
        let uuid = try #require(UUID(uuidString: "0A0B0C0D-0000-4000-8000-00000000ABCD"))
        let (upper, lower) = (uuid.uuidString, uuid.uuidString.lowercased())
        try await store.read { db in
            let error = try expectFailure(.typeMismatch) { try db.value("SELECT \(lower) AS id", as: UUID.self) }
            #expect(error.message.contains("a UUID in lower case"))
            #expect(error.message.contains("convertSpellings"))
            #expect(!error.message.contains("0a0b"))
            #expect(try db.value("SELECT \(upper)", as: UUID.self) == uuid)
            #expect(try db.value("SELECT \(uuid)", as: String.self) == upper)
            try expectFailure(.typeMismatch) { try db.value("SELECT \("{" + upper + "}")", as: UUID.self) }
            try expectFailure(.typeMismatch) { try db.value("SELECT \(upper + "\0")", as: UUID.self) }
            // Foundation's initialiser accepts these.
            for start in [" ", "+", "-"] {
                try expectFailure(.typeMismatch) { try db.value("SELECT \(start + upper.dropFirst())", as: UUID.self) }
            }
            try expectFailure(.typeMismatch) { try db.value("SELECT \("a b")", as: URL.self) }
            let digits = "1234567890123456789012345678901234567890123"
            try expectFailure(.typeMismatch) { try db.value("SELECT \(digits)", as: Decimal.self) }
        }
    }
}

/// A date that stands for a case.
private struct Epoch: RawRepresentable, ColumnValue, Equatable {
    let rawValue: Date

    init?(rawValue: Date) {
        guard rawValue >= Date(timeIntervalSince1970: 0) else { return nil }
        self.rawValue = rawValue
    }
}

struct WrappedValueTests {
    @Test func rawValuesOfTheseTypesComeBackAndAreChecked() async throws {
        let epoch = try #require(Epoch(rawValue: Date(timeIntervalSince1970: 0.1)))
        try await expectRoundTrip([epoch])
        try await expectRoundTrip([nil, epoch] as [Epoch?])
        try await TemporaryStore().store.read { db in
            _ = try expectFailure(.typeMismatch) { try db.value("SELECT \(Date.distantPast)", as: Epoch.self) }
        }
    }
}

/// The error of reading a value as a type that it does not fit.
private func mismatch<V: ColumnValue>(
    _ type: V.Type, _ query: SQL, _ db: borrowing some Reading & ~Copyable
) throws -> StrongroomError {
    do {
        _ = try db.value(query, as: V.self)
    } catch let error as StrongroomError {
        #expect(error.code == .typeMismatch)
        return error
    }
    Issue.record("\(V.self) was read")
    return StrongroomError(.engine, "")
}
