#if S3
internal import Foundation
internal import Strongroom

/// Requests to an endpoint that gives credentials; they are repeated if it fails.
struct CredentialEndpoint: Sendable {
    /// Sends a request once, as ``HTTPTransport/send(_:)`` does.
    typealias Exchange = @Sendable (HTTPRequest, S3Connection) async throws -> HTTPResponse

    private let exchange: Exchange
    private var connection: S3Connection
    private var retries = S3Retries()

    /// - Parameters:
    ///   - connection: How to connect; nil for an endpoint of the machine itself, which no proxy can reach.
    ///   - attempts: The number of attempts in all.
    ///   - timeout: The longest time for a connection, and for an answer.
    init(_ exchange: @escaping Exchange, _ connection: S3Connection?, attempts: Int, timeout: Duration) {
        self.exchange = exchange
        self.connection = connection ?? S3Connection()
        if connection == nil { self.connection.proxy = nil }
        self.connection.connectTimeout = timeout
        self.connection.requestTimeout = timeout
        retries.attempts = attempts
        retries.longestPause = .seconds(1)
    }

    /// Sends a request until there is an answer that decides it.
    ///
    /// - Throws: ``HTTPFailure`` if there is none; `CancellationError`.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        var request = request
        request.longestAnswer = 1 << 16
        var attempt = 1
        while true {
            let failure: HTTPFailure
            do {
                let response = try await exchange(request, connection)
                guard response.isTransient else { return response }
                failure = HTTPFailure(reason: "it answered \(response.status)", mayHaveArrived: true)
            } catch let error as HTTPFailure {
                failure = error
            }
            guard try await retries.wait(after: attempt, failure) else { throw failure }
            attempt += 1
        }
    }
}

extension S3Credentials {
    /// Temporary credentials as an endpoint gives them.
    ///
    /// - Throws: ``CredentialDefect`` if a value is missing or has another form.
    init(accessKey: String?, secretKey: String?, token: String?, tokenName: String, expiration: String?) throws {
        let names = (accessKey: "AccessKeyId", secretKey: "SecretAccessKey", token: tokenName)
        func value(_ value: String?, _ name: String) throws -> String {
            guard let value else { throw CredentialDefect("\(name) is missing") }
            return value
        }
        let end = try value(expiration, "Expiration")
        guard let date = Self.date(end) else {
            throw CredentialDefect("Expiration is not a time such as 2027-01-31T12:00:00Z")
        }
        try self.init(
            checking: value(accessKey, names.accessKey), value(secretKey, names.secretKey),
            token: value(token, names.token), expiration: date, names: names)
    }

    private static func date(_ text: String) -> Date? {
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        return styles.lazy.compactMap { try? $0.parse(text) }.first
    }
}

/// The JSON in which containers and instances get credentials.
struct CredentialDocument: Decodable {
    private enum CodingKeys: String, CodingKey {
        case code = "Code", accessKey = "AccessKeyId", secretKey = "SecretAccessKey", token = "Token"
        case expiration = "Expiration"
    }

    private let code: String?
    private let accessKey: String?
    private let secretKey: String?
    private let token: String?
    private let expiration: String?

    /// The credentials in a body.
    ///
    /// - Throws: ``CredentialDefect``.
    static func credentials(_ body: [UInt8]) throws -> S3Credentials {
        let document: CredentialDocument
        do {
            document = try JSONDecoder().decode(Self.self, from: Data(body))
        } catch {
            // The decoder's error may contain a secret.
            throw CredentialDefect("it is not the JSON object of credentials")
        }
        if let code = document.code, code != "Success" {
            throw CredentialDefect("its code is \(S3Response.word(code) ?? "unknown")")
        }
        return try S3Credentials(
            accessKey: document.accessKey, secretKey: document.secretKey, token: document.token, tokenName: "Token",
            expiration: document.expiration)
    }
}
#endif
