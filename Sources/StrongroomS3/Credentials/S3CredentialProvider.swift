#if S3
/// Where the credentials come from with which requests are signed.
///
/// ``S3Credentials`` are a provider of themselves. Others obtain temporary credentials and renew them before they
/// expire.
public protocol S3CredentialProvider: Sendable {
    /// The credentials for the next request, which asks for them each time.
    ///
    /// - Returns: Credentials that have not expired.
    /// - Throws: `StrongroomError` that says why there are none; `CancellationError`.
    func credentials() async throws -> S3Credentials

    /// The credentials for a request that the service has refused because its credentials had expired or were not
    /// valid any more. The request is then repeated once; unless these are the refused ones again.
    ///
    /// - Parameter refused: The credentials of the request.
    /// - Returns: Other credentials, or the same if there are none.
    /// - Throws: As ``credentials()``.
    func renewed(after refused: S3Credentials) async throws -> S3Credentials
}

extension S3CredentialProvider {
    /// What ``credentials()`` returns.
    public func renewed(after refused: S3Credentials) async throws -> S3Credentials { try await credentials() }
}

extension S3Credentials: S3CredentialProvider {
    /// These credentials.
    public func credentials() async throws -> S3Credentials { self }
}
#endif
