import Testing

@Suite(
    "What the compiler guarantees",
    .enabled(if: SwiftCompiler.path != nil, "there is no swiftc, or the trait ConfigReader is on")
)
struct CompileTimeTests {
    private static let compiler = Result { try SwiftCompiler() }

    @Test("The compiler takes what is permitted, without a word")
    func whatIsPermittedCompiles() async throws {
        let answer = try await Self.compiler.get().compile(Snippet.permitted.source)
        #expect(answer.status == 0)
        #expect(answer.output == "")
    }

    @Test("The compiler refuses each marked line and no other", arguments: Snippet.refused)
    func whatIsNotPermittedIsRefused(snippet: Snippet) async throws {
        let answer = try await Self.compiler.get().compile(snippet.source)
        // A compiler that crashes has another status.
        #expect(answer.status == 1)
        #expect(!snippet.marks.isEmpty)
        #expect(answer.errors.keys.sorted() == snippet.marks.keys.sorted(), "\(answer.output)")
        for (line, mark) in snippet.marks {
            let errors = answer.errors[line, default: []]
            #expect(errors.contains { $0.contains(mark) }, "line \(line): \(errors)")
        }
    }
}
