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

    private func value(_ generator: inout some RandomNumberGenerator) -> Value {
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
            (0..<3).map { _ in Bool.random(using: &generator) ? Value.null : .text(text(&generator)) }
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
        var read: [[Value]] = []
        while let record = try reader.next() {
            #expect(record.fault == nil)
            read.append(record.fields.map { $0.isNull ? .null : .text($0.text) })
        }
        #expect(read == rows)
        // Texts that only look equal are told apart.
        #expect(bytes(read) == bytes(rows))
    }

    private func bytes(_ rows: [[Value]]) -> [[[UInt8]]] {
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
