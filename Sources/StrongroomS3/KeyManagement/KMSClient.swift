#if S3
internal import Foundation
internal import Strongroom

/// Signs and sends requests to the KMS, and repeats those that fail; each may be carried out twice.
struct KMSClient: Sendable {
    static var retries: S3Retries {
        var retries = S3Retries()
        retries.attempts = 4
        retries.longestPause = .seconds(2)
        return retries
    }

    /// The scheme, host and port.
    let origin: String
    let region: String
    let credentials: any S3CredentialProvider
    let transport: HTTPTransport
    let retries: S3Retries
    /// The time, in seconds since 1970.
    let now: @Sendable () -> Int

    /// Sends a request until there is an answer that decides it; once more with other credentials if the service does
    /// not accept the first ones any more.
    ///
    /// - Returns: The content of an answer that is a success.
    /// - Throws: `StrongroomError` whose message continues a sentence; what the provider of credentials throws;
    ///   `CancellationError`.
    func send(_ operation: String, _ body: [UInt8]) async throws -> [UInt8] {
        var credentials = try await obtained { try await self.credentials.credentials() }
        var (attempt, isRenewed) = (1, false)
        while true {
            let failure: HTTPFailure
            do {
                let response = try await transport.send(request(operation, body, credentials))
                if response.status == 200 { return response.body }
                let code = Self.code(response)
                if Self.refusesCredentials.contains(code), !isRenewed {
                    isRenewed = true
                    let renewed = try await obtained { try await self.credentials.renewed(after: credentials) }
                    if !renewed.isSame(as: credentials) {
                        credentials = renewed
                        continue
                    }
                }
                guard response.isTransient || Self.transient.contains(code) else {
                    throw refusal(response.status, code)
                }
                failure = HTTPFailure(reason: "it answered \(response.status) \(code)", mayHaveArrived: true)
            } catch let error as HTTPFailure {
                failure = error
            }
            guard try await retries.wait(after: attempt, failure) else {
                throw self.failure(
                    """
                    gave no answer in \(attempt) attempts, and the last one failed: \(failure.reason); check the \
                    network and the endpoint
                    """)
            }
            attempt += 1
        }
    }

    private func request(_ operation: String, _ body: [UInt8], _ credentials: S3Credentials) -> HTTPRequest {
        var content = S3Request(.post)
        content.headers = [
            ("content-type", "application/x-amz-json-1.1"), ("x-amz-target", "TrentService.\(operation)"),
        ]
        content.body = body
        let signature = S3Signature(
            credentials: credentials, region: region, timestamp: S3Text.timestamp(now()), service: "kms")
        let host = origin.replacing(/^https?:\/\//, with: "")
        let standard = origin.hasPrefix("https") ? ":443" : ":80"
        var result = HTTPRequest(.post, origin + "/")
        result.headers = signature.headers(
            content, host: host.hasSuffix(standard) ? String(host.dropLast(standard.count)) : host, path: "/")
        result.headers += [("user-agent", "Strongroom"), ("accept-encoding", "identity")]
        result.body = body
        result.longestAnswer = 1 << 16
        return result
    }

    /// The credentials of a provider, whose errors of other types are reported without their text: it may be a secret.
    private func obtained(_ obtain: () async throws -> S3Credentials) async throws -> S3Credentials {
        do {
            return try await obtain()
        } catch let error where !(error is StrongroomError || error is CancellationError) {
            throw failure("has no credentials: their provider threw \(type(of: error))")
        }
    }

    // MARK: Errors

    /// The code of an answer that is not a success; empty if it has none.
    private static func code(_ response: HTTPResponse) -> String {
        struct Refusal: Decodable {
            private enum CodingKeys: String, CodingKey {
                case type = "__type"
            }

            let type: String
        }
        let type = (try? JSONDecoder().decode(Refusal.self, from: Data(response.body)))?.type
        return type.flatMap { $0.split(separator: "#").last }.flatMap { S3Response.word(String($0)) } ?? ""
    }

    private static let refusesCredentials: Set<String> = [
        "ExpiredTokenException", "ExpiredToken", "UnrecognizedClientException", "InvalidClientTokenId",
    ]
    private static let transient: Set<String> = [
        "ThrottlingException", "KMSInternalException", "DependencyTimeoutException", "KeyUnavailableException",
    ]
    private static let advice: [String: String] = [
        "AccessDeniedException": "let the key's policy, and the role's, permit kms:Encrypt and kms:Decrypt",
        "DisabledException": "enable the key",
        "ExpiredTokenException": "the session token has expired: get new temporary credentials",
        "IncorrectKeyException": "the wrapped key is that of another key of the service",
        "IncompleteSignature": "check the credentials, and that no proxy changes the requests",
        "InvalidCiphertextException": "the wrapped key was changed, or belongs to another database",
        "InvalidKeyUsageException": "it must be a symmetric key for encryption",
        "InvalidSignatureException": "check the secret access key, the machine's clock, and the proxy",
        "KMSInvalidStateException": "it is not enabled, and perhaps waits for its deletion, which can be cancelled",
        "NotFoundException": "there is no such key; check the account and the region, and whether it was deleted",
        "UnrecognizedClientException": "the service does not know the access key",
    ]

    private func refusal(_ status: Int, _ code: String) -> StrongroomError {
        let summary = code.isEmpty ? "\(status)" : "\(status) \(code)"
        return failure("refused the request (\(summary)): \(Self.advice[code] ?? "see the log of the service")")
    }

    /// An error whose text the library takes into its own.
    func failure(_ reason: String) -> StrongroomError {
        StrongroomError(.keyProvider, "the KMS at \(origin) \(reason)")
    }
}
#endif
