import Foundation
import Testing

@Suite("Every example of the documentation stands in a source that is compiled")
struct EveryExampleTests {
    private static let swift = Result {
        try Documentation.examples().filter { $0.language == "swift" && !$0.isManifest }
    }

    /// The tests of the examples, and the programs that they run.
    private static let compiled = Result { try Documentation.sources(under: "Tests/DocumentationTests") }

    /// What the compiler is seen to refuse.
    private static let refused = Result { try Documentation.sources(under: "Tests/IntegrationTests/CompileTime") }

    @Test(arguments: Documentation.articles.map(\.lastPathComponent))
    func eachLineIsCompiled(article: String) throws {
        let examples = try Self.swift.get().filter { $0.article == article }
        let (compiled, refused) = (try Self.compiled.get(), try Self.refused.get())
        let complaints = examples.compactMap { $0.complaint($0.isRefused ? refused : compiled) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test func theExamplesAreFound() throws {
        let examples = try Self.swift.get()
        #expect(examples.count >= 70)
        #expect(examples.contains { $0.article == "README.md" })
        #expect(examples.count { $0.isRefused } >= 1)
    }
}
