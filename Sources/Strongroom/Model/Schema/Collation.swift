/// A collating sequence for texts. The set is open: the engine may support others.
///
/// See SQLite's documentation, "Datatypes In SQLite", section 7 (sqlite.org/datatype3.html).
public struct Collation: Sendable, Hashable {
    /// The engine's name of the collation.
    public let name: String

    /// Creates a collation from its name in the engine.
    ///
    /// - Parameter name: The name; if the engine does not know it, creating the table fails.
    public init(_ name: String) {
        self.name = name
    }

    /// The COLLATE clause.
    var sql: String { " COLLATE \(Identifier.quote(name))" }

    /// Bytes of a text that are equal for texts that the collation treats as equal; for a collation that is not built
    /// in, the bytes of the text.
    func comparable(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        if Identifier.areSame(name, Self.noCase.name) {
            for place in bytes.indices where (0x41...0x5A).contains(bytes[place]) { bytes[place] |= 0x20 }
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
