import Strongroom

/// The predicates that were parsed and the tables whose properties were looked up, for the next use.
final class FormatMemory: Sendable {
    static let shared = FormatMemory()

    /// A program has some dozens of texts; one that writes values into them would have no end.
    static let mostTexts = 512
    private static let longestText = 4096

    private struct Content {
        // By bytes: to Swift texts are equal that differ in how their letters are composed, and the values in them are
        // not.
        var texts: [[UInt8]: ParsedFormat] = [:]
        var tables: [ObjectIdentifier: FormatProperties] = [:]
    }

    private let content = Locked(Content())

    func parsed(_ text: String) throws -> ParsedFormat {
        let key = Array(text.utf8)
        if let known = content.withLock({ $0.texts[key] }) { return known }
        let parsed = try FormatParser.parse(text)
        guard key.count <= Self.longestText else { return parsed }
        content.withLock { content in
            if content.texts.count >= Self.mostTexts { content.texts.removeAll(keepingCapacity: true) }
            content.texts[key] = parsed
        }
        return parsed
    }

    func properties<Source: Table>(of table: Source.Type) -> FormatProperties {
        let key = ObjectIdentifier(table)
        if let known = content.withLock({ $0.tables[key] }) { return known }
        let properties = FormatProperties(of: table)
        content.withLock { $0.tables[key] = properties }
        return properties
    }
}
