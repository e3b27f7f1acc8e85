import StrongroomCommands
import Testing

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
