import Foundation
import Testing

/// The guide is read by whoever meets an error: it must have them all, and none that is gone.
struct ErrorGuideTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")

    private func matches(of pattern: Regex<(Substring, Substring)>, in file: String) throws -> [String] {
        let text = try String(contentsOf: Self.root.appending(path: "Sources/Strongroom/\(file)"), encoding: .utf8)
        return text.matches(of: pattern).map { String($0.1) }
    }

    @Test func everyCodeHasOneRowInTheGuide() throws {
        let codes = try matches(of: /public static let (\w+) = Code/, in: "Engine/Errors/StrongroomError+Code.swift")
        let rows = try matches(of: /\n\| `(\w+)` \|/, in: "Strongroom.docc/ErrorsAndWhatToDo.md")
        #expect(codes.count > 40)
        #expect(codes.sorted() == rows.sorted())
    }
}
