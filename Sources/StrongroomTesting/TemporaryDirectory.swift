public import Foundation

/// A directory of a test's own, removed when the value goes away.
///
/// ```swift
/// let directory = try TemporaryDirectory()
/// let path = directory.path("inventory.sqlite")
/// ```
public final class TemporaryDirectory: Sendable {
    /// Where the directory lies.
    public let url: URL

    /// Makes a directory, for the owner alone.
    ///
    /// - Throws: The file system's error.
    public convenience init() throws {
        try self.init(in: FileManager.default.temporaryDirectory)
    }

    /// Makes a directory in another one.
    init(in parent: URL) throws {
        url = parent.resolvingSymlinksInPath().appending(path: "strongroom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        // A leftover in the temporary directory harms nobody, and a deinitialiser cannot throw.
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
