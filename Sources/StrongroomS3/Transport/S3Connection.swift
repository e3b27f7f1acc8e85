#if S3
internal import AsyncHTTPClient
internal import NIO
internal import NIOSSL
internal import Strongroom

/// How to connect to a service: times, TLS, a proxy.
///
/// ```swift
/// var connection = S3Connection()
/// connection.trustRoots = "/etc/strongroom/storage-ca.pem"
/// connection.clientCertificate = .init(chain: "/run/tls/client.pem", key: "/run/tls/client.key")
/// ```
///
/// The files are read once, when the object store is created.
public struct S3Connection: Sendable {
    /// A certificate with which a client shows who it is, where a service demands one (mutual TLS).
    public struct ClientCertificate: Sendable, Hashable {
        /// The path of a file in PEM: the client's certificate, and then those of its issuers without the root.
        public let chain: String
        /// The path of a file in PEM: its private key, not encrypted.
        public let key: String

        /// - Parameters:
        ///   - chain: The path of a file in PEM: the client's certificate, and then those of its issuers.
        ///   - key: The path of a file in PEM: its private key, not encrypted.
        public init(chain: String, key: String) {
            self.chain = chain
            self.key = key
        }
    }

    /// The longest time for which a request may make no progress, above zero. In all a request may take this time and
    /// one second more for every 32 KiB.
    public var requestTimeout: Duration = .seconds(30)
    /// The longest time in which a connection must be made, that to a proxy and TLS included, above zero.
    public var connectTimeout: Duration = .seconds(10)
    /// The largest number of connections, above 0; further requests wait for one. Those without a request are kept for
    /// a minute.
    public var limit = 16
    /// The path of a file in PEM: the certificates of the authorities that may have issued the server's, in place of
    /// those that the system trusts. Nil for the system's.
    public var trustRoots: String?
    /// The certificate that is shown to the server; nil for none.
    public var clientCertificate: ClientCertificate?
    /// The proxy; nil for none.
    public var proxy: S3Proxy? = .environment

    /// The usual connection: 16 at a time, the system's trusted authorities, the environment's proxy.
    public init() {}

    /// The settings of a client for a server.
    func configuration(_ url: String) throws -> HTTPClient.Configuration {
        guard requestTimeout > .zero, connectTimeout > .zero, limit > 0 else {
            throw StrongroomError(.invalidSetting, "The time-outs and the number of connections must be above zero.")
        }
        let idle = TimeAmount(requestTimeout)
        var result = HTTPClient.Configuration(
            tlsConfiguration: try tls(), redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(connectTimeout), read: idle, write: idle),
            connectionPool: .init(idleTimeout: .seconds(60), concurrentHTTP1ConnectionsPerHostSoftLimit: limit),
            proxy: try proxy?.server(for: url))
        // A request that fails is repeated by whoever knows whether it may be.
        result.connectionPool.retryConnectionEstablishment = false
        result.httpVersion = .http1Only
        return result
    }

    private func tls() throws -> TLSConfiguration {
        var result = TLSConfiguration.makeClientConfiguration()
        result.minimumTLSVersion = .tlsv12
        if let trustRoots {
            result.trustRoots = .certificates(try Self.certificates(trustRoots))
        }
        if let clientCertificate {
            result.certificateChain = try Self.certificates(clientCertificate.chain).map { .certificate($0) }
            do {
                result.privateKey = .privateKey(try NIOSSLPrivateKey(file: clientCertificate.key, format: .pem))
                // Fails if the key is another certificate's.
                _ = try NIOSSLContext(configuration: result)
            } catch {
                throw Self.unusable(clientCertificate.key, "the private key of \"\(clientCertificate.chain)\"")
            }
        }
        return result
    }

    private static func certificates(_ path: String) throws -> [NIOSSLCertificate] {
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
            throw unusable(path, "certificates")
        }
        return certificates
    }

    private static func unusable(_ path: String, _ content: String) -> StrongroomError {
        StrongroomError(
            .invalidSetting,
            """
            The file "\(path)" cannot be read as \(content). Check that it exists, that this user may read it, and \
            that it is in PEM and not encrypted.
            """)
    }
}

extension TimeAmount {
    init(_ duration: Duration) {
        self = .milliseconds(max(1, Int64(min(duration / .milliseconds(1), 1e12))))
    }
}
#endif
