import Testing

/// The check of the examples goes red.
@Suite("Comparing an example with a source")
struct ComparisonTests {
    private let article = """
        # An article

        ```swift
        @Table("note")
        struct Note {
            var id: Int64?

            var text: String
        }

        let key = try Note.insert(note, in: db)      // its key
        try Note.delete(key, in: db)
        ```

        ```console
        strongroom status
        ```
        """

    private let source = """
        import Strongroom

        enum Examples {
            @Table("note")
            struct Note {
                var id: Int64?
                var text: String
            }

            func run() {
                let key = try Note.insert(note, in: db)  // its key

                try Note.delete(key, in: db)
                #expect(key == 1)
            }
        }
        """

    private func complaint(_ sources: String...) throws -> String? {
        let example = try #require(Example.all(in: article, of: "Notes.md").first)
        return example.complaint(sources.enumerated().map { SourceText("\($0).swift", $1) })
    }

    @Test func theBlocksOfAnArticleAreFound() {
        let examples = Example.all(in: article, of: "Notes.md")
        #expect(examples.map(\.language) == ["swift", "console"])
        #expect(examples.map(\.description) == ["Notes.md:4", "Notes.md:16"])
        #expect(examples.map { $0.pieces.map(\.count) } == [[5, 2], [1]])
    }

    @Test func whiteSpaceAndThePlacesOfPiecesAreFree() throws {
        #expect(try complaint(source) == nil)
        #expect(try complaint("", source) == nil)
    }

    @Test(arguments: [
        ("var id: Int64?", "var id: Int?", 6, "var id: Int64?"),
        ("var text: String", "let text: String", 8, "var text: String"),
        ("try Note.delete(key, in: db)", "try Note.delete(key)", 12, "try Note.delete(key, in: db)"),
        ("// its key", "// the key", 11, "let key = try Note.insert(note, in: db) // its key"),
        ("let key = try", "let key = 1; try", 11, "let key = try Note.insert(note, in: db) // its key"),
        ("try Note.delete", "print(key)\n    try Note.delete", 12, "try Note.delete(key, in: db)"),
        ("var id: Int64?", "", 6, "var id: Int64?"),
        ("@Table(\"note\")", "", 4, "@Table(\"note\")"),
    ])
    func aPlantedDifferenceIsTold(there: String, planted: String, line: Int, text: String) throws {
        let changed = source.replacing(there, with: planted)
        #expect(changed != source)
        #expect(try complaint("", changed) == "Notes.md:\(line): not in 1.swift, which comes nearest: \(text)")
    }

    @Test func linesInAnotherOrderAreTold() throws {
        let lines = source.split(separator: "\n")
        let turned = lines.reversed().joined(separator: "\n")
        #expect(try complaint(turned)?.hasPrefix("Notes.md:5: ") == true)
    }

    @Test func piecesInTwoSourcesAreTold() throws {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        let halves = (lines[..<9].joined(separator: "\n"), lines[9...].joined(separator: "\n"))
        #expect(try complaint(halves.0)?.hasPrefix("Notes.md:11: ") == true)
        #expect(try complaint(halves.0, halves.1) != nil)
        #expect(try complaint() != nil)
    }
}
