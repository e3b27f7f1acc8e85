#if S3
internal import Foundation
internal import Strongroom

/// A version of a file that was read.
struct FileVersion: Sendable {
    let path: String
    /// Nil if there was no file.
    let status: FileStatus?

    /// Whether the file has been written, replaced or removed since.
    var isChanged: Bool { Self.status(path) != status }

    static func status(_ path: String) -> FileStatus? { try? PlainFile(path).status() }
}

/// A small text file of another program, which may be written while it is read.
struct CredentialFile {
    let version: FileVersion
    let text: String

    private static let greatestSize = 1 << 20

    /// Reads a file.
    ///
    /// - Parameter what: The subject of messages, such as `The token file of AWS_WEB_IDENTITY_TOKEN_FILE`.
    /// - Throws: `StrongroomError` as the file system reports it, or with `invalidSetting` if it is too large or not
    ///   UTF-8.
    init(_ path: String, _ what: String) throws {
        do {
            let file = try PlainFile(path)
            // Before the content, so that what is written meanwhile is noticed later.
            version = FileVersion(path: path, status: try file.status())
            var bytes = try file.bytes(at: 0, Self.greatestSize + 1)
            defer { bytes.withUnsafeMutableBytes { $0.wipe() } }
            guard bytes.count <= Self.greatestSize else { throw CredentialDefect("is larger than 1 MiB") }
            let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
            guard let text = String(validating: content, as: UTF8.self), !text.utf8.contains(0) else {
                throw CredentialDefect("is not UTF-8; save it as that")
            }
            self.text = text
        } catch let defect as CredentialDefect {
            throw StrongroomError(.invalidSetting, "\(what), \"\(path)\", \(defect.reason).")
        } catch let error as StrongroomError {
            throw StrongroomError(error.code, "\(what) cannot be used. \(error.message)")
        }
    }

    /// Reads a file with a token, without the spaces and line breaks around it.
    static func token(_ path: String, _ what: String) throws -> String {
        let token = try CredentialFile(path, what).text.trimmingSpace()
        guard !token.isEmpty else {
            throw StrongroomError(
                .invalidSetting, "\(what), \"\(path)\", is empty: the platform that writes it has to write a token.")
        }
        guard token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw StrongroomError(
                .invalidSetting, "\(what), \"\(path)\", is not one token: it has a space, a line break or other text.")
        }
        return token
    }
}
#endif
