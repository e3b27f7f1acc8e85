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
        try await storeObject(variables: [
            "AWS_WEB_IDENTITY_TOKEN_FILE": directory.path("token"), "AWS_ENDPOINT_URL_STS": endpoint,
            "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/replicas",
        ])
    }

    @Test func `objects are stored with the credentials of an instance`() async throws {
        let endpoint = try #require(imitation)
        // moto has no tokens of version 2.
        let server = try LocalHTTPServer { _, request in
            guard request.method == "GET" else { return .answer(200, [:], "session") }
            let url = URL(string: endpoint + request.target)
            return .answer(200, [:], url.flatMap { try? String(contentsOf: $0, encoding: .utf8) } ?? "")
        }
        try await storeObject(variables: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": server.endpoint])
    }

    private func storeObject(variables: [String: String]) async throws {
        let credentials = S3RenewingCredentials(variables: variables)
        let found = try await credentials.credentials()
        #expect(found.sessionToken?.isEmpty == false)
        #expect(try #require(found.expiration) > .now)
        let store = try S3ObjectStore(
            bucket: "replicas", endpoint: #require(imitation), credentials: credentials, prefix: UUID().uuidString)
        #expect(try await store.create("object", Array("content".utf8)))
        #expect(try await store.read("object", nil) == Array("content".utf8))
    }
}
