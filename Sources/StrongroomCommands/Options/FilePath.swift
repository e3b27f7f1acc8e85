import Foundation

/// Paths on a command line.
package enum FilePath {
    /// The absolute path, relative to the working directory.
    package static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
    }

    /// Whether an argument is a path rather than a name, which contains no separator.
    package static func isPath(_ argument: String) -> Bool { argument.contains("/") }

    /// The last component.
    package static func name(of path: String) -> String {
        String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    }
}
