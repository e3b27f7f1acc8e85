import Foundation
import Testing

/// A directory that nobody but root and the user of the tests can write, as none of those above it; the one for
/// temporary files is everybody's. It has mode 0755, and is removed when the value is destroyed.
final class SecretDirectory: Sendable {
    let path: String

    init() throws {
        path = try #require(Self.parent) + "/strongroom-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try #require(chmod(path, 0o755) == 0)
    }

    deinit {
        // A leftover is harmless, and a deinitialiser cannot throw.
        try? FileManager.default.removeItem(atPath: path)
    }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// The first such directory; nil if there is none.
    static let parent = [
        "/run", "/var/lib", NSHomeDirectory(), FileManager.default.currentDirectoryPath,
    ].map { URL(filePath: $0).resolvingSymlinksInPath().path(percentEncoded: false) }
        .map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        .first { access($0, W_OK) == 0 && above($0).allSatisfy(isSafe) }

    static let reason: Comment = "every directory that the tests may write can be written by other users, too"

    /// Whether other users can reach what is in it.
    static let isOpen = parent.map { above($0).allSatisfy { mode($0).map { $0 & 0o011 != 0 } ?? false } } ?? false

    static let reasonOfOpen: Comment = "a directory above each that the tests may write keeps other users out"

    /// A directory and those above it.
    private static func above(_ path: String) -> [String] {
        let names = path.split(separator: "/")
        return (0...names.count).map { "/" + names.prefix($0).joined(separator: "/") }
    }

    private static func isSafe(_ path: String) -> Bool {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let owner = attributes[.ownerAccountID] as? Int, let mode = mode(path)
        else { return false }
        return [0, Int(geteuid())].contains(owner) && mode & 0o022 == 0
    }

    private static func mode(_ path: String) -> Int? {
        try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}

extension SecretDirectory {
    /// Writes a file, whatever the umask.
    @discardableResult
    func write(_ content: String, to name: String, mode: mode_t = 0o400) throws -> String {
        try Self.write(content, to: path(name), mode: mode)
    }

    @discardableResult
    static func write(_ content: String, to path: String, mode: mode_t = 0o400) throws -> String {
        // One that is there may be read-only to its owner.
        _ = chmod(path, 0o600)
        try Data(content.utf8).write(to: URL(filePath: path))
        try #require(chmod(path, mode) == 0)
        return path
    }

    /// Puts a version of a secret in place, as the kubelet does: the directory first, then the link to it.
    ///
    /// - Returns: The path of the secret, which is the same for each version.
    @discardableResult
    func publish(_ keys: String, mode: mode_t = 0o400) throws -> String {
        try Self.publish(keys, in: path, mode: mode)
    }

    @discardableResult
    static func publish(_ keys: String, in volume: String, mode: mode_t) throws -> String {
        let files = FileManager.default
        let version = "..\(UUID().uuidString)"
        try files.createDirectory(atPath: "\(volume)/\(version)", withIntermediateDirectories: false)
        try #require(chmod("\(volume)/\(version)", 0o755) == 0)
        _ = try write(keys, to: "\(volume)/\(version)/keys", mode: mode)
        let former = try? files.destinationOfSymbolicLink(atPath: "\(volume)/..data")
        try files.createSymbolicLink(atPath: "\(volume)/..data_tmp", withDestinationPath: version)
        try #require(rename("\(volume)/..data_tmp", "\(volume)/..data") == 0)
        if let former { try files.removeItem(atPath: "\(volume)/\(former)") }
        let path = "\(volume)/keys"
        if (try? files.destinationOfSymbolicLink(atPath: path)) == nil {
            try files.createSymbolicLink(atPath: path, withDestinationPath: "..data/keys")
        }
        return path
    }
}
