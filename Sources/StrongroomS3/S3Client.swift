#if S3
internal import Foundation
internal import Strongroom
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Signs and sends requests, and repeats those that fail.
struct S3Client: Sendable {
    let location: S3Location
    let region: String
    let credentials: any S3CredentialProvider
    let transport: S3Transport
    let retries: S3Retries
    /// The time, in seconds since 1970.
    let now: @Sendable () -> Int

    /// Sends a request once.
    ///
    /// - Returns: An answer that decides the request, or why there is none.
    /// - Throws: `CancellationError`.
    func attempt(_ request: S3Request) async throws -> Result<S3Response, HTTPFailure> {
        let credentials = try await credentials.credentials()
        guard let signed = signed(request, credentials) else {
            return .failure(HTTPFailure(reason: "the address cannot be formed", mayHaveArrived: false))
        }
        do {
            let response = try await transport.send(
                signed, bodyCount: request.body.count, partLength: request.partLength)
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
    /// - Throws: `StrongroomError` with `objectStoreUnreachable`; `CancellationError`.
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

    private func signed(_ request: S3Request, _ credentials: S3Credentials) -> URLRequest? {
        guard let url = location.url(request) else { return nil }
        var result = URLRequest(url: url)
        result.httpMethod = request.method.rawValue
        result.timeoutInterval = 86_400
        let signature = S3Signature(credentials: credentials, region: region, timestamp: S3Text.timestamp(now()))
        for (name, value) in signature.headers(request, host: location.host, path: location.path(request)) {
            result.setValue(value, forHTTPHeaderField: name)
        }
        result.setValue("Strongroom", forHTTPHeaderField: "user-agent")
        result.setValue("identity", forHTTPHeaderField: "accept-encoding")
        if request.method == .put {
            result.setValue("application/octet-stream", forHTTPHeaderField: "content-type")
            result.httpBody = Data(request.body)
        }
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
