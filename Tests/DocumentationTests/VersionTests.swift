import Foundation
import Testing

@Suite("One version stands everywhere, and the addresses of packages are placeholders")
struct VersionTests {
    /// The version of the changelog's first heading: the one that is being made, or the latest.
    private static let newest = Result {
        let text = try Documentation.text(of: Documentation.root.appending(path: "CHANGELOG.md"))
        let heading = try #require(text.firstMatch(of: /\n## \[(.*?)\](.*)/))
        return (version: String(heading.1), rest: String(heading.2))
    }

    /// What README and the articles show of the package by URL: the addresses and what stands behind them.
    private static let requirements = Result {
        try Documentation.articles.flatMap { article in
            let text = try Documentation.text(of: article)
            return text.matches(of: /\.package\(url: "([^"]*)", ([^)]*)\)/).map {
                (article: article.lastPathComponent, url: String($0.1), requirement: String($0.2))
            }
        }
    }

    @Test func theChangelogBeginsWithAVersionAndItsDay() throws {
        let (version, rest) = try Self.newest.get()
        #expect(version.wholeMatch(of: /\d+\.\d+\.\d+/) != nil, "\(version)")
        #expect(rest.wholeMatch(of: /\ - (unreleased|\d{4}-\d{2}-\d{2})/) != nil, "\(rest)")
    }

    @Test func theToolSaysIt() async throws {
        let outcome = try await ExampleProgram("strongroom").run(["--version"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == "\(try Self.newest.get().version)\n")
    }

    @Test func theDocumentationAsksForItAtAPlaceholder() throws {
        // Other packages have the addresses and versions of our manifests.
        let own = try ["Package.swift", "Tests/Services/Package.swift"].map { manifest in
            try Documentation.text(of: Documentation.root.appending(path: manifest))
        }.joined()
        let found = try Self.requirements.get().filter { !own.contains("url: \"\($0.url)\", \($0.requirement)") }
        #expect(Set(found.map(\.article)).isSuperset(of: ["README.md", "GettingStarted.md"]))
        for (article, url, requirement) in found {
            // Reserved for examples (RFC 2606).
            #expect(url.hasPrefix("https://example.com/"), "\(article)")
            #expect(requirement == "from: \"\(try Self.newest.get().version)\"", "\(article)")
        }
    }

    @Test func noSourceAndNoArticleNamesARepositoryOfItsOwn() throws {
        let files = Documentation.articles + [Documentation.root.appending(path: "CHANGELOG.md")]
        for file in files {
            let text = try Documentation.text(of: file)
            #expect(!text.contains("github.com/strongroom"), "\(file.lastPathComponent)")
        }
    }
}
