#if S3
internal import Foundation
internal import Strongroom

extension S3ObjectStore {
    /// The header with which an object carries the number of the call that created it, so that the call recognizes its
    /// own object after a lost response. Another call may create the same content.
    private static let marker = "x-amz-meta-strongroom-creation"

    /// Creates an object, completely or not at all.
    ///
    /// A request whose response is lost is repeated; if the name is taken then, the object is read back: if it is that
    /// of the first request, it was created.
    ///
    /// ```swift
    /// guard try await objects.create("2026/07/000001", bytes) else { return }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The object's name.
    ///   - content: Its content.
    /// - Returns: Whether it was created: false if the name is taken.
    /// - Throws: `StrongroomError` with `outcomeUnknown` if a request was sent and all responses were lost: the object
    ///   may exist, or appear later; `objectStoreUnreachable` if no request was sent completely; `objectStore` if the
    ///   service refuses the request, `diskFull` if it has no storage left; what the provider of the credentials
    ///   throws. `CancellationError`, after which the object may exist, too.
    public func create(_ name: String, _ content: [UInt8]) async throws -> Bool {
        var request = S3Request(.put, key: try client.location.key(name))
        let number = UUID().uuidString
        request.headers = [("if-none-match", "*"), (Self.marker, number)]
        request.body = content
        var mayExist = false
        var failure: HTTPFailure?
        var attempt = 0
        repeat {
            attempt += 1
            switch try await self.attempt(request, name, mayExist) {
            case .failure(let reason):
                mayExist = mayExist || reason.mayHaveArrived
                failure = reason
            case .success(let response):
                if response.isSuccess { return true }
                guard response.status == 412 || response.status == 409 else {
                    let refusal = client.refusal(response)
                    throw mayExist ? outcomeUnknown(name, refusal.message) : refusal
                }
                if let isOwn = try await isOwn(name, content, number, mayExist) { return isOwn }
                failure = HTTPFailure(reason: "another request for this name conflicts with it", mayHaveArrived: false)
            }
        } while try await client.retries.wait(after: attempt, failure)
        throw mayExist
            ? outcomeUnknown(name, "The last of \(attempt) attempts failed: \(failure?.reason ?? "").")
            : client.unreachable(failure, attempts: attempt)
    }

    /// Sends the request once; without credentials it stays unknown what earlier ones have done.
    private func attempt(
        _ request: S3Request, _ name: String, _ mayExist: Bool
    ) async throws -> Result<S3Response, HTTPFailure> {
        do {
            return try await client.attempt(request)
        } catch let error as StrongroomError where mayExist {
            throw outcomeUnknown(name, error.message)
        }
    }

    /// Whether the object of a taken name is that of this call; nil if there is none.
    ///
    /// - Parameters:
    ///   - number: The number of this call, which the object has if it is the call's own.
    ///   - mayExist: Whether an earlier request of this call may have been carried out. Of a service that does not keep
    ///     the number, an object with the same content is then taken for the call's own.
    private func isOwn(_ name: String, _ content: [UInt8], _ number: String, _ mayExist: Bool) async throws -> Bool? {
        let response: S3Response
        do {
            response = try await client.send(S3Request(.get, key: try client.location.key(name)))
        } catch let error as StrongroomError {
            throw outcomeUnknown(name, error.message)
        }
        switch (response.status, response.code) {
        case (200, _):
            guard let other = response.headers[Self.marker] else { return mayExist && response.body == content }
            return other == number
        case (404, "NoSuchKey"): return nil
        default: throw outcomeUnknown(name, client.refusal(response).message)
        }
    }

    private func outcomeUnknown(_ name: String, _ reason: String) -> StrongroomError {
        StrongroomError(
            .outcomeUnknown,
            """
            It is not known whether "\(name)" was created in \(client.location); it may also appear later. Read it \
            before it is created again. \(reason)
            """)
    }
}
#endif
