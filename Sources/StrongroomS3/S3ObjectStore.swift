#if S3
internal import Strongroom
public import StrongroomReplication

/// An object store in a bucket of an S3-compatible service, such as Amazon S3, Ceph or MinIO.
///
/// The service must support conditional writes (`PutObject` with `If-None-Match: *`), which ``ObjectStore/probe()``
/// checks once before the first change from a file.
///
/// Requests are signed with AWS Signature Version 4, the content included. A request that fails for a reason that may
/// pass is repeated a few times, after growing pauses, or after that which the service asks for. No redirection is
/// followed: an error names the region or the address that the service answers with.
///
/// Connections are kept and closed by themselves; there is nothing to shut down.
///
/// ```swift
/// let objects = try S3ObjectStore(
///     bucket: "replicas", endpoint: "https://s3.eu-central-1.amazonaws.com", region: "eu-central-1",
///     credentials: .standard(), prefix: "production")
/// ```
///
/// ## Topics
///
/// ### Opening a Bucket
/// - ``init(bucket:endpoint:region:credentials:addressing:prefix:connection:)``
/// - ``S3Connection``
/// - ``S3Proxy``
/// - ``S3Credentials``
/// - ``S3CredentialProvider``
/// - ``Addressing-swift.struct``
/// - ``ObjectStore/probe()``
///
/// ### Objects
/// - ``create(_:_:)``
/// - ``read(_:_:)``
/// - ``list(_:after:count:)``
/// - ``folders(in:)``
/// - ``remove(_:)``
public struct S3ObjectStore: ObjectStore, Sendable {
    /// Where a request names the bucket. The set is open: later versions may add to it.
    public struct Addressing: Sendable, Hashable, CustomStringConvertible {
        /// The form's name.
        public let description: String

        /// In the path: `https://host/bucket/name`. Most services support it.
        public static let path = Addressing(description: "path")
        /// In the host: `https://bucket.host/name`, as Amazon recommends.
        public static let virtualHost = Addressing(description: "virtual host")
    }

    let client: S3Client

    /// Describes a bucket; nothing is sent.
    ///
    /// - Parameters:
    ///   - bucket: The bucket's name; it must exist.
    ///   - endpoint: The service's address: `https://` or `http://`, the host, and if needed a port and a path. Over
    ///     `http` others on the network can read what is sent, though not the secret key.
    ///   - region: The region that requests are signed for; many services other than Amazon's ignore it.
    ///   - credentials: The access key, or what obtains temporary ones.
    ///   - addressing: Where a request names the bucket.
    ///   - prefix: What stands before the names of all objects, such as `production/replicas`; empty for none.
    ///   - connection: How to connect: times, TLS, a proxy.
    /// - Throws: `StrongroomError` with `invalidSetting` if the endpoint or the connection's settings and files cannot
    ///   be used, `invalidName` for the bucket's name and the prefix.
    public init(
        bucket: String,
        endpoint: String,
        region: String = "us-east-1",
        credentials: any S3CredentialProvider,
        addressing: Addressing = .path,
        prefix: String = "",
        connection: S3Connection = S3Connection()
    ) throws {
        try self.init(
            bucket: bucket, endpoint: endpoint, region: region, credentials: credentials, addressing: addressing,
            prefix: prefix, connection: connection, retries: S3Retries())
    }

    /// Describes a bucket, with the clock and the pauses of a test.
    init(
        bucket: String,
        endpoint: String,
        region: String = "us-east-1",
        credentials: any S3CredentialProvider,
        addressing: Addressing = .path,
        prefix: String = "",
        connection: S3Connection = S3Connection(),
        retries: S3Retries,
        now: (@Sendable () -> Int)? = nil
    ) throws {
        let location = try S3Location(bucket: bucket, endpoint: endpoint, addressing: addressing, prefix: prefix)
        client = S3Client(
            location: location, region: region, credentials: credentials,
            transport: try HTTPTransport(to: location.origin, connection), retries: retries,
            now: now ?? Self.systemTime)
    }
}

extension S3ObjectStore: CustomStringConvertible {
    /// The bucket, the prefix and the endpoint.
    public var location: String { "\(client.location.endpoint) \(client.location.bucket) \(client.location.prefix)" }

    /// The bucket and the endpoint.
    public var description: String { "S3ObjectStore(\(client.location))" }
}
#endif
