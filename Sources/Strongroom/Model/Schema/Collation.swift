/// How texts are compared. The set is open: the engine may know more.
///
/// See SQLite's documentation, "Datatypes In SQLite", section 7 (sqlite.org/datatype3.html).
public struct Collation: Sendable, Hashable {
    /// The engine's name for it.
    public let name: String

    /// A collation by its name in the engine.
    ///
    /// - Parameter name: The name; one that the engine does not know fails when the table is made.
    public init(_ name: String) {
        self.name = name
    }

    /// What stands behind a value that is compared so.
    var sql: String { " COLLATE \(Identifier.quote(name))" }

    /// A text's bytes, which are the same for texts that the collation takes for one; those of a collation that is not
    /// the engine's own are the text's.
    func comparable(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        if Identifier.areSame(name, Self.noCase.name) {
            for place in bytes.indices where (0x41...0x5A).contains(bytes[place]) { bytes[place] |= 0x20 }
        } else if Identifier.areSame(name, Self.trimmingSpaces.name) {
            while bytes.last == 0x20 { bytes.removeLast() }
        }
        return bytes
    }

    /// Byte by byte, what the engine does unless told otherwise.
    public static let binary = Collation("BINARY")
    /// The letters A to Z count as a to z.
    public static let noCase = Collation("NOCASE")
    /// Spaces at the end do not count.
    public static let trimmingSpaces = Collation("RTRIM")
}
