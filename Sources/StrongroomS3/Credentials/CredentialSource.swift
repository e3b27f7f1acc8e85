#if S3
internal import Foundation
internal import Strongroom

/// One of the sources that ``S3CredentialProvider/standard(connection:logger:)`` asks.
protocol CredentialSource: Sendable {
    /// The subject of messages, such as "the instance metadata".
    var name: String { get }

    /// Reads the credentials, or requests them.
    ///
    /// - Throws: `StrongroomError` if the source is configured and has no credentials; `CancellationError`.
    func find() async throws -> CredentialFinding
}

enum CredentialFinding: Sendable {
    /// Credentials, and the files from which they are, to be read again when one changes.
    case found(S3Credentials, [FileVersion] = [])
    /// Why the source does not count, as the end of "The environment: ".
    case notConfigured(String)
}

/// Credentials and their source.
struct FoundCredentials: Sendable {
    let credentials: S3Credentials
    /// The source, as in "the credentials of …".
    let source: String
    var files: [FileVersion] = []
}

/// Asks sources in order until one has credentials, and only that one from then on: a source that fails later must not
/// let requests continue as somebody else.
final class CredentialChain: Sendable {
    private let sources: [any CredentialSource]
    private let chosen = Locked<(any CredentialSource)?>(nil)

    init(_ sources: [any CredentialSource]) {
        self.sources = sources
    }

    func find() async throws -> FoundCredentials {
        var reasons: [String] = []
        let chosen = chosen.withLock { $0 }
        for source in chosen.map({ [$0] }) ?? sources {
            switch try await source.find() {
            case .found(let credentials, let files):
                self.chosen.withLock { $0 = source }
                return FoundCredentials(credentials: credentials, source: source.name, files: files)
            case .notConfigured(let reason): reasons.append("\(source.name): \(reason).")
            }
        }
        guard chosen == nil else {
            throw StrongroomError(
                .objectStoreUnreachable, "The source of the S3 credentials has none any more: \(reasons.joined())")
        }
        throw StrongroomError(
            .invalidSetting,
            """
            No source has credentials for the S3 service. Set up one of these, or pass credentials: \
            \(reasons.joined(separator: " "))
            """)
    }
}

/// What is wrong with credentials or their source, as the end of a sentence; without their content.
struct CredentialDefect: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

extension S3Credentials {
    /// Credentials as a source has them.
    ///
    /// - Parameter names: The names that the source gives to the values.
    /// - Throws: ``CredentialDefect`` if a value has characters that it cannot have, such as the line break at the end
    ///   of a file.
    init(
        checking accessKey: String, _ secretKey: String, token: String?, expiration: Date? = nil,
        names: (accessKey: String, secretKey: String, token: String)
    ) throws {
        // The first and the last are sent as headers.
        try Self.check(accessKey, names.accessKey) { 0x21...0x7E ~= $0 }
        try Self.check(secretKey, names.secretKey) { $0 >= 0x20 && $0 != 0x7F }
        if let token { try Self.check(token, names.token) { 0x21...0x7E ~= $0 } }
        self.init(accessKey: accessKey, secretKey: secretKey, sessionToken: token, expiration: expiration)
    }

    private static func check(_ value: String, _ name: String, _ isAllowed: (UInt8) -> Bool) throws {
        guard !value.isEmpty else { throw CredentialDefect("\(name) is empty") }
        guard value.utf8.allSatisfy(isAllowed), value.first != " ", value.last != " " else {
            throw CredentialDefect("\(name) has a space, a line break or another character that it cannot have")
        }
    }
}
#endif
