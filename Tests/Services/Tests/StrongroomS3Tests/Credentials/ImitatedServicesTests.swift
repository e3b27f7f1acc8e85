import Foundation
import Strongroom
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

    @Test func `the key service wraps keys, for the database of their context`() async throws {
        struct Created: Decodable {
            struct Metadata: Decodable { let Arn: String }
            let KeyMetadata: Metadata
        }
        let endpoint = try #require(imitation)
        let client = KMSClient(
            origin: endpoint, region: "eu-central-1", credentials: S3Credentials.test,
            transport: try HTTPTransport(to: endpoint), retries: KMSClient.retries, now: S3ObjectStore.systemTime)
        let created = try await client.send("CreateKey", Array("{}".utf8))
        let arn = try JSONDecoder().decode(Created.self, from: Data(created)).KeyMetadata.Arn
        let key = try KMSKey(arn, credentials: S3Credentials.test, endpoint: endpoint)
        let wrapped = try await key.wrap([UInt8](1...32), context: [7])
        #expect(try await key.unwrap(wrapped, context: [7]) == [UInt8](1...32))
        let other = await error { _ = try await key.unwrap(wrapped, context: [8]) }
        #expect(other?.message.contains("InvalidCiphertextException") == true)
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
