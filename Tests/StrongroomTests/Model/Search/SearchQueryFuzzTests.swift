import Foundation
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite struct SearchQueryFuzzTests {
    private static let isLong = ProcessInfo.processInfo.environment["STRONGROOM_LONG"] == "1"

    @Test func `random questions become quoted terms and never crash`() throws {
        var random = SeededGenerator(13)
        for _ in 0..<(Self.isLong ? 1_000_000 : 5_000) {
            let query = Self.query(levels: Int.random(in: 0..<4, using: &random), using: &random)
            let tokenizer = Bool.random(using: &random) ? TextTokenizer.standard : .keepingMarks
            guard let expression = try? query.expression(by: tokenizer) else { continue }
            #expect(Self.isSafe(expression.fts5, operators: ["AND", "OR", "NOT", "(", ")", "*"]))
            if let fts4 = expression.fts4 { #expect(Self.isSafe(fts4, operators: ["OR"])) }
            #expect((expression == .nothing) == expression.phrases.isEmpty)
        }
    }

    @Test(arguments: [" a", "東", "x-", "\"", "e\u{301}", "👍", "w ", "½"])
    func `a question of many words is refused, not cut`(_ part: String) {
        let text = String(repeating: part, count: 100_000 / part.utf8.count)
        let different = (0..<2_000).map { "\(part)\($0)" }.joined(separator: " ")
        _ = SearchQuery.all(text).highlights(in: "a b 東京")
        #expect(throws: StrongroomError.self) { try SearchQuery.all(different).expression(by: .standard) }
    }

    private static func query(levels: Int, using random: inout SeededGenerator) -> SearchQuery {
        let text = { (random: inout SeededGenerator) in
            // Few different words, of which phrases overlap and contain each other, or anything.
            Bool.random(using: &random)
                ? RandomText.words(Int.random(in: 1..<4, using: &random), using: &random)
                : RandomText.text(Int.random(in: 0..<12, using: &random), using: &random)
        }
        guard levels > 0 else {
            return switch Int.random(in: 0..<4, using: &random) {
            case 0: .all(text(&random))
            case 1: .any(text(&random))
            case 2: .phrase(text(&random))
            default: .typing(text(&random))
            }
        }
        let first = query(levels: levels - 1, using: &random)
        let second = query(levels: Int.random(in: 0..<levels, using: &random), using: &random)
        return switch Int.random(in: 0..<3, using: &random) {
        case 0: first && second
        case 1: first || second
        default: first.excluding(second)
        }
    }

    /// Whether a text consists of quoted terms, of operators and of numbers.
    private static func isSafe(_ text: String, operators: [String]) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        guard parts.count % 2 == 1 else { return false }
        return parts.enumerated().allSatisfy { index, part in
            if index % 2 == 0 {
                var rest = String(decoding: part, as: UTF8.self)
                for name in operators { rest = rest.replacingOccurrences(of: name, with: " ") }
                return rest.utf8.allSatisfy { $0 == 0x20 || (0x30...0x39).contains($0) }
            }
            return part.enumerated().allSatisfy { offset, byte in
                byte >= 0x80 || byte == 0x20 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x2A && offset == part.count - 1 && !operators.contains("*")
            }
        }
    }
}
