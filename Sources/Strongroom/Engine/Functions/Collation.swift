import CSQLCipher
import Foundation

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A collating sequence for texts: one of the engine's, that of a locale, or one in Swift.
///
/// ```swift
/// let byLength = Collation("by_length") { left, right in
///     left.count < right.count ? .orderedAscending : left.count > right.count ? .orderedDescending : .orderedSame
/// }
/// ```
///
/// A configuration lists its collations in Swift in ``Configuration/collations(for:)``; the engine's and those of
/// locales need no declaration. See SQLite's documentation, "Datatypes In SQLite", section 7
/// (sqlite.org/datatype3.html).
public struct Collation: Sendable, Hashable {
    /// The engine's name of the collation.
    public let name: String

    /// The order, for a collation in Swift.
    let order: Order?

    typealias Order = @Sendable (String, String) -> ComparisonResult

    /// Creates a collation from its name in the engine.
    ///
    /// - Parameter name: The name; if neither the engine nor the configuration has it, creating the table fails.
    public init(_ name: String) {
        self.name = name
        order = nil
    }

    /// Declares a collation in Swift.
    ///
    /// Two texts that the order treats as the same are equal for `=`, `UNIQUE`, `DISTINCT` and `GROUP BY`, too.
    /// An index is valid only as long as the order stays the same: after a change of it, rebuild the indexes with
    /// ``Writing/reindex(_:)``.
    ///
    /// - Parameters:
    ///   - name: The name in SQL: letters, digits and `_`, at most 255 bytes, not that of a collation of the engine or
    ///     of a locale.
    ///   - order: The order of two texts. It must be that of a sort: the same for the same texts, the opposite for
    ///     exchanged ones, and transitive. It must not use the store.
    public init(_ name: String, _ order: @escaping @Sendable (_ left: String, _ right: String) -> ComparisonResult) {
        self.name = name
        self.order = order
    }

    /// Whether two collations have the same name.
    public static func == (left: Collation, right: Collation) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    var sql: String { " COLLATE \(Identifier.quote(name))" }

    /// Bytes of a text that are equal for texts that the collation treats as equal; for a collation that is not built
    /// in, the bytes of the text.
    func comparable(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        if Identifier.areSame(name, Self.noCase.name) {
            for index in bytes.indices where (0x41...0x5A).contains(bytes[index]) { bytes[index] |= 0x20 }
        } else if Identifier.areSame(name, Self.trimmingSpaces.name) {
            while bytes.last == 0x20 { bytes.removeLast() }
        }
        return bytes
    }

    /// Compares byte by byte; the engine's default.
    public static let binary = Collation("BINARY")
    /// Ignores the case of A to Z.
    public static let noCase = Collation("NOCASE")
    /// Ignores trailing spaces.
    public static let trimmingSpaces = Collation("RTRIM")
}

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
        // The engine ignores the case of names.
        let folded = name.asciiFolded
        guard folded.hasPrefix(prefix) else { return nil }
        let isNumeric = folded.hasPrefix(numericPrefix)
        let identifier = String(name.dropFirst(isNumeric ? numericPrefix.count : prefix.count))
        guard identifier.utf8.allSatisfy(\.isOfPlainName) else { return nil }
        let locale = Locale(identifier: identifier)
        guard locale.language.languageCode?.isISOLanguage ?? false else { return nil }
        let options: String.CompareOptions = isNumeric ? [.numeric] : []
        return { left, right in left.compare(right, options: options, range: nil, locale: locale) }
    }
}

/// A collation registered on a connection; the engine keeps it until the connection is closed.
final class RegisteredCollation {
    private let order: Collation.Order
    /// Whether texts that the order treats as equal are compared by their bytes.
    private let isTotal: Bool

    private init(_ order: @escaping Collation.Order, isTotal: Bool) {
        self.order = order
        self.isTotal = isTotal
    }

    /// Registers a collation. See SQLite's documentation, "Define New Collating Sequences"
    /// (sqlite.org/c3ref/create_collation.html).
    static func install(
        _ name: String, isTotal: Bool = false, on connection: OpaquePointer, _ order: @escaping Collation.Order
    ) -> Int32 {
        let collation = Unmanaged.passRetained(RegisteredCollation(order, isTotal: isTotal))
        let result = sqlite3_create_collation_v2(
            connection, name, SQLITE_UTF8, collation.toOpaque(),
            { collation, leftCount, left, rightCount, right in
                guard let collation else { return 0 }
                let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
                return Unmanaged<RegisteredCollation>.fromOpaque(collation)._withUnsafeGuaranteedRef {
                    $0.compare(left, right)
                }
            },
            { collation in
                if let collation { Unmanaged<RegisteredCollation>.fromOpaque(collation).release() }
            })
        // Unlike a function, a refused collation is not released by the engine.
        if result != SQLITE_OK { collation.release() }
        return result
    }

    /// Lets the engine request collations that it does not know. See SQLite's documentation, "Collation Needed
    /// Callbacks" (sqlite.org/c3ref/collation_needed.html).
    static func installLocales(on connection: OpaquePointer) -> Int32 {
        sqlite3_collation_needed(connection, nil) { _, connection, _, name in
            guard let connection, let name = name.map({ String(cString: $0) }),
                let order = LocaleCollation.order(of: name)
            else { return }
            // Without it the statement fails, and its error contains the name.
            _ = RegisteredCollation.install(name, isTotal: true, on: connection, order)
        }
    }

    private func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
        let bytes = Self.compareBytes(left, right)
        guard bytes != 0 else { return 0 }
        let (first, second) = (String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))
        switch order(first, second) {
        case .orderedAscending: return -1
        case .orderedDescending: return 1
        case .orderedSame: return isTotal ? bytes : 0
        }
    }

    private static func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
        let common = Swift.min(left.count, right.count)
        if common > 0, let first = left.baseAddress, let second = right.baseAddress {
            let order = memcmp(first, second, common)
            if order != 0 { return order < 0 ? -1 : 1 }
        }
        return left.count == right.count ? 0 : left.count < right.count ? -1 : 1
    }
}
