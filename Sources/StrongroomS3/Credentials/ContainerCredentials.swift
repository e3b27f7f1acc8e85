#if S3
internal import Strongroom

/// The credentials of a task of ECS or a pod of EKS, from the endpoint that the platform names.
///
/// See "Container credential provider" in Amazon's "AWS SDKs and Tools Reference Guide".
struct ContainerCredentials: CredentialSource {
    let variables: [String: String]
    let endpoint: CredentialEndpoint

    private static let relative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
    private static let full = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
    private static let token = "AWS_CONTAINER_AUTHORIZATION_TOKEN"
    /// The addresses of the agents of ECS and EKS, which are on the machine itself.
    private static let agents = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"]

    init(_ variables: [String: String], _ exchange: @escaping CredentialEndpoint.Exchange) {
        self.variables = variables
        endpoint = CredentialEndpoint(exchange, nil, attempts: 3, timeout: .seconds(2))
    }

    let name = "the container's endpoint"

    func find() async throws -> CredentialFinding {
        guard let url = try url() else { return .notConfigured("neither \(Self.relative) nor \(Self.full) is set") }
        var request = HTTPRequest(.get, url.text)
        request.headers = [("accept", "application/json")]
        if let token = try authorization() { request.headers.append(("authorization", token)) }
        let response: HTTPResponse
        do {
            response = try await endpoint.send(request)
        } catch let failure as HTTPFailure {
            throw StrongroomError(
                .objectStoreUnreachable,
                """
                There is no answer from the endpoint of the container's credentials, \(url.origin): \
                \(failure.reason). Check the platform's agent and the network.
                """)
        }
        guard response.status == 200 else { throw refusal(url, "it answered \(response.status)") }
        do {
            return .found(try CredentialDocument.credentials(response.body))
        } catch let defect as CredentialDefect {
            throw refusal(url, defect.reason)
        }
    }

    /// The address; nil if none is configured.
    private func url() throws -> CredentialURL? {
        if let path = variables.setting(Self.relative) {
            guard path.hasPrefix("/") else {
                throw StrongroomError(.invalidSetting, "\(Self.relative) is not a path: it must begin with \"/\".")
            }
            return try CredentialURL("http://\(Self.agents[0])\(path)", Self.relative)
        }
        guard let text = variables.setting(Self.full) else { return nil }
        let url = try CredentialURL(text, Self.full)
        // Over HTTP only where nobody else can listen, and where no other host is asked.
        guard url.isEncrypted || url.isLoopback || Self.agents.contains(url.host) else {
            throw StrongroomError(
                .invalidSetting,
                """
                The host of \(Self.full) is neither this machine nor an agent of ECS or EKS \
                (\(Self.agents.joined(separator: ", "))); use "https://".
                """)
        }
        return url
    }

    private func authorization() throws -> String? {
        if let path = variables.setting("\(Self.token)_FILE") {
            return try CredentialFile.token(path, "The file of \(Self.token)_FILE")
        }
        guard let token = variables.setting(Self.token) else { return nil }
        guard token.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            throw StrongroomError(.invalidSetting, "\(Self.token) has a line break or another control character.")
        }
        return token
    }

    private func refusal(_ url: CredentialURL, _ reason: String) -> StrongroomError {
        StrongroomError(
            .objectStore,
            """
            The endpoint of the container's credentials, \(url.origin), gave none: \(reason). Check the role of the \
            task or pod, and \(Self.token) or its file.
            """)
    }
}
#endif
