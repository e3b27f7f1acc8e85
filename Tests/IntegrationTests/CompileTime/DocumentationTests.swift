#if Macros
import Foundation
import Testing

/// The first code that a reader tries is that of README and of the first guide.
@Suite(
    "What the documentation shows compiles",
    .enabled(if: SwiftCompiler.path != nil, "there is no swiftc, or the trait ConfigReader is on"))
struct DocumentationTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")

    /// What the examples of a text mean by names that they do not declare.
    private static let surroundings = """
        @Table("call", in: "addressbook.sqlite")
        struct Call {
            var id: Int64?
            var contact: Int64
        }
        func examples(
            store: Store, contact: Contact, manyContacts: [Contact], fromTheServer: Contact, limit: Int
        ) async throws {
        """

    private func examples(in file: String) throws -> [String] {
        let text = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
        let blocks = text.matches(of: /```swift\n((?:.|\n)*?)```/).map { String($0.1) }
        return blocks.filter { !$0.contains("import PackageDescription") }
    }

    @Test func theReadme() async throws {
        let blocks = try examples(in: "README.md")
        #expect(blocks.count >= 3)
        let declarations = blocks.filter { $0.hasPrefix("import") || $0.hasPrefix("@") }
        let statements = blocks.filter { !declarations.contains($0) }
        let source = (declarations + [Self.surroundings] + statements).joined(separator: "\n") + "}\n"
        let answer = try await SwiftCompiler().compile(source)
        #expect(answer.errors.isEmpty && answer.status == 0, "\(answer.output)")
    }

    @Test func gettingStarted() async throws {
        let blocks = try examples(in: "Sources/Strongroom/Strongroom.docc/GettingStarted.md")
        #expect(!blocks.isEmpty)
        let answer = try await SwiftCompiler().compile(blocks.joined(separator: "\n"))
        #expect(answer.errors.isEmpty && answer.status == 0, "\(answer.output)")
    }
}
#endif
