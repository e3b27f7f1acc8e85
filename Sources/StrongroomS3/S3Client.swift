#if S3
internal import Strongroom

/// Signs and sends requests, and repeats those that fail.
struct S3Client: Sendable {
    /// The longest answer, in bytes, unless a part of an object is asked for: no object is longer.
    static let longestObject = 64 << 20
    /// The longest other answer: a list has at most a thousand keys of at most 1,024 bytes.
    static let longestAnswer = 8 << 20

    let location: S3Location
    let region: String
    let credentials: any S3CredentialProvider
    let transport: HTTPTransport
    let retries: S3Retries
    /// The time, in seconds since 1970.
    let now: @Sendable () -> Int

    /// Sends a request once; once more with other credentials if the service does not accept the first ones any more.
    ///
    /// - Returns: An answer that decides the request, or why there is none.
    /// - Throws: `StrongroomError` if there are no credentials; `CancellationError`.
    func attempt(_ request: S3Request) async throws -> Result<S3Response, HTTPFailure> {
        let credentials = try await obtained { try await self.credentials.credentials() }
        let result = try await attempt(request, credentials)
        guard case .success(let response) = result, response.refusesCredentials else { return result }
        let renewed = try await obtained { try await self.credentials.renewed(after: credentials) }
        return renewed.isSame(as: credentials) ? result : try await attempt(request, renewed)
    }

    /// The credentials of a provider, whose errors of other types are reported without their text: it may be a secret.
    private func obtained(_ obtain: () async throws -> S3Credentials) async throws -> S3Credentials {
        do {
            return try await obtain()
        } catch let error where !(error is StrongroomError || error is CancellationError) {
            throw StrongroomError(
                .objectStoreUnreachable,
                "The provider of credentials for \(location) threw \(type(of: error)). See what it does.")
        }
    }

    private func attempt(
        _ request: S3Request, _ credentials: S3Credentials
    ) async throws -> Result<S3Response, HTTPFailure> {
        do {
            let response = S3Response(try await transport.send(signed(request, credentials)))
            if request.method == .get, request.key != nil, response.isSuccess, !response.hasLength {
                return .failure(HTTPFailure(reason: "the answer does not tell its length", mayHaveArrived: true))
            }
            guard response.isTransient else { return .success(response) }
            return .failure(
                HTTPFailure(
                    reason: "the service answered \(response.summary)", mayHaveArrived: true,
                    retryAfter: response.retryAfter(now: now())))
        } catch let failure as HTTPFailure {
            return .failure(failure)
        }
    }

    /// Sends a request that may be carried out twice, until there is an answer that decides it.
    ///
    /// - Throws: `StrongroomError` with `objectStoreUnreachable`, and if there are no credentials; `CancellationError`.
    func send(_ request: S3Request) async throws -> S3Response {
        var attempt = 1
        while true {
            switch try await self.attempt(request) {
            case .success(let response): return response
            case .failure(let failure):
                guard try await retries.wait(after: attempt, failure) else {
                    throw unreachable(failure, attempts: attempt)
                }
                attempt += 1
            }
        }
    }

    private func signed(_ request: S3Request, _ credentials: S3Credentials) -> HTTPRequest {
        let signature = S3Signature(credentials: credentials, region: region, timestamp: S3Text.timestamp(now()))
        var result = HTTPRequest(request.method, location.url(request))
        result.headers = signature.headers(request, host: location.host, path: location.path(request))
        result.headers += [("user-agent", "Strongroom"), ("accept-encoding", "identity")]
        if request.method == .put { result.headers.append(("content-type", "application/octet-stream")) }
        result.body = request.body
        result.longestAnswer = request.key == nil ? Self.longestAnswer : Self.longestObject
        result.longestPart = request.partLength ?? Self.longestObject
        return result
    }

    /// The error for an answer that refuses a request.
    func refusal(_ response: S3Response) -> StrongroomError {
        response.refusal(location, region: region, now: now())
    }

    /// The error for a request that has no answer.
    func unreachable(_ failure: HTTPFailure?, attempts: Int) -> StrongroomError {
        StrongroomError(
            .objectStoreUnreachable,
            """
            There is no answer from \(location) after \(attempts) attempts; the last one failed: \
            \(failure?.reason ?? "there was none"). Check the endpoint and the network, and try again.
            """)
    }
}
#endif
