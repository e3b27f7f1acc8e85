import Foundation
import StrongroomReplication
import StrongroomTesting
import Testing

@testable import StrongroomS3

private let imitation = ProcessInfo.processInfo.environment["STRONGROOM_MOTO"]

/// Against moto's server, an imitation of Amazon's services, which `.ci/parts/credentials` installs and starts.
@Suite(.enabled(if: imitation != nil, "needs moto's server"), .timeLimit(.minutes(1)))
struct ImitatedServicesTests {
    @Test func `objects are stored with the credentials of a web identity`() async throws {
        let endpoint = try #require(imitation)
        let directory = try TemporaryDirectory()
        try Data("a.b.c\n".utf8).write(to: directory.url.appending(path: "token"))
        let credentials = S3RenewingCredentials(variables: [
            "AWS_WEB_IDENTITY_TOKEN_FILE": directory.path("token"), "AWS_ENDPOINT_URL_STS": endpoint,
            "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/replicas",
        ])
        try await storeObject(credentials)
    }

    @Test func `objects are stored with the credentials of an instance`() async throws {
        let endpoint = try #require(imitation)
        let variables = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": endpoint]
        let exchange: CredentialEndpoint.Exchange = { request, connection in
            // moto has no tokens of version 2.
            if request.method == .put { return HTTPResponse(status: 200, headers: [:], body: Array("session".utf8)) }
            return try await HTTPTransport(to: request.url, connection).send(request)
        }
        let credentials = S3RenewingCredentials(variables: variables, exchange: exchange)
        try await storeObject(credentials)
    }

    private func storeObject(_ credentials: S3RenewingCredentials) async throws {
        let found = try await credentials.credentials()
        #expect(found.sessionToken?.isEmpty == false)
        #expect(try #require(found.expiration) > .now)
        let store = try S3ObjectStore(
            bucket: "replicas", endpoint: #require(imitation), credentials: credentials, prefix: UUID().uuidString)
        #expect(try await store.create("object", Array("content".utf8)))
        #expect(try await store.read("object", nil) == Array("content".utf8))
    }
}
