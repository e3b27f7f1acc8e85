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
    ///
    /// - Parameter isSent: Whether the rest of the request was sent meanwhile.
    static func tooEarly(isSent: Bool) -> HTTPFailure {
        HTTPFailure(reason: "the service answered before it had the request", mayHaveArrived: isSent)
    }

    /// The failure for an error of the HTTP client.
    ///
    /// - Parameter isSent: Whether all of the request's body was taken by the connection.
    init(_ error: any Error, isSent: Bool) {
        if let reason = Self.refusal(error) ?? Self.tlsRefusal(error) {
            self.init(reason: reason, mayHaveArrived: false)
        } else {
            self.init(reason: Self.loss(error), mayHaveArrived: isSent)
        }
    }

    /// Why there is no connection; nil for other errors.
    private static func refusal(_ error: any Error) -> String? {
        switch error {
        case let error as NIOConnectionError:
            guard !error.connectionErrors.isEmpty else { return "the host is not known" }
            let reasons = error.connectionErrors.lazy.compactMap { refusal($0.error) ?? unreachable($0.error) }
            return reasons.first ?? "no connection can be made"
        case let error as IOError where error.errnoCode == ECONNREFUSED: return "the server refuses connections"
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

    /// Why the server or this machine refused TLS before the request was read; nil for other errors. By TLS 1.3 a
    /// server refuses the client's certificate when the request may be on its way.
    private static func tlsRefusal(_ error: any Error) -> String? {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            return "the server's certificate is for another host"
        }
        guard let text = tlsText(error) else { return nil }
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return "the server's certificate is not trusted: it has expired, or no trusted authority has issued it"
        } else if text.contains("CERTIFICATE_REQUIRED") || text.contains("ALERT_HANDSHAKE_FAILURE") {
            return "the server demands another client certificate or version of TLS"
        } else if ["ALERT_BAD_CERTIFICATE", "ALERT_UNKNOWN_CA", "ALERT_CERTIFICATE", "ALERT_UNSUPPORTED_CERTIFICATE"]
            .contains(where: text.contains)
        {
            return "the server does not accept the client's certificate"
        }
        return nil
    }

    /// The text of an error of TLS, which comes from BoringSSL without a type; nil for other errors.
    private static func tlsText(_ error: any Error) -> String? {
        error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError ? "\(error)" : nil
    }

    private static func unreachable(_ error: any Error) -> String? {
        guard let error = error as? IOError, [ENETUNREACH, EHOSTUNREACH].contains(error.errnoCode) else { return nil }
        return "there is no route to the server"
    }

    /// How a connection was lost, or failed when a request may have been sent on it.
    private static func loss(_ error: any Error) -> String {
        if let reason = unreachable(error) { return reason }
        if let text = tlsText(error), (error as? NIOSSLError) != .uncleanShutdown {
            return text.contains("WRONG_VERSION_NUMBER")
                ? "the server does not speak TLS: check whether its address begins with http:// or https://"
                : "the TLS connection failed"
        }
        return switch error {
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
