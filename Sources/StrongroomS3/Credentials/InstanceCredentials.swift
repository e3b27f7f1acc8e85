#if S3
internal import Strongroom

/// The credentials of the role of a virtual machine, from version 2 of the instance metadata service.
///
/// See "Retrieve security credentials from instance metadata" in Amazon's "EC2 User Guide". Version 1 is not asked: its
/// requests can be forged through a proxy on the machine.
struct InstanceCredentials: CredentialSource {
    let variables: [String: String]
    let endpoint: CredentialEndpoint

    private static let roles = "/latest/meta-data/iam/security-credentials/"

    init(_ variables: [String: String], _ exchange: @escaping CredentialEndpoint.Exchange) {
        self.variables = variables
        endpoint = CredentialEndpoint(exchange, nil, attempts: 2, timeout: .seconds(2))
    }

    let name = "the instance metadata"

    func find() async throws -> CredentialFinding {
        guard variables.setting("AWS_EC2_METADATA_DISABLED")?.lowercased() != "true" else {
            return .notConfigured("AWS_EC2_METADATA_DISABLED is set")
        }
        let origin = try origin()
        let token: String
        do {
            let response = try await endpoint.send(
                request(.put, "\(origin)/latest/api/token", ("x-aws-ec2-metadata-token-ttl-seconds", "60")))
            let text = String(decoding: response.body, as: UTF8.self)
            guard response.status == 200, !text.isEmpty, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
                return .notConfigured(
                    "\(origin) answered \(response.status), and no token, so it is not such a service, or is disabled")
            }
            token = text
        } catch let failure as HTTPFailure {
            return .notConfigured(
                """
                there is no answer from \(origin) (\(failure.reason)); in a container of an instance, its limit of \
                hops must be 2
                """)
        }
        return try await find(at: origin, token)
    }

    private func find(at origin: String, _ token: String) async throws -> CredentialFinding {
        let header = ("x-aws-ec2-metadata-token", token)
        let roles = try await answer(request(.get, origin + Self.roles, header), origin)
        if roles.status == 404 { return .notConfigured("the instance has no role") }
        let text = String(decoding: roles.body, as: UTF8.self).trimmingSpace()
        let role = String(text.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" })
        guard roles.status == 200, !role.isEmpty, role.utf8.count <= 200, role.utf8.allSatisfy(Self.isOfName) else {
            throw refusal(origin, "answered \(roles.status), and no name of a role")
        }
        let answer = try await answer(request(.get, origin + Self.roles + S3Text.encoded(role), header), origin)
        guard answer.status == 200 else { throw refusal(origin, "answered \(answer.status) for the role \"\(role)\"") }
        do {
            return .found(try CredentialDocument.credentials(answer.body))
        } catch let defect as CredentialDefect {
            throw refusal(origin, "gave no credentials of the role \"\(role)\": \(defect.reason)")
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte < 128 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
            || "+=,.@_-".utf8.contains(byte)
    }

    private func origin() throws -> String {
        let isIPv6 = variables.setting("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE")?.lowercased() == "ipv6"
        let standard = isIPv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254"
        let name = "AWS_EC2_METADATA_SERVICE_ENDPOINT"
        return try variables.setting(name).map { try CredentialURL($0, name).withoutSlash } ?? standard
    }

    private func request(_ method: HTTPRequest.Method, _ url: String, _ header: (String, String)) -> HTTPRequest {
        var request = HTTPRequest(method, url)
        request.headers = [header]
        return request
    }

    private func answer(_ request: HTTPRequest, _ origin: String) async throws -> HTTPResponse {
        do {
            return try await endpoint.send(request)
        } catch let failure as HTTPFailure {
            throw StrongroomError(
                .objectStoreUnreachable,
                "There is no answer from the instance metadata service \(origin): \(failure.reason). Try again.")
        }
    }

    private func refusal(_ origin: String, _ reason: String) -> StrongroomError {
        StrongroomError(
            .objectStore,
            """
            The instance metadata service \(origin) \(reason). Check the role of the instance, and that its trust \
            policy names the service of instances.
            """)
    }
}
#endif
