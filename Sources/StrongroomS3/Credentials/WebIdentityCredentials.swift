#if S3
internal import Foundation
internal import Strongroom

/// The credentials of a role, for which a token of the platform is exchanged at the Security Token Service (STS), as in
/// a pod of Kubernetes.
///
/// See "AssumeRoleWithWebIdentity" in Amazon's "AWS Security Token Service API Reference".
struct WebIdentityCredentials: CredentialSource {
    let variables: [String: String]
    let endpoint: CredentialEndpoint

    private static let file = "AWS_WEB_IDENTITY_TOKEN_FILE"
    private static let role = "AWS_ROLE_ARN"

    init(
        _ variables: [String: String], _ connection: S3Connection, _ exchange: @escaping CredentialEndpoint.Exchange
    ) {
        self.variables = variables
        endpoint = CredentialEndpoint(exchange, connection, attempts: 3, timeout: .seconds(5))
    }

    let name = "the web identity"

    func find() async throws -> CredentialFinding {
        guard let path = variables.setting(Self.file) else { return .notConfigured("\(Self.file) is not set") }
        guard let role = variables.setting(Self.role) else {
            throw StrongroomError(
                .invalidSetting,
                "\(Self.file) is set, but not \(Self.role): set it to the role that the program assumes.")
        }
        let token = try CredentialFile.token(path, "The file of \(Self.file)")
        let url = try url()
        let session = variables.setting("AWS_ROLE_SESSION_NAME") ?? "strongroom-\(Int(Date.now.timeIntervalSince1970))"
        let form = [
            ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
            ("RoleSessionName", session), ("WebIdentityToken", token),
        ]
        var request = HTTPRequest(.post, url.text)
        request.headers = [("content-type", "application/x-www-form-urlencoded"), ("accept", "application/xml")]
        request.body = Array(form.map { "\($0)=\(S3Text.encoded($1))" }.joined(separator: "&").utf8)
        do {
            return .found(try credentials(await endpoint.send(request), url))
        } catch let failure as HTTPFailure {
            throw StrongroomError(
                .objectStoreUnreachable,
                """
                There is no answer from the STS \(url.origin): \(failure.reason). Check the network, and AWS_REGION \
                or AWS_ENDPOINT_URL_STS.
                """)
        } catch let defect as CredentialDefect {
            throw StrongroomError(
                .objectStore,
                "The STS \(url.origin) gave no credentials: \(defect.reason). Check AWS_REGION or AWS_ENDPOINT_URL_STS."
            )
        }
    }

    private func credentials(_ response: HTTPResponse, _ url: CredentialURL) throws -> S3Credentials {
        let root = S3Element(document: response.body)
        guard response.status == 200 else {
            let code = root?.first("Error")?["Code"].flatMap(S3Response.word)
            guard let code else { throw CredentialDefect("it answered \(response.status)") }
            throw StrongroomError(
                .objectStore,
                "The STS \(url.origin) refused the token for \(Self.role) (\(response.status) \(code)). "
                    + (Self.advice[code] ?? "Check the role, and the token in the file of \(Self.file)."))
        }
        guard let found = root?.first("AssumeRoleWithWebIdentityResult")?.first("Credentials") else {
            throw CredentialDefect("it answered 200, but not as an STS does")
        }
        return try S3Credentials(
            accessKey: found["AccessKeyId"], secretKey: found["SecretAccessKey"], token: found["SessionToken"],
            tokenName: "SessionToken", expiration: found["Expiration"])
    }

    private static let advice = [
        "AccessDenied": """
        Let the trust policy of the role allow sts:AssumeRoleWithWebIdentity for the subject of the token.
        """,
        "ExpiredTokenException": """
        The token in the file of \(file) has expired: see why the platform does not renew it, and check its clock.
        """,
        "InvalidIdentityToken": """
        Check that the issuer of the token is registered as an identity provider, and the audience of the token.
        """,
        "ValidationError": "Check \(role), AWS_ROLE_SESSION_NAME and the token in the file of \(file).",
    ]

    /// The address of the STS.
    private func url() throws -> CredentialURL {
        let named = "AWS_ENDPOINT_URL_STS"
        if let text = variables.setting(named) { return try CredentialURL(text, named) }
        let isGlobal = variables.setting("AWS_STS_REGIONAL_ENDPOINTS")?.lowercased() == "legacy"
        guard let region = variables.setting("AWS_REGION") ?? variables.setting("AWS_DEFAULT_REGION"), !isGlobal else {
            return try CredentialURL("https://sts.amazonaws.com/", named)
        }
        guard region.utf8.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2D })
        else {
            throw StrongroomError(.invalidSetting, "AWS_REGION is not the name of a region, such as eu-central-1.")
        }
        let suffix = region.hasPrefix("cn-") ? ".cn" : ""
        return try CredentialURL("https://sts.\(region).amazonaws.com\(suffix)/", named)
    }
}

extension S3Element {
    /// The first child with a name.
    fileprivate func first(_ name: String) -> S3Element? { children.first { $0.name == name } }
}
#endif
