import Strongroom
import StrongroomTesting
import Testing

struct TextValueTests {
    private static let texts: [String] = [
        "", " ", "a", "\0", "\0\0", "a\0b", "\0a", "a\0", "'", "''", "\"", "';--", "?", "?1", ":name", "\\", "\n\r\t",
        "NULL", "0", "007", "1e3", "x'00'", "ß", "漢字", "e\u{301}", "\u{E9}", "👩‍👩‍👧‍👦", "🇩🇪🏴󠁧󠁢󠁳󠁣󠁴󠁿",
        "\u{FEFF}bom", "\u{FFFD}",
        "\u{10FFFF}", "\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}", "שָׁלוֹם", "a\u{300}\u{301}\u{302}\u{303}\u{304}",
    ]

    @Test func everyTextRoundTripsByteForByte() async throws {
        var generator = SeededGenerator(3)
        try await expectRoundTrip(Self.texts + (0..<500).map { _ in generator.text(upTo: 30) }) { Array($0.utf8) }
        let ascii = String(repeating: "0123456789abcdef", count: 65_536)
        let mixed = String(repeating: "aé漢🙂\0", count: 100_000)
        try await expectRoundTrip([ascii, "", mixed, "short", ascii]) { Array($0.utf8) }
    }

    /// Swift takes composed and decomposed letters for equal, the engine does not.
    @Test func composedAndDecomposedLettersAreDifferentText() async throws {
        try await TemporaryStore(tables: [Cell<String>.schema]).store.write { db in
            try Cell.insert(contentsOf: [Cell("\u{E9}"), Cell("e\u{301}")], in: db)
            let composed = try Cell<String>.where { $0.content == "\u{E9}" }.fetch(in: db)
            #expect(composed.map(\.id) == [1])
            let decomposed = try Cell<String>.where { $0.content == "e\u{301}" }.fetch(in: db)
            #expect(decomposed.map(\.id) == [2])
        }
    }

    @Test(arguments: ["ff", "c3", "c328", "80", "e282", "eda080", "c080", "f4908080", "61ff62", "6100ff"])
    func textInTheFileThatIsNoUTF8IsAMismatch(bytes: String) async throws {
        let store = try await TemporaryStore(tables: [Cell<String>.schema]).store
        try await store.write { db in
            let literal: SQL = .hexadecimal(bytes)
            try db.execute("INSERT INTO cell (content) VALUES (CAST(\(literal) AS TEXT))")
            #expect(try db.value("SELECT typeof(content) FROM cell", as: String.self) == "text")
            let error = try expectFailure(.typeMismatch) { try Cell<String>.find(1, in: db) }
            #expect(error.message.contains(" contains text that is not UTF-8 where text in UTF-8 is expected"))
            try expectFailure(.typeMismatch) { try Cell<String?>.all(in: db) }
            try expectFailure(.typeMismatch) { try Cell<SQLValue>.all(in: db) }
            try expectFailure(.typeMismatch) { try db.value("SELECT content FROM cell", as: String.self) }
        }
        // The mismatch was an answer, not damage: the row is there and can be mended.
        try await store.write { db in
            try Cell<String>.update(Cell(id: 1, "mended"), in: db)
            #expect(try Cell<String>.all(in: db).map(\.content) == ["mended"])
        }
    }
}

struct BytesValueTests {
    @Test func everyLengthAndEveryByteRoundTrips() async throws {
        let all = Array(UInt8.min ... .max)
        try await expectRoundTrip([[], [0], [0, 0], [255], all, all + all, [], Array("text".utf8)])
        var generator = SeededGenerator(4)
        let large = (0..<(1 << 20)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        try await expectRoundTrip([large, [], large + [1], [7]])
    }

    @Test func noBytesAreNotNull() async throws {
        try await TemporaryStore(tables: [Cell<[UInt8]?>.schema]).store.write { db in
            try Cell<[UInt8]?>.insert(contentsOf: [Cell<[UInt8]?>([]), Cell(nil), Cell<[UInt8]?>([0])], in: db)
            #expect(try Cell<[UInt8]?>.all(in: db).map(\.content) == [[], nil, [0]])
            #expect(try db.value("SELECT count(content) FROM cell", as: Int.self) == 2)
            #expect(try db.value("SELECT typeof(content) FROM cell WHERE id = 1", as: String.self) == "blob")
        }
    }
}

extension SQL {
    /// A blob as a literal, for bytes that no parameter can have.
    fileprivate static func hexadecimal(_ digits: String) -> SQL {
        SQL(stringLiteral: "x'\(digits)'")
    }
}
