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

    /// The COLLATE clause.
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
