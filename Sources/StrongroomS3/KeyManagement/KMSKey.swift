#if S3
internal import Foundation
public import Strongroom

/// A key of AWS's Key Management Service (KMS), which wraps the keys of databases and never leaves the service.
///
/// ```swift
/// let key = try KMSKey(
///     "arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab", credentials: .standard())
/// let chain = try KeyChain(.external(key))
/// ```
///
/// Create it once: it keeps its connections, and its provider the credentials. Each opening of a database sends one
/// request, `Decrypt`; a new slot sends two. The database's salt is their encryption context, `strongroom`, which the
/// service authenticates, and which its log (CloudTrail) shows. Requests are signed, and repeated a few times if the
/// service does not answer, fails or asks to wait; the time limit is that of `Key.external(_:timeout:)`. The program
/// needs the permissions `kms:Encrypt` and `kms:Decrypt` for the key.
///
/// See "Encrypt" and "Decrypt" in Amazon's "AWS Key Management Service API Reference".
public struct KMSKey: KeyProvider {
    /// The key's ARN.
    public let identifier: String
    private let client: KMSClient

    /// Describes a key; nothing is sent.
    ///
    /// - Parameters:
    ///   - arn: The ARN of a symmetric key for encryption, which contains its region. That of an alias is refused: an
    ///     alias can be given to another key. New key material by the service's own rotation has the same ARN, and
    ///     needs no rotation of databases.
    ///   - credentials: The access key, or what obtains temporary ones.
    ///   - endpoint: The service's address, such as that of a private network; nil for the public one of the region.
    ///     Keys are sent to it, so it must begin with `https://`, except on this machine.
    ///   - connection: How to connect: times, TLS, a proxy. Nil for the usual one, with 2 s to connect and 3 s for an
    ///     answer: the time limit of the external key, 10 s, is for all attempts together.
    /// - Throws: `StrongroomError` with `invalidSetting` if the ARN is not that of a key, or the endpoint or the
    ///   connection's settings and files cannot be used.
    public init(
        _ arn: String, credentials: any S3CredentialProvider, endpoint: String? = nil, connection: S3Connection? = nil
    ) throws {
        try self.init(
            arn, credentials: credentials, endpoint: endpoint, connection: connection, retries: KMSClient.retries)
    }

    /// Describes a key, with the clock and the pauses of a test.
    init(
        _ arn: String, credentials: any S3CredentialProvider, endpoint: String?,
        connection: S3Connection? = nil, retries: S3Retries,
        now: @escaping @Sendable () -> Int = S3ObjectStore.systemTime
    ) throws {
        guard let parts = arn.wholeMatch(of: /arn:(aws[a-z-]*):kms:([a-z0-9-]+):[0-9]{12}:key\/[A-Za-z0-9-]+/),
            arn.utf8.count <= 200
        else {
            throw Self.invalid(
                """
                A key of the KMS is given by its ARN, "arn:aws:kms:REGION:ACCOUNT:key/ID"; `aws kms describe-key` \
                prints that of a key or an alias.
                """)
        }
        guard let address = endpoint ?? Self.domains[String(parts.1)].map({ "https://kms.\(parts.2).\($0)" }) else {
            throw Self.invalid("The endpoint of the KMS in the partition \(parts.1) is not known; give it.")
        }
        let url = try CredentialURL(address, "The endpoint of the KMS")
        guard url.withoutSlash == url.origin else {
            throw Self.invalid("The endpoint of the KMS has a path; give the scheme, the host and if needed a port.")
        }
        guard url.isEncrypted || url.isLoopback else {
            throw Self.invalid(
                "The endpoint of the KMS, \(url.origin), would be sent keys in the clear; give one with https://.")
        }
        var connection = connection ?? Self.connection
        // A proxy would be sent keys in the clear.
        if !url.isEncrypted { connection.proxy = nil }
        identifier = arn
        client = KMSClient(
            origin: url.origin, region: String(parts.2), credentials: credentials,
            transport: try HTTPTransport(to: url.origin, connection), retries: retries, now: now)
    }

    /// As `KeyProvider` says.
    public func wrap(_ key: [UInt8], context: [UInt8]) async throws -> [UInt8] {
        try await call("Encrypt", "Plaintext", key, context, \.wrapped)
    }

    /// As `KeyProvider` says.
    public func unwrap(_ wrapped: [UInt8], context: [UInt8]) async throws -> [UInt8] {
        try await call("Decrypt", "CiphertextBlob", wrapped, context, \.key)
    }

    private func call(
        _ operation: String, _ name: String, _ bytes: [UInt8], _ context: [UInt8],
        _ result: KeyPath<Answer, Data?>
    ) async throws -> [UInt8] {
        let start = #"{"KeyId":"\#(identifier)","EncryptionContext":{"strongroom":"\#(S3Text.hexadecimal(context))"},"#
        var body = Array("\(start)\"\(name)\":\"".utf8)
        body += Data(bytes).base64EncodedData()
        body += Array("\"}".utf8)
        defer { body.withUnsafeMutableBytes { $0.wipe() } }
        var content = try await client.send(operation, body)
        defer { content.withUnsafeMutableBytes { $0.wipe() } }
        let answer = try? JSONDecoder().decode(Answer.self, from: Data(content))
        guard let data = answer?[keyPath: result] else {
            throw client.failure("answered \(operation) not as the KMS does; check the endpoint")
        }
        return Array(data)
    }

    private struct Answer: Decodable {
        private enum CodingKeys: String, CodingKey {
            case key = "Plaintext", wrapped = "CiphertextBlob"
        }

        let key: Data?
        let wrapped: Data?
    }

    /// The domains of the partitions whose endpoints are public.
    private static let domains = [
        "aws": "amazonaws.com", "aws-cn": "amazonaws.com.cn", "aws-us-gov": "amazonaws.com",
    ]

    /// A second attempt fits into the time limit of an external key.
    private static var connection: S3Connection {
        var connection = S3Connection()
        (connection.connectTimeout, connection.requestTimeout) = (.seconds(2), .seconds(3))
        return connection
    }

    private static func invalid(_ message: String) -> StrongroomError { StrongroomError(.invalidSetting, message) }
}
#endif
