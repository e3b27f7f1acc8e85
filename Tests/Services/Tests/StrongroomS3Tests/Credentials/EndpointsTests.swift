import Foundation
import Strongroom
import Testing

@testable import StrongroomS3

/// Endpoints on the loopback interface that misbehave, through the real transport.
@Suite(.timeLimit(.minutes(2))) struct EndpointsTests {
    @Test(
        arguments: [
            (.answer(404), "answered 404"), (.answer(500), "answered 500"),
            (.answer(200, [:], "<html>"), "not the JSON"),
            (.answer(302, ["Location": "http://169.254.169.254/"]), "answered 302"), (.drop, "no answer"),
            (.silence, "no answer"), (.raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), "no answer"),
            (.answer(200, [:], String(repeating: "x", count: 1 << 17)), "no answer"),
            (.raw("TOP-SECRET"), "no answer"),
        ] as [(LocalHTTPServer.Reply, String)]) func `a container's endpoint that misbehaves is named`(
            _ reply: LocalHTTPServer.Reply, _ part: String
        ) async throws
    {
        let server = try LocalHTTPServer { _, _ in reply }
        let variables = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "\(server.endpoint)/role"]
        let credentials = S3RenewingCredentials(variables: variables)
        let error = await #expect(throws: StrongroomError.self) { try await credentials.credentials() }
        let message = try #require(error).message
        #expect(message.contains(part) && message.contains(server.endpoint) && !message.contains("TOP-SECRET"))
        #expect(server.requests.allSatisfy { $0.target == "/role" })
    }

    @Test func `a machine without metadata is told so after two attempts`() async throws {
        let server = try LocalHTTPServer { _, _ in .silence }
        let credentials = S3RenewingCredentials(variables: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": server.endpoint])
        let error = await #expect(throws: StrongroomError.self) { try await credentials.credentials() }
        #expect(error?.message.contains("there is no answer from \(server.endpoint)") == true)
        #expect(
            server.requests.map { "\($0.method) \($0.target)" } == .init(repeating: "PUT /latest/api/token", count: 2))
    }

    @Test func `metadata of version 2 are read over the loopback interface`() async throws {
        let server = try LocalHTTPServer { _, request in
            guard request.method == "GET" else { return .answer(200, [:], "session") }
            guard request.headers["x-aws-ec2-metadata-token"] == "session" else { return .answer(401) }
            return .answer(200, [:], request.target.hasSuffix("/") ? "replicas" : document)
        }
        let credentials = S3RenewingCredentials(variables: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "\(server.endpoint)/"])
        #expect(try await credentials.credentials().accessKey == "AKIA")
    }
}
