import Foundation

/// README and the articles, as they lie in the checkout.
enum Documentation {
    /// The package's directory.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

    /// README and every article of the catalogs.
    static let articles: [URL] =
        [root.appending(path: "README.md")] + files(in: root.appending(path: "Sources"), ending: "md")

    /// Every fenced block of README and the articles.
    static func examples() throws -> [Example] {
        try articles.flatMap { try Example.all(in: text(of: $0), of: $0.lastPathComponent) }
    }

    /// Every fenced block of one of them.
    static func examples(of article: String) throws -> [Example] {
        try examples().filter { $0.article == article }
    }

    static func text(of file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

    private static func files(in directory: URL, ending: String) -> [URL] {
        let all = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)?.allObjects ?? []
        return all.compactMap { $0 as? URL }.filter { $0.pathExtension == ending }.sorted { $0.path() < $1.path() }
    }
}
