#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    ///   `-wal`, `-shm`, `-journal`, `-wal.damaged` with or without a number, `.keys` or `.keys.copy`, or one that is
    ///   too long.
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
        guard !SideFiles.isDamagedLog(fileName) else {
            throw Self.refusal(fileName, "is that of the damaged log of another database")
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

/// The path of a database whose configuration provides none.
extension DatabaseName {
    /// The platform's data directory, the program's name, the database's name.
    ///
    /// On Linux the data directory is `$XDG_DATA_HOME` or `~/.local/share` ("XDG Base Directory Specification"), on
    /// Apple platforms Application Support.
    func defaultPath() throws -> String { try "\(Self.dataDirectory())/\(Self.programName)/\(fileName)" }

    private static var programName: String {
        let name = FileSystem.name(of: CommandLine.arguments.first ?? "")
        return name.isEmpty ? ProcessInfo.processInfo.processName : name
    }

    private static func dataDirectory() throws -> String {
        #if canImport(Darwin)
        return try FileManager.default.url(
            for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: false
        ).path(percentEncoded: false)
        #else
        // A relative path in the variable is ignored, as the specification requires.
        if let given = variable("XDG_DATA_HOME"), given.hasPrefix("/") { return given }
        // Foundation reads the user database, not the variable.
        let home =
            variable("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? FileManager.default.homeDirectoryForCurrentUser.path(percentEncoded: false)
        return home.hasSuffix("/") ? "\(home).local/share" : "\(home)/.local/share"
        #endif
    }

    /// Reads a single variable: Foundation's dictionary would copy all of them, including those that hold keys.
    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

extension KeyChain {
    /// A chain of keys that only one database has, each derived by HKDF-SHA256 from a raw key of this chain and the
    /// database's name.
    ///
    /// With one chain for all databases of a family, each key decrypts every file of it. With derived keys the file of
    /// one tenant does not open as that of another (`wrongKey`), and a key that leaks opens one database.
    ///
    /// ```swift
    /// func keyChain(for database: DatabaseName) throws -> KeyChain {
    ///     try KeyChain(environment: "CLINIC_KEYS").derived(for: database)
    /// }
    /// ```
    ///
    /// A file whose name changes needs the keys of its previous name: restore a backup of it with
    /// `chain.derived(for: previousName)` as its keys, and `adoptingFrom:`.
    ///
    /// - Parameters:
    ///   - database: The full name; every byte of it counts.
    ///   - openingShared: Whether the keys of this chain themselves open files, too, which are then rotated to the
    ///     derived keys. Leave it out once every file has been rotated: until then, each of them can replace a file.
    /// - Returns: The chain, with as many derived keys as this one has raw keys, in the same order. ``Key/plaintext``
    ///   stays at its beginning, and ``plaintext`` is returned unchanged.
    /// - Throws: ``StrongroomError`` with `invalidKey` for a passphrase, from which guesses would cost nothing, and for
    ///   an external key, with which each database has a key of its own; with `openingShared` only if it is the last
    ///   key.
    public func derived(for database: DatabaseName, openingShared: Bool = false) throws -> KeyChain {
        let shared = keys.filter { $0 != .plaintext }
        let derived = shared.map { $0.derived("strongroom database key: \(database.fileName)") }
        for (index, key) in derived.enumerated() where key == nil && (!openingShared || index == derived.count - 1) {
            throw StrongroomError(
                .invalidKey,
                """
                Key \(index + keys.count - shared.count + 1) of the chain is not a raw key, and a key of one \
                database is derived from a raw key only: write `raw:` and 64 hexadecimal digits, as \
                `strongroom keys make` does, or use `Key.random()`.
                """,
                database: database.fileName)
        }
        guard !isPlaintext else { return self }
        return try KeyChain(
            keys.filter { $0 == .plaintext } + (openingShared ? shared : []) + derived.compactMap(\.self))
    }
}
