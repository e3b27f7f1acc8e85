/// A row of the measures of full-text search. Its texts are ASCII, so that the engine's own tokenizers find the same
/// words in them.
public struct TestDocument: Sendable {
    public let title: String
    public let body: String

    public init(title: String, body: String) {
        self.title = title
        self.body = body
    }
}

extension TestDocument {
    /// The descriptions of Debian's packages, or generated texts where the machine has none, repeated.
    public static func all(count: Int) -> [TestDocument] {
        let packages = PackageDescriptions.documents()
        let texts = packages.isEmpty ? GeneratedTexts.documents(count: min(count, 60_000)) : packages
        return (0..<count).map { texts[$0 % texts.count] }
    }

    /// The different words of both texts.
    public var words: Set<Substring> { Set(Self.words(of: title) + Self.words(of: body)) }

    /// Letters and digits, in lower case.
    private static func words(of text: String) -> [Substring] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }
    }
}
