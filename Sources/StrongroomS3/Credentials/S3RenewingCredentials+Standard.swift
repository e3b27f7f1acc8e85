#if S3
internal import Foundation
public import Logging
internal import Strongroom

extension S3CredentialProvider where Self == S3RenewingCredentials {
    /// The credentials that the platform gives to the program, or the user to all tools: the first that there are, in
    /// the order in which other S3 tools ask.
    ///
    /// ```swift
    /// let objects = try S3ObjectStore(
    ///     bucket: "replicas", endpoint: "https://s3.eu-central-1.amazonaws.com", region: "eu-central-1",
    ///     credentials: .standard(logger: logger))
    /// ```
    ///
    /// 1. The environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, and `AWS_SESSION_TOKEN` of temporary
    ///    credentials.
    /// 2. The web identity of a pod: `AWS_WEB_IDENTITY_TOKEN_FILE` and `AWS_ROLE_ARN`, for which the Security Token
    ///    Service (STS) of `AWS_REGION`, or the one at `AWS_ENDPOINT_URL_STS`, gives temporary credentials.
    /// 3. The profile `AWS_PROFILE`, or `default`, with an access key in `~/.aws/credentials` or `~/.aws/config`;
    ///    `AWS_SHARED_CREDENTIALS_FILE` and `AWS_CONFIG_FILE` name other files. Roles to assume, `credential_process`
    ///    and single sign-on are refused.
    /// 4. The endpoint of a container: `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or
    ///    `AWS_CONTAINER_CREDENTIALS_FULL_URI`.
    /// 5. The role of an instance, from version 2 of its metadata service.
    ///
    /// A source that is not configured is skipped. One that is configured and gives nothing is an error: requests must
    /// not continue as somebody else. The first request decides which source it is. Temporary credentials are renewed
    /// as ``S3RenewingCredentials`` describes, and a file that has changed is read again.
    ///
    /// - Parameters:
    ///   - connection: How to connect to the STS: a proxy, TLS, whose files are read at each renewal. Its times and its
    ///     limit do not count.
    ///   - logger: Gets a warning for each renewal that fails while the old credentials are used; at `debug` a line
    ///     with the source for each other one.
    /// - Returns: The credentials; nothing is read or sent before the first request.
    public static func standard(
        connection: S3Connection = S3Connection(), logger: Logger? = nil
    ) -> S3RenewingCredentials {
        S3RenewingCredentials(
            variables: ProcessInfo.processInfo.environment, connection: connection, logger: logger)
    }
}

extension S3RenewingCredentials {
    /// The standard sources, with the environment and the exchanges of a test.
    convenience init(
        variables: [String: String], connection: S3Connection = S3Connection(), logger: Logger? = nil,
        now: @escaping @Sendable () -> Date = { .now },
        exchange: @escaping CredentialEndpoint.Exchange = { try await HTTPTransport(to: $0.url, $1).send($0) }
    ) {
        let chain = CredentialChain([
            EnvironmentCredentials(variables: variables), WebIdentityCredentials(variables, connection, exchange),
            ProfileCredentials(variables: variables), ContainerCredentials(variables, exchange),
            InstanceCredentials(variables, exchange),
        ])
        self.init(logger: logger, now: now) { try await chain.find() }
    }
}
#endif
