/// How texts are compared. The set is open: the engine may know more.
///
/// See SQLite's documentation, «Datatypes In SQLite», section 7 (sqlite.org/datatype3.html).
public struct Collation: Sendable, Hashable {
    /// The engine's name for it.
    public let name: String

    /// A collation by its name in the engine.
    ///
    /// - Parameter name: The name; one that the engine does not know fails when the table is made.
    public init(_ name: String) {
        self.name = name
    }

    /// Byte by byte, what the engine does unless told otherwise.
    public static let binary = Collation("BINARY")
    /// The letters A to Z count as a to z.
    public static let noCase = Collation("NOCASE")
    /// Spaces at the end do not count.
    public static let trimmingSpaces = Collation("RTRIM")
}
