/// The name of a database's file, without a directory.
///
/// The part before the first `_` or `.` is the target, which selects the configuration: `addressbook.sqlite` and
/// `addressbook_alice.sqlite` both have the target `addressbook`.
///
/// ```swift
/// let name = try DatabaseName("addressbook_\(user).sqlite")
/// ```
public struct DatabaseName: Sendable, Hashable, CustomStringConvertible {
    /// The file's name.
    public let fileName: String

    /// The part before the first `_` or `.`.
    public let target: String

    /// The bytes of the name: a file system distinguishes names that `String` considers equal, such as a composed and a
    /// decomposed é.
    private let bytes: [UInt8]

    private static let longest = 200

    /// Validates a name.
    ///
    /// - Parameter fileName: The file's name, 1 to 200 bytes of UTF-8.
    /// - Throws: ``StrongroomError`` with `invalidName` for an empty name, `.` or `..`, a name with a path separator, a
    ///   NUL or another control character, one that begins with `_` or `.` and so has no target, one that ends in
    ///   `-wal`, `-shm`, `-journal`, `.keys` or `.keys.copy`, or one that is too long.
    public init(_ fileName: String) throws {
        guard !fileName.isEmpty else { throw Self.refusal("", "is empty") }
        guard fileName != ".", fileName != ".." else { throw Self.refusal(fileName, "names a directory") }
        for scalar in fileName.unicodeScalars {
            guard scalar != "/", scalar != "\\" else { throw Self.refusal(fileName, "has a path separator in it") }
            guard scalar.properties.generalCategory != .control else {
                throw Self.refusal("", "has a control character in it")
            }
        }
        guard fileName.utf8.count <= Self.longest else {
            throw Self.refusal(String(fileName.prefix(40)), "is longer than \(Self.longest) bytes")
        }
        let target = fileName.unicodeScalars.prefix { $0 != "_" && $0 != "." }
        guard !target.isEmpty else { throw Self.refusal(fileName, "has nothing before its first \"_\" or \".\"") }
        for ending in SideFiles.engineEndings where fileName.hasSuffix(ending) {
            throw Self.refusal(fileName, "ends in \"\(ending)\", the suffix of the engine's own files of a database")
        }
        for ending in SideFiles.envelopeEndings where fileName.hasSuffix(ending) {
            throw Self.refusal(fileName, "ends in \"\(ending)\", the suffix of a database's envelope")
        }
        self.fileName = fileName
        self.target = String(target)
        bytes = Array(fileName.utf8)
    }

    /// The file's name.
    public var description: String { fileName }

    private static func refusal(_ name: String, _ reason: String) -> StrongroomError {
        StrongroomError(
            .invalidName,
            """
            The database name "\(name)" \(reason). Use a file's name such as "inventory_web1.sqlite", without a \
            directory.
            """
        )
    }
}
