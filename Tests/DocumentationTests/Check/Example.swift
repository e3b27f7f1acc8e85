/// A fenced block of an article.
struct Example: Sendable, CustomStringConvertible {
    /// The article's file name.
    let article: String
    /// What the fence says the block is, such as `swift`; empty where it says nothing.
    let language: String
    /// The number of its first line in the article.
    let firstLine: Int
    let lines: [String]

    var description: String { "\(article):\(firstLine)" }

    var text: String { lines.joined(separator: "\n") }

    /// Whether it is a package's manifest, or a dependency in one: the package manager reads those, not a program's
    /// compiler.
    var isManifest: Bool {
        text.contains("import PackageDescription") || text.hasPrefix(".package(")
    }

    /// Whether a line of it is marked as one that the compiler refuses.
    var isRefused: Bool { text.contains("// error: ") }

    /// The blocks of an article.
    static func all(in text: String, of article: String) -> [Example] {
        var examples: [Example] = []
        var open: (language: String, firstLine: Int, lines: [String])?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard line.drop(while: \.isWhitespace).hasPrefix("```") else {
                open?.lines.append(String(line))
                continue
            }
            if let block = open {
                examples.append(
                    Example(
                        article: article, language: block.language, firstLine: block.firstLine, lines: block.lines))
                open = nil
            } else {
                open = (String(line.drop { $0.isWhitespace || $0 == "`" }), index + 2, [])
            }
        }
        return examples
    }

    /// Its parts, each of which stands in one piece in a source: a part ends at a blank line outside of all brackets.
    var pieces: [[Line]] {
        var pieces: [[Line]] = [[]]
        var depth = 0
        for (index, line) in lines.enumerated() {
            guard let text = Line.normal(line) else {
                if depth == 0 { pieces.append([]) }
                continue
            }
            depth += text.count { "{([".contains($0) } - text.count { "})]".contains($0) }
            pieces[pieces.endIndex - 1].append(Line(number: firstLine + index, text: text))
        }
        return pieces.filter { !$0.isEmpty }
    }

    /// A line that is not blank.
    struct Line: Sendable, Equatable {
        /// Its number in the article.
        let number: Int
        let text: String

        /// A line without the white space at its ends, and with one space in place of several; nil for a blank one.
        static func normal(_ line: some StringProtocol) -> String? {
            let words = line.split(whereSeparator: \.isWhitespace)
            return words.isEmpty ? nil : words.joined(separator: " ")
        }
    }
}
