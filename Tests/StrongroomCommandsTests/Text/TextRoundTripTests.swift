import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

/// What is written is what is read, for random values made of everything that is special.
@Suite("Values as text and back")
struct TextRoundTripTests {
    private static let pieces = [
        "", "a", ",", "\"", "\"\"", "\n", "\r", "\r\n", "\t", " ", "\0", "é", "e\u{301}", "\u{301}", "漢字", "👩‍👩‍👧",
        "\u{202E}",
        "\u{1B}[31m", "\\", "/", "'", ";", "NULL", "\u{FEFF}", "\u{2028}", "\u{10FFFF}", "{\"base64\":\"AQID\"}",
        "=1+1",
    ]

    private func text(_ generator: inout some RandomNumberGenerator) -> String {
        (0..<Int.random(in: 0...6, using: &generator)).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }
            .joined()
    }

    private func number(_ generator: inout some RandomNumberGenerator) -> Double {
        while true {
            let number = Double(bitPattern: .random(in: .min ... .max, using: &generator))
            if number.isFinite { return number }
        }
    }

    private func value(_ generator: inout some RandomNumberGenerator) -> SQLValue {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: .null
        case 1:
            .integer(
                [.min, .max, 0, -1, 9_007_199_254_740_993, -9_007_199_254_740_993].randomElement(using: &generator) ?? 0
            )
        case 2: .real(number(&generator))
        case 3:
            .real(
                [0, -0.0, 1, 1e15, 1e16, .leastNonzeroMagnitude, .greatestFiniteMagnitude].randomElement(
                    using: &generator) ?? 0)
        case 4:
            .blob((0..<Int.random(in: 0...20, using: &generator)).map { _ in .random(in: 0...255, using: &generator) })
        default: .text(text(&generator))
        }
    }

    @Test(arguments: 0..<40)
    func fieldsOfCSVComeBack(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        let rows = (0..<20).map { _ in
            (0..<3).map { _ in Bool.random(using: &generator) ? SQLValue.null : .text(text(&generator)) }
        }
        var written = TextBytes()
        for row in rows {
            for (index, value) in row.enumerated() {
                if index > 0 { written.append(",") }
                try CSVText.append(value, column: "c", to: &written)
            }
            written.append("\r\n")
        }
        let portion = Int.random(in: 1...64, using: &generator)
        var reader = CSVReader(ByteSource(Array(written.text.utf8), portion: portion))
        var read: [[SQLValue]] = []
        while let record = try reader.next() {
            #expect(record.fault == nil)
            read.append(record.fields.map { $0.isNull ? .null : .text($0.text) })
        }
        #expect(read == rows)
        // Texts that only look equal are told apart.
        #expect(bytes(read) == bytes(rows))
    }

    private func bytes(_ rows: [[SQLValue]]) -> [[[UInt8]]] {
        rows.map { row in row.map { if case .text(let text) = $0 { Array(text.utf8) } else { [] } } }
    }

    @Test(arguments: 0..<40)
    func membersOfJSONComeBackExactly(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        for _ in 0..<50 {
            let values = (0..<4).map { _ in value(&generator) }
            var text = TextBytes()
            text.append("{")
            for (index, value) in values.enumerated() {
                text.append(index > 0 ? "," : "")
                JSONText.append("\(index)\(Self.pieces[index])", to: &text)
                text.append(":")
                try JSONText.append(value, column: "c", to: &text)
            }
            text.append("}")
            let line = text.text
            #expect(!line.utf8.contains { $0 < 0x20 })
            let members = try JSONObject(Array(line.utf8)).members
            #expect(members.map(\.member) == values.map { .value($0) }, "\(line)")
            for case (.value(.real(let found)), .real(let written)) in zip(members.map(\.member), values) {
                #expect(found.bitPattern == written.bitPattern)
            }
        }
    }

    /// At the beginning of a file, one outside of quotation marks is no part of the text.
    @Test(arguments: ["\u{FEFF}", "\u{FEFF}name"]) func aByteOrderMarkIsPartOfAFirstField(text: String) throws {
        var written = TextBytes()
        CSVText.append(text, to: &written)
        var reader = CSVReader(ByteSource(Array(written.text.utf8)))
        let record = try #require(try reader.next())
        #expect(record.fields.map { Array($0.text.utf8) } == [Array(text.utf8)])
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func whatIsNotFiniteIsRefusedByName(number: Double) throws {
        var line = TextBytes()
        let json = try #require(throws: CommandFailure.self) {
            try JSONText.append(.real(number), column: "size", to: &line)
        }
        let csv = try #require(throws: CommandFailure.self) {
            try CSVText.append(.real(number), column: "size", to: &line)
        }
        #expect(json == csv)
        #expect(json.code == "notFinite" && json.message.contains("\"size\""))
        #expect(json.message.contains(number.isNaN ? "NaN" : "Infinity"))
    }
}

