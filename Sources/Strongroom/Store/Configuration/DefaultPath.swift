#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The path of a database whose configuration provides none.
enum DefaultPath {
    /// The platform's data directory, the program's name, the database's name.
    ///
    /// On Linux the data directory is `$XDG_DATA_HOME` or `~/.local/share` ("XDG Base Directory Specification"), on
    /// Apple platforms Application Support.
    static func path(for database: DatabaseName) throws -> String {
        try "\(dataDirectory())/\(programName)/\(database.fileName)"
    }

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
