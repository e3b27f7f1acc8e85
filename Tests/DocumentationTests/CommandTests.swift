import Foundation
import Testing

@Suite("The commands of the documentation are those of the tool")
struct CommandTests {
    /// Every command that README or an article shows in a block, between back ticks, or at the beginning of a table's
    /// row.
    private static let commands = Result {
        try Documentation.articles.flatMap { article in
            let name = article.lastPathComponent
            let text = try Documentation.text(of: article)
            let blocks = Example.all(in: text, of: name).filter { ["", "sh", "console"].contains($0.language) }
            let lines = blocks.flatMap(\.lines).compactMap {
                $0.firstMatch(of: /^(?:.*&& swift run .*)?(strongroom .*)$/)?.1
            }
            let inline = text.matches(of: /`(strongroom [^`]+)`/).map { String($0.1) }
            let rows = text.matches(of: /(?:^|\n)\| `([a-z]+(?: [a-z]+)? [A-Z]+…?)` \|/).map { "strongroom \($0.1)" }
            return (lines.map { String($0) } + inline + rows).map { Shown(article: name, text: $0) }
        }
    }

    struct Shown: Sendable, CustomStringConvertible {
        let article: String
        let text: String
        var description: String { "\(article): \(text)" }
    }

    /// The tool's own description of its commands.
    private func tree() async throws -> CommandTree {
        let outcome = try await ExampleProgram("strongroom").run(["--experimental-dump-help"])
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try JSONDecoder().decode(CommandTree.Dump.self, from: Data(outcome.output.utf8)).command
    }

    @Test func eachCommandWithItsOptionsIsThere() async throws {
        let tree = try await tree()
        let commands = try Self.commands.get()
        #expect(commands.count >= 20)
        #expect(commands.contains { $0.text == "strongroom keys check FILE" })
        #expect(commands.contains { $0.article == "README.md" && $0.text == "strongroom demo" })
        for command in commands where !command.text.contains("--generate-completion-script") {
            #expect(throws: Never.self, "\(command)") { try tree.check(command.text) }
        }
    }

    /// README names one command with its option, and the others after it alone.
    @Test func eachCommandThatReadmeNamesIsThere() async throws {
        let tree = try await tree()
        let readme = try Documentation.text(of: Documentation.root.appending(path: "README.md"))
        let paragraphs = readme.split(separator: "\n\n").filter { $0.hasPrefix("`strongroom ") }
        let named = paragraphs.flatMap { $0.matches(of: /`([a-z -]+)`/).map { String($0.1) } }
        #expect(named.count >= 10)
        for name in named {
            let line = name.hasPrefix("strongroom ") ? name : "strongroom \(name)"
            #expect(throws: Never.self, "\(line)") { try tree.check(line, isGroupEnough: true) }
        }
    }

    @Test(arguments: [
        "strongroom frobnicate notes.sqlite", "strongroom status --nonsense", "strongroom keys frobnicate",
        "strongroom keys make a b", "strongroom",
    ])
    func aPlantedMistakeIsNoticed(command: String) async throws {
        let tree = try await tree()
        #expect(throws: CommandTree.Mistake.self) { try tree.check(command) }
    }

    @Test func theCompletionScriptIsMade() async throws {
        let commands = try Self.commands.get().map(\.text).filter { $0.contains("--generate-completion-script") }
        #expect(!commands.isEmpty)
        for command in commands {
            let words = command.prefix { $0 != ">" }.split(separator: " ").dropFirst().map(String.init)
            let outcome = try await ExampleProgram("strongroom").run(words)
            #expect(outcome.status == 0)
            #expect(outcome.output.contains("strongroom"))
        }
    }
}
