import Foundation
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite struct TokenizerTests {
    static let tokenizers = [TextTokenizer.standard, .keepingMarks, .english]

    @Test(arguments: tokenizers.map(\.name))
    func `terms and tokens agree on random texts`(_ name: String) throws {
        let tokenizer = try #require(Self.tokenizers.first { $0.name == name })
        var random = SeededGenerator(7)
        for _ in 0..<3000 {
            let text = RandomText.text(Int.random(in: 0..<30, using: &random), using: &random)
            let tokens = tokenizer.tokens(in: text)
            #expect(Array(tokenizer.terms(of: text).utf8) == Array(tokens.map(\.term).joined(separator: " ").utf8))
            var last = text.startIndex
            for token in tokens {
                #expect(token.range.lowerBound >= last && token.range.upperBound <= text.endIndex)
                #expect(!token.range.isEmpty)
                last = token.range.lowerBound
            }
        }
    }

    @Test(arguments: tokenizers.map(\.name))
    func `canonically equivalent texts have equal terms`(_ name: String) throws {
        let tokenizer = try #require(Self.tokenizers.first { $0.name == name })
        var random = SeededGenerator(8)
        for _ in 0..<3000 {
            // Foundation on Linux normalises scalars of the upper planes wrongly before a mark.
            let text = String(
                RandomText.text(Int.random(in: 0..<20, using: &random), using: &random).filter { character in
                    character.unicodeScalars.allSatisfy { $0.value < 0x30000 }
                })
            let terms = Array(tokenizer.terms(of: text).utf8)
            for form in [text.decomposedStringWithCanonicalMapping, text.precomposedStringWithCanonicalMapping] {
                #expect(Array(tokenizer.terms(of: form).utf8) == terms, "\(text.unicodeScalars.map(\.value))")
            }
        }
    }

    @Test func `a term contains only what the engines keep`() {
        var random = SeededGenerator(9)
        let custom = TextTokenizer("whole") { [TextToken($0, $0.startIndex..<$0.endIndex)] }
        for tokenizer in Self.tokenizers + [custom] {
            for _ in 0..<2000 {
                let text = RandomText.text(Int.random(in: 0..<20, using: &random), using: &random)
                for byte in tokenizer.terms(of: text).utf8 {
                    let isKept = byte >= 0x80 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
                    #expect(isKept || byte == 0x20)
                }
            }
        }
    }

    @Test func `tokens have the ranges of their words`() {
        let text = "L\u{2019}e\u{301}té: 東京½ hy\u{AD}phen1️⃣👍🏽"
        let parts = TextTokenizer.standard.tokens(in: text).map { "\($0.term)=\(text[$0.range])" }
        #expect(
            parts == [
                "l=L", "ete=e\u{301}té", "東=東", "京=京", "1=½", "2=½", "hyphen=hy\u{AD}phen",
                "1\u{20E3}=1️⃣", "👍=👍🏽",
            ])
    }

    @Test func `terms are cut at 128 scalars`() {
        let long = String(repeating: "aé", count: 1000)
        #expect(TextTokenizer.standard.terms(of: long) == String(repeating: "ae", count: 64))
        #expect(TextTokenizer.keepingMarks.terms(of: long).unicodeScalars.count == 128)
        let custom = TextTokenizer("whole") { [TextToken($0, $0.startIndex..<$0.endIndex)] }
        #expect(custom.terms(of: long).unicodeScalars.count == 128)
        #expect(custom.tokens(in: long).map(\.term) == [custom.terms(of: long)])
        let marks = "a" + String(repeating: "\u{301}\u{323}", count: 200_000)
        #expect(TextTokenizer.keepingMarks.terms(of: marks).unicodeScalars.count == 128)
    }

    @Test func `a program's tokens are encoded, and their ranges limited to the text`() {
        let other = String(repeating: "x", count: 100)
        let tokenizer = TextTokenizer("own") { _ in
            [
                TextToken("A b", other.startIndex..<other.endIndex), TextToken("", other.startIndex..<other.endIndex),
                TextToken("é\0", other.index(other.startIndex, offsetBy: 90)..<other.endIndex),
                TextToken("z", other.startIndex..<other.startIndex),
            ]
        }
        let terms = ["\u{E041}\u{E020}b", "é\u{E000}", "z"]
        #expect(tokenizer.tokens(in: "äö").map(\.term) == terms)
        #expect(tokenizer.terms(of: "äö") == terms.joined(separator: " "))
        for text in ["", "äö", "👨‍👩‍👧", "e\u{301}"] {
            let query = SearchQuery.any("x")
            #expect(query.highlights(in: text, tokenizer: tokenizer).allSatisfy { $0.upperBound <= text.endIndex })
            _ = query.snippet(of: text, words: 1, tokenizer: tokenizer)
        }
    }

    @Test func `empty texts have no terms`() {
        for text in ["", " ", "\0", "\u{301}", "\u{200D}\u{FE0F}", "—…", "\u{E000}"] {
            #expect(TextTokenizer.standard.terms(of: text) == "")
            #expect(TextTokenizer.standard.tokens(in: text) == [])
        }
    }

    @Test func `a scalar alone and its normalisation forms have equal terms`() {
        let scalars = (0...0x3FFFF).compactMap(Unicode.Scalar.init(_:) as (UInt32) -> Unicode.Scalar?)
        for tokenizer in [TextTokenizer.standard, .keepingMarks] {
            for scalar in scalars where scalar.value % 3 == 0 || scalar.value < 0x3000 {
                let text = String(Character(scalar))
                let terms = tokenizer.terms(of: text)
                // Foundation on Linux normalises scalars of the upper planes wrongly before a mark, not alone.
                #expect(terms == tokenizer.terms(of: text.decomposedStringWithCanonicalMapping), "\(scalar.value)")
                // The isolated Arabic harakat are letters by category.
                let isHaraka = [0xFC5E...0xFC63, 0xFCF2...0xFCF4, 0xFE70...0xFE7F].contains { $0 ~= scalar.value }
                let isLetter = scalar.properties.generalCategory == .otherLetter && !isHaraka
                if isLetter, !scalar.properties.isDefaultIgnorableCodePoint {
                    #expect(terms != "", "\(scalar.value)")
                }
            }
        }
    }

    @Test func `names and version are those kept with indexes`() {
        #expect(Self.tokenizers.map(\.name) == ["standard", "marks", "english"])
        #expect(TextTokenizer.version == 1)
    }
}
