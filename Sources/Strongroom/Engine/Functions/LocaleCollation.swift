import Foundation

extension Collation {
    /// Sorts as a locale does: in Swedish "ä" after "z", in German beside "a".
    ///
    /// ```swift
    /// Person.order { $0.name.collated(.locale("sv")).ascending }
    /// ```
    ///
    /// Every connection of the library has these collations, those of the `strongroom` tool included; other programs do
    /// not. Two texts are equal only if their bytes are.
    ///
    /// The order is that of Foundation, `String.compare(_:options:range:locale:)`, which may change with the operating
    /// system or, on Linux, with the version of Swift. An index with the collation then no longer matches its table:
    /// queries may miss rows, and `verify` reports the index. Rebuild it with ``Writing/reindex(_:)``.
    ///
    /// - Parameters:
    ///   - identifier: The locale, such as `sv` or `de_CH`: a language of ISO 639, then optionally `_` and more
    ///     letters, digits and `_`. With another one, statements fail with `missingCollation`.
    ///   - numeric: Whether digits are compared as numbers, so that "item 9" comes before "item 10".
    /// - Returns: The collation; its name in SQL is `locale_sv`, or `locale_numeric_sv`.
    public static func locale(_ identifier: String, numeric: Bool = false) -> Collation {
        Collation((numeric ? LocaleCollation.numericPrefix : LocaleCollation.prefix) + identifier)
    }
}

/// The collations that sort as a locale does, by their names.
enum LocaleCollation {
    static let prefix = "locale_"
    static let numericPrefix = "locale_numeric_"

    /// The order of a collation; nil if the name is not that of a locale's.
    static func order(of name: String) -> Collation.Order? {
        var identifier = Substring(name)
        guard dropPrefix(prefix, of: &identifier) else { return nil }
        let isNumeric = dropPrefix("numeric_", of: &identifier)
        guard identifier.utf8.allSatisfy(isPlain) else { return nil }
        let locale = Locale(identifier: String(identifier))
        guard locale.language.languageCode?.isISOLanguage ?? false else { return nil }
        let options: String.CompareOptions = isNumeric ? [.numeric] : []
        return { left, right in left.compare(right, options: options, range: nil, locale: locale) }
    }

    /// The engine ignores the case of names.
    private static func dropPrefix(_ prefix: String, of name: inout Substring) -> Bool {
        guard name.utf8.count >= prefix.utf8.count,
            String(decoding: name.utf8.prefix(prefix.utf8.count), as: UTF8.self).isSameName(as: prefix)
        else { return false }
        name = name.dropFirst(prefix.count)
        return true
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
        default: false
        }
    }
}
