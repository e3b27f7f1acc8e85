#if S3
public import Foundation
internal import Strongroom

/// The access key with which requests to an S3 service are signed.
///
/// The secret key is held in memory that is wiped when the last copy is released; the credentials have no printable
/// form and cannot be encoded. A `String` from which you created them remains yours: Swift cannot wipe it.
///
/// A program that has no access key of its own takes ``S3CredentialProvider/standard(connection:logger:)``.
public struct S3Credentials: Sendable {
    /// The access key's ID, which requests name in the clear.
    let accessKey: String
    private let secretKey: SecretBytes
    /// The token of temporary credentials.
    let sessionToken: String?
    /// When temporary credentials expire; nil if that is not known, and for permanent ones.
    public let expiration: Date?

    /// Makes credentials.
    ///
    /// ```swift
    /// let credentials = S3Credentials(accessKey: id, secretKey: secret)
    /// ```
    ///
    /// - Parameters:
    ///   - accessKey: The access key's ID.
    ///   - secretKey: The secret access key.
    ///   - sessionToken: The session token of temporary credentials; nil for permanent ones.
    ///   - expiration: When temporary credentials expire; nil if that is not known, and for permanent ones.
    public init(accessKey: String, secretKey: String, sessionToken: String? = nil, expiration: Date? = nil) {
        self.accessKey = accessKey
        var secretKey = secretKey
        self.secretKey = secretKey.withUTF8 { SecretBytes(UnsafeRawBufferPointer($0)) }
        self.sessionToken = sessionToken
        self.expiration = expiration
    }

    /// Whether these are the same as others: the same access key's ID and session token.
    func isSame(as other: S3Credentials) -> Bool {
        accessKey == other.accessKey && sessionToken == other.sessionToken
    }

    /// The key that signs the requests of one day, in one region, as Signature Version 4 derives it.
    func signingKey(day: String, region: String, service: String = "s3") -> [UInt8] {
        var key = Array("AWS4".utf8)
        secretKey.withUnsafeBytes { key.append(contentsOf: $0) }
        for part in [day, region, service, "aws4_request"] {
            let next = Digests.authenticationCode(of: Array(part.utf8), key: key)
            key.withUnsafeMutableBytes { $0.wipe() }
            key = next
        }
        return key
    }
}

extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type's name alone.
    public var description: String { "S3Credentials" }

    /// The type's name alone.
    public var debugDescription: String { description }

    /// Empty, so that `dump` prints nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