@Suite("Reading CSV")
struct CSVReaderTests {
    private func records(
        _ text: String, portion: Int = 1 << 16, separator: UInt8 = UInt8(ascii: ",")
    ) throws -> [CSVReader.Record] {
        try records(Array(text.utf8), portion: portion, separator: separator)
    }

    private func records(
        _ bytes: [UInt8], portion: Int = 1 << 16, separator: UInt8 = UInt8(ascii: ",")
    ) throws -> [CSVReader.Record] {
        var reader = CSVReader(ByteSource(bytes, portion: portion), separator: separator)
        var records: [CSVReader.Record] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    private func texts(_ text: String, portion: Int = 1 << 16) throws -> [[String]] {
        try records(text, portion: portion).map { $0.fields.map(\.text) }
    }

    @Test(arguments: ["\n", "\r\n", "\r"], [1, 2, 3, 1 << 16])
    func recordsEndWithAnyLineEnd(end: String, portion: Int) throws {
        let rows = [["a", "b"], ["1", ""], ["x y", "z"]]
        let text = rows.map { $0.joined(separator: ",") }.joined(separator: end)
        #expect(try texts(text, portion: portion) == rows)
        #expect(try texts(text + end, portion: portion) == rows)
        #expect(try records(text + end, portion: portion).map(\.line) == [1, 2, 3])
    }

    @Test(arguments: [1, 3, 1 << 16])
    func quotedFieldsHoldCommasQuotesAndLineBreaks(portion: Int) throws {
        let text = "a,\"b,\"\"c\"\"\r\nd\"\r\n\"\",\"e\nf\"\ng,h"
        let found = try records(text, portion: portion)
        #expect(found.map { $0.fields.map(\.text) } == [["a", "b,\"c\"\r\nd"], ["", "e\nf"], ["g", "h"]])
        #expect(found.map(\.line) == [1, 3, 5])
    }

    @Test func anEmptyFieldIsNullAndAnEmptyQuotedOneIsText() throws {
        let fields = try #require(try records(",\"\",x").first).fields
        #expect(fields.map(\.isNull) == [true, false, false])
        #expect(fields[1].text.isEmpty)
    }

    @Test(arguments: [1, 2, 1 << 16])
    func theByteOrderMarkIsPassedOver(portion: Int) throws {
        let found = try records([0xEF, 0xBB, 0xBF] + Array("a,b".utf8), portion: portion)
        #expect(found.map { $0.fields.map(\.text) } == [["a", "b"]])
    }

    @Test(arguments: [[0xFF, 0xFE, 0x61, 0], [0xFE, 0xFF, 0, 0x61]] as [[UInt8]])
    func textInUTF16IsRefusedByName(bytes: [UInt8]) throws {
        let failure = try #require(throws: CommandFailure.self) { try records(bytes) }
        #expect(failure.code == "notUTF8")
    }

    @Test(arguments: [
        ("a\n\"b\"c,d\ne", [nil, "text follows a closing quotation mark", nil]),
        ("a\nb\"c\ne", [nil, "a quotation mark is inside a field that does not begin with one", nil]),
        ("a\n\"b\nc", [nil, "the quotation mark that opens here is never closed"]),
        // The quoted field behind the bad one is one field, not three lines.
        ("x\"y,\"a\n1,b\nc\"\ne", ["a quotation mark is inside a field that does not begin with one", nil]),
        ("\"x\"y,\"a\n1,b\nc\",\"\"\"\n\"\ne", ["text follows a closing quotation mark", nil]),
    ])
    func aFaultIsToldAndTheNextLineRead(text: String, faults: [String?]) throws {
        #expect(try records(text).map(\.fault) == faults)
    }

    @Test func bytesThatAreNoTextAreAFaultOfTheirLine() throws {
        let found = try records(Array("a,b\n".utf8) + [0xC3, 0x28] + Array(",x\nc,d\n".utf8))
        #expect(found.map(\.fault) == [nil, "field 1 is not in UTF-8", nil])
        #expect(found[2].line == 3)
    }

    @Test func aRecordWithoutEndIsNotGatheredForEver() throws {
        var produced = 0
        let endless = ByteSource {
            produced += 1
            return produced == 1 ? [UInt8(ascii: "\"")] : Array(repeating: UInt8(ascii: "x"), count: 1_000)
        }
        var reader = CSVReader(endless, limit: 10_000)
        let failure = try #require(throws: CommandFailure.self) {
            while try reader.next() != nil {}
        }
        #expect(failure.code == "recordTooLong")
        #expect(produced < 20)
    }

