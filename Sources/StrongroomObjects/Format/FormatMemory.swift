import Strongroom

/// A cache of parsed predicates and of tables' properties.
final class FormatMemory: Sendable {
    static let shared = FormatMemory()

    /// A program has some dozens of texts; a program that writes values into its texts has an unlimited number.
    static let mostTexts = 512
    private static let longestText = 4096

    private struct Content {
        // Compared by bytes: Swift considers texts equal that differ only in Unicode normalization, but values in them
        // differ.
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
