import Foundation
import Strongroom
import StrongroomTesting
import Testing

@testable import StrongroomS3

@Suite(.timeLimit(.minutes(2))) struct TemporaryCredentialsTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func webIdentity(_ token: String) throws -> [String: String] {
        let path = directory.path("token")
        try Data(token.utf8).write(to: URL(filePath: path))
        return [
            "AWS_WEB_IDENTITY_TOKEN_FILE": path, "AWS_ROLE_ARN": "arn:aws:iam::1:role/a", "AWS_ROLE_SESSION_NAME": "s",
            "AWS_REGION": "eu-central-1",
        ]
    }

    private static let answer = """
        <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
        <AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>AKIA</AccessKeyId>
        <SecretAccessKey>TOP-SECRET</SecretAccessKey><SessionToken>TOKEN</SessionToken>
        <Expiration>2100-01-31T12:00:00.250Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult>
        </AssumeRoleWithWebIdentityResponse>
        """
    private static let sts = "POST https://sts.eu-central-1.amazonaws.com/"

    @Test func `a token is exchanged at the STS, and read again for each renewal`() async throws {
        let fixture = ExchangeFixture([Self.sts: (200, Self.answer)])
        let credentials = fixture.credentials(try webIdentity("first\n"))
        let found = try await credentials.credentials()
        #expect(found.accessKey == "AKIA" && found.sessionToken == "TOKEN" && found.expiration != nil)
        _ = try webIdentity("second")
        _ = try await credentials.renewed(after: found)
        let forms = fixture.requests.withLock { $0.map { String(decoding: $0.body, as: UTF8.self) } }
        let form = "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fa"
        #expect(forms == ["first", "second"].map { "\(form)&RoleSessionName=s&WebIdentityToken=\($0)" })
    }

    @Test(arguments: [
        ("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:9000", "http://127.0.0.1:9000"),
        ("AWS_REGION", "cn-north-1", "https://sts.cn-north-1.amazonaws.com.cn/"),
        ("AWS_REGION", "", "https://sts.amazonaws.com/"),
        ("AWS_STS_REGIONAL_ENDPOINTS", "legacy", "https://sts.amazonaws.com/"),
    ]) func `the STS is that of the region or the variable`(_ name: String, _ value: String, _ url: String) async throws
    {
        let fixture = ExchangeFixture(["POST \(url)": (200, Self.answer)])
        var variables = try webIdentity("token")
        variables[name] = value
        #expect(try await fixture.credentials(variables).credentials().accessKey == "AKIA")
    }

    @Test(arguments: [
        (400, "<ErrorResponse><Error><Code>ExpiredTokenException</Code></Error></ErrorResponse>", "has expired"),
        (403, "<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>", "trust policy"),
        (404, "<html>TOP-SECRET</html>", "it answered 404"), (200, "", "not as an STS"),
        (200, String(answer.dropLast(40)), "not as an STS"), (302, "", "it answered 302"),
        (200, answer.replacing("<AccessKeyId>AKIA</AccessKeyId>", with: ""), "AccessKeyId is missing"),
        (200, answer.replacing("2100-01-31T12:00:00.250Z", with: "4105166400"), "Expiration is not a time"),
        (200, answer.replacing("2100-", with: "2001-"), "have ended before they were used"),
    ]) func `what the STS answers instead is named, without its content`(
        _ status: Int, _ body: String, _ part: String
    ) async throws {
        let message = try await ExchangeFixture([Self.sts: (status, body)]).refusal(webIdentity("token"))
        #expect(message.contains(part) && !message.contains("TOP-SECRET"))
    }

    @Test(arguments: [("", "is empty"), (" \n", "is empty"), ("a b", "not one token"), ("a\nb", "not one token")])
    func `a file without one token is refused`(_ text: String, _ part: String) async throws {
        #expect(try await ExchangeFixture().refusal(webIdentity(text)).contains(part))
    }

    @Test(arguments: [
        "http://localhost:1/c", "http://127.0.0.2/c", "http://[::1]:1/c", "http://[fd00:ec2::23]/c",
        "http://169.254.170.23/v1/credentials", "https://credentials.example.com/c",
    ]) func `a container's endpoint on this machine or with TLS is asked, with the token of the file`(
        _ url: String
    ) async throws {
        let fixture = ExchangeFixture(["GET \(url)": (200, document)])
        let path = directory.path("token")
        try Data("Bearer first\n".utf8.dropFirst(7)).write(to: URL(filePath: path))
        let credentials = fixture.credentials([
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": url, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": path,
        ])
        let found = try await credentials.credentials()
        try Data("second".utf8).write(to: URL(filePath: path))
        _ = try await credentials.renewed(after: found)
        let headers = fixture.requests.withLock { $0.map { Dictionary($0.headers) { $1 }["authorization"] } }
        #expect(headers == ["first", "second"])
    }

    @Test func `an instance is asked for a token, its role and the credentials`() async throws {
        let origin = "http://169.254.169.254/latest"
        let roles = "\(origin)/meta-data/iam/security-credentials/"
        let fixture = ExchangeFixture([
            "PUT \(origin)/api/token": (200, "session"), "GET \(roles)": (200, "replicas\n"),
            "GET \(roles)replicas": (200, document),
        ])
        #expect(try await fixture.credentials([:]).credentials().accessKey == "AKIA")
        let headers = fixture.requests.withLock { $0.map { "\($0.headers)" } }
        #expect(headers.count == 3 && headers.dropFirst().allSatisfy { $0.contains("session") })
        let message = try await fixture.refusal(["AWS_EC2_METADATA_DISABLED": "true"])
        #expect(message.contains("AWS_EC2_METADATA_DISABLED is set"))
    }

    @Test(arguments: [
        ((404, ""), (200, "r"), (200, document), "answered 404, and no token"),
        ((200, "t"), (404, ""), (200, document), "the instance has no role"),
        ((200, "t"), (200, "<html>"), (200, document), "no name of a role"),
        ((200, "t"), (200, "r"), (404, ""), "answered 404 for the role \"r\""),
        ((200, "t"), (200, "r"), (200, "{\"Code\":\"AssumeRoleUnauthorizedAccess\"}"), "AssumeRoleUnauthorizedAccess"),
        ((200, "t"), (200, "r"), (200, document.replacing("\"}", with: "")), "it is not the JSON object"),
        ((200, "t"), (200, "r"), (200, document.replacing("TOKEN", with: "TO\\nKEN")), "Token has a space"),
        ((200, "t"), (200, "r"), (200, "[]"), "it is not the JSON object"),
        ((200, "t"), (200, "r"), (200, document.replacing("Expiration", with: "expires")), "Expiration is missing"),
        ((200, "t"), (200, "r"), (503, "TOP-SECRET"), "it answered 503"),
    ]) func `what an instance answers instead is named, without its content`(
        _ token: (Int, String), _ roles: (Int, String), _ role: (Int, String), _ part: String
    ) async throws {
        let origin = "http://[fd00:ec2::254]/latest"
        let path = "\(origin)/meta-data/iam/security-credentials/"
        let fixture = ExchangeFixture([
            "PUT \(origin)/api/token": token, "GET \(path)": roles, "GET \(path)r": role,
        ])
        let message = try await fixture.refusal(["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv6"])
        #expect(message.contains(part) && !message.contains("TOP-SECRET"))
    }
}