    @Test func anotherSeparatorCanBeGiven() throws {
        #expect(try records("a;b,c", separator: UInt8(ascii: ";")).map { $0.fields.map(\.text) } == [["a", "b,c"]])
    }
}

@Suite("Reading JSON Lines")
struct JSONObjectTests {
    private func members(_ text: String) throws -> [String: JSONObject.Member] {
        Dictionary(try JSONObject(Array(text.utf8)).members.map { ($0.name, $0.member) }) { first, _ in first }
    }

    @Test func eachKindOfValueIsKeptExactly() throws {
        let found = try members(
            #" { "i" : 9007199254740993 , "m":-9223372036854775808,"r":1.0,"e":1e3,"n":null,"t":true,"#
                + #""s":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000","b":{"base64":"AQID"}, "0":-0.5 } "#
        )
        #expect(found["i"] == .value(9_007_199_254_740_993))
        #expect(found["m"] == .value(.integer(.min)))
        #expect(found["r"] == .value(1.0))
        #expect(found["e"] == .value(1000.0))
        #expect(found["n"] == .value(.null))
        #expect(found["t"] == .bool(true))
        #expect(found["s"] == .value(.text("a\"\\/\u{8}\u{C}\n\r\té😀\0")))
        #expect(found["b"] == .value(.blob([1, 2, 3])))
        #expect(found["0"] == .value(-0.5))
        #expect(try members("{}").isEmpty)
    }

