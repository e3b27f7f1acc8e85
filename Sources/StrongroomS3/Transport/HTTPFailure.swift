#if S3
internal import AsyncHTTPClient
internal import Foundation
internal import NIO
internal import NIOHTTP1
internal import NIOSSL

/// Why a request has no answer that decides its outcome.
struct HTTPFailure: Error, Equatable {
    /// What happened, as the end of "The last attempt failed: ".
    let reason: String
    /// Whether the service may have received the entire request, and so may have carried it out.
    let mayHaveArrived: Bool
    /// The pause that the service asks for.
    var retryAfter: Duration?
}

extension HTTPFailure {
    /// The failure for an answer that would fill the memory.
    static func tooLong(_ limit: Int) -> HTTPFailure {
        HTTPFailure(reason: "the answer is longer than \(limit) bytes", mayHaveArrived: true)
    }

    /// The failure for a success that a service cannot know of.
    static let tooEarly = HTTPFailure(reason: "the service answered before it had the request", mayHaveArrived: false)

    /// The failure for an error of the HTTP client.
    ///
    /// - Parameter isSent: Whether all of the request's body was taken by the connection.
    init(_ error: any Error, isSent: Bool) {
        let refusal = Self.refusal(error) ?? Self.tlsFailure(error)
        self.init(reason: refusal ?? Self.loss(error), mayHaveArrived: refusal == nil && isSent)
    }

    /// Why there is no connection; nil for other errors.
    private static func refusal(_ error: any Error) -> String? {
        switch error {
        case let error as NIOConnectionError:
            guard !error.connectionErrors.isEmpty else { return "the host is not known" }
            return error.connectionErrors.lazy.compactMap { refusal($0.error) }.first ?? "no connection can be made"
        case let error as IOError where error.errnoCode == ECONNREFUSED: return "the server refuses connections"
        case let error as IOError where [ENETUNREACH, EHOSTUNREACH].contains(error.errnoCode):
            return "there is no route to the server"
        case let error as HTTPClientError: return refusal(by: error)
        default: return nil
        }
    }

    private static func refusal(by error: HTTPClientError) -> String? {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout: "the server does not answer when it is connected to"
        case .proxyAuthenticationRequired: "the proxy asks for a user and a password"
        case .invalidProxyResponse: "the proxy refuses to connect to the server"
        case .httpProxyHandshakeTimeout: "the proxy does not answer"
        case .tlsHandshakeTimeout: "the server does not answer in TLS"
        case .invalidURL, .emptyHost: "the address cannot be used"
        default: nil
        }
    }

    /// Why there is no connection by TLS; nil for other errors. The text of a refused certificate comes from BoringSSL,
    /// which has no type for it.
    private static func tlsFailure(_ error: any Error) -> String? {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            return "the server's certificate is for another host"
        }
        guard error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError else { return nil }
        let text = "\(error)"
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return "the server's certificate is not trusted: it has expired, or no trusted authority has issued it"
        } else if text.contains("CERTIFICATE_REQUIRED") || text.contains("ALERT_HANDSHAKE_FAILURE") {
            return "the server demands another client certificate or version of TLS"
        } else if text.contains("_ALERT_") {
            return "the server does not accept the client's certificate or version of TLS"
        } else if text.contains("WRONG_VERSION_NUMBER") {
            return "the server does not speak TLS: check whether its address begins with http:// or https://"
        }
        return (error as? NIOSSLError) == .uncleanShutdown ? nil : "the TLS connection failed"
    }

    /// How a connection was lost.
    private static func loss(_ error: any Error) -> String {
        switch error {
        case HTTPParserError.headerOverflow: "the answer's headers are too long"
        case HTTPParserError.invalidEOFState: "the connection was lost"
        case is IOError, is ChannelError, is NIOSSLError: "the connection was lost"
        case is HTTPParserError, is NIOHTTPDecoderError: "the answer is not well-formed HTTP"
        case let error as HTTPClientError: loss(by: error)
        default: "the connection was lost (\(type(of: error)))"
        }
    }

    private static func loss(by error: HTTPClientError) -> String {
        switch error {
        case .readTimeout, .writeTimeout, .deadlineExceeded: "no answer in time"
        case .remoteConnectionClosed: "the connection was lost"
        default: "the exchange failed (\(error.shortDescription))"
        }
    }
}
#endif
