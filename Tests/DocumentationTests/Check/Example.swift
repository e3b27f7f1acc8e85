/// A fenced block of an article.
struct Example: Sendable {
    /// The article's file name.
    let article: String
    /// What the fence says the block is, such as `swift`; empty where it says nothing.
    let language: String
    let lines: [String]

    var text: String { lines.joined(separator: "\n") }

    /// Whether it is a package's manifest, or a dependency in one: the package manager reads those, not a program's
    /// compiler.
    var isManifest: Bool {
        text.contains("import PackageDescription") || text.hasPrefix(".package(")
    }

    /// The blocks of an article.
    static func all(in text: String, of article: String) -> [Example] {
        var examples: [Example] = []
        var open: (language: String, lines: [String])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.drop(while: \.isWhitespace).hasPrefix("```") else {
                open?.lines.append(String(line))
                continue
            }
            if let block = open {
                examples.append(Example(article: article, language: block.language, lines: block.lines))
                open = nil
            } else {
                open = (String(line.drop { $0.isWhitespace || $0 == "`" }), [])
            }
        }
        return examples
    }
}