    @Test(arguments: [
        (#"{"a":NaN}"#, "NaN"), (#"{"a":-Infinity}"#, "-Infinity"), (#"{"a":Infinity}"#, "Infinity"),
        (#"{"a":9223372036854775808}"#, "64 bits"), (#"{"a":1e999}"#, "too large"), (#"{"a":01}"#, "valid JSON number"),
        (#"{"a":1.}"#, "valid JSON number"), (#"{"a":.5}"#, "valid JSON value"), (#"{"a":+1}"#, "valid JSON value"),
        (#"{"a":[1]}"#, "array"),
        (#"{"a":{"b":1}}"#, "base64"), (#"{"a":{"base64":"*"}}"#, "Base64"), (#"{"a":1,"a":2}"#, "one name"),
        (#"{"a":1} x"#, "follows"), (#"{"a":1"#, "brace"), (#"{"a" 1}"#, "colon"), (#"{a:1}"#, "name"),
        ("[1]", "not a JSON object"),
        ("", "not a JSON object"), (#"{"a":"\x"}"#, "backslash"), (#"{"a":"\ud83d"}"#, "surrogate"),
        (#"{"a":"\ud83dx"}"#, "surrogate"), (#"{"a":"\u12"}"#, "hexadecimal"), (#"{"a":"x"#, "closing"),
        ("{\"a\":\"\n\"}", "control"), (#"{"a":1,}"#, "name"), (#"{"a":tru}"#, "valid JSON value"),
        (#"{"a":"\"#, "backslash"),
    ])
    func whatIsWrongIsNamed(text: String, words: String) throws {
        let fault = try #require(throws: JSONObject.Fault.self) { try JSONObject(Array(text.utf8)) }
        #expect(fault.reason.contains(words), "\(fault.reason)")
    }

    @Test func bytesThatAreNoTextAreNamed() throws {
        let bytes = Array(#"{"a":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
        let fault = try #require(throws: JSONObject.Fault.self) { try JSONObject(bytes) }
        #expect(fault.reason.contains("UTF-8"))
    }
}

@Suite("A file that is written")
struct OutputFileTests {
    @Test func whatAKilledProcessHasLeftIsBegunAnew() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("rows.csv")
        let left = "\(path).strongroom-part"
        try Data("plaintext that nobody asked for any more".utf8).write(to: URL(filePath: left))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: left)
        let file = try OutputFile(path, replaces: false)
        try file.write("a\n")
        try file.finish()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("")) == ["rows.csv"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "a\n")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func aLinkToNothingIsNamed() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("rows.csv")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.path("nothing"))
        let failure = try #require(throws: CommandFailure.self) { _ = try OutputFile(path, replaces: false) }
        #expect(failure.status == .cannotCreate && failure.message.contains("is a symbolic link"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("")) == ["rows.csv"])
    }

    /// In a directory that others may write, somebody may have put one there.
    @Test(arguments: [true, false])
    func whatLiesInTheWayIsNotWrittenTo(isSymbolic: Bool) throws {
        let directory = try TemporaryDirectory()
        let (path, mine) = (directory.path("rows.csv"), directory.path("mine"))
        let before = Data("somebody else's".utf8)
        try before.write(to: URL(filePath: mine))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: mine)
        let left = "\(path).strongroom-part"
        if isSymbolic {
            try FileManager.default.createSymbolicLink(atPath: left, withDestinationPath: mine)
        } else {
            try FileManager.default.linkItem(atPath: mine, toPath: left)
        }
        let file = try OutputFile(path, replaces: false)
        try file.write("plaintext\n")
        #expect(try FileManager.default.attributesOfItem(atPath: left)[.posixPermissions] as? Int == 0o600)
        try file.finish()
        #expect(try Data(contentsOf: URL(filePath: mine)) == before)
        #expect(try FileManager.default.attributesOfItem(atPath: mine)[.posixPermissions] as? Int == 0o644)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path("")).sorted() == ["mine", "rows.csv"])
    }

    @Test func whatIsNoFileIsNotRemoved() throws {
        let directory = try TemporaryDirectory()
        let left = directory.path("rows.csv.strongroom-part")
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: false)
        let failure = try #require(throws: CommandFailure.self) {
            try OutputFile(directory.path("rows.csv"), replaces: false)
        }
        #expect(failure.code == "notAFile")
        #expect(FileManager.default.fileExists(atPath: left))
    }

    @Test func oneIsWrittenAtATime() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("rows.csv")
        var first: OutputFile? = try OutputFile(path, replaces: false)
        try first?.write("first\n")
        let failure = try #require(throws: CommandFailure.self) { try OutputFile(path, replaces: true) }
        #expect(failure.code == "locked" && failure.status == .temporaryFailure)
        // The one that was refused has taken nothing away.
        try first?.finish()
        first = nil
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "first\n")
        _ = try OutputFile(path, replaces: true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("")) == ["rows.csv"])
    }
}
