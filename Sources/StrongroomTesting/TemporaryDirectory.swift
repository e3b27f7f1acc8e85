public import Foundation

/// A temporary directory for a test, removed when the value is destroyed.
///
/// ```swift
/// let directory = try TemporaryDirectory()
/// let path = directory.path("inventory.sqlite")
/// ```
public final class TemporaryDirectory: Sendable {
    /// The URL of the directory.
    public let url: URL

    /// Creates a directory that only the owner can access.
    ///
    /// - Throws: The file system's error.
    public convenience init() throws {
        try self.init(in: FileManager.default.temporaryDirectory)
    }

    /// Creates a directory in another one.
    init(in parent: URL) throws {
        url = parent.resolvingSymlinksInPath().appending(path: "strongroom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        // A leftover in the temporary directory is harmless, and a deinitialiser cannot throw.
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in the directory.
    ///
    /// - Parameter name: The file's name.
    /// - Returns: The path.
    public func path(_ name: String) -> String {
        url.appending(path: name).path(percentEncoded: false)
    }
}
