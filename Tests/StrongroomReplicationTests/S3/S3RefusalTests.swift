import Strongroom
import StrongroomReplication
import Testing

@Suite(.timeLimit(.minutes(2))) struct S3RefusalTests {
    private static let region = "<Region>eu-west-1</Region>"

    @Test(
        arguments: [
            (.error(404, "NoSuchBucket"), "\"bucket\""), (.error(403, "AccessDenied"), "Check that the credentials"),
            (.error(403, "SignatureDoesNotMatch"), "secret key"), (.error(403, "InvalidAccessKeyId"), "access key"),
            (.error(400, "ExpiredToken"), "session token"),
            (.answer(401, ["WWW-Authenticate": "Basic"]), "credentials"),
            (.error(301, "PermanentRedirect", ["x-amz-bucket-region": "eu-west-1"]), "\"eu-west-1\""),
            (
                .error(
                    301, "PermanentRedirect",
                    ["Location": "http://other.example/x", "x-amz-bucket-region": "eu-west-1"]), "\"other.example\""
            ),
            (.error(307, "TemporaryRedirect", ["Location": "http://other.example/x"]), "\"other.example\""),
            (.error(400, "AuthorizationHeaderMalformed", [:], region), "\"eu-west-1\""),
            (.answer(404, [:], "<html></html>"), "endpoint"), (.error(501, "NotImplemented"), "conditional writes"),
            (.answer(418, [:], "<Error><Code>do not print; this</Code></Error>"), "(418)"),
        ] as [(LocalHTTPServer.Reply, String)])
    func `a refusal names what to do`(reply: LocalHTTPServer.Reply, words: String) async throws {
        let server = try LocalHTTPServer { _, _ in reply }
        for request in [
            { _ = try await $0.read("a", nil) }, { _ = try await $0.create("a", [1]) }, { try await $0.remove(["a"]) },
            { _ = try await $0.list("a", after: nil, count: 1) }, { _ = try await $0.folders(in: "") },
        ] as [(S3ObjectStore) async throws -> Void] {
            let failure = await error { try await request(server.store()) }
            #expect(failure?.code == .objectStore)
            #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
            #expect(failure?.message.contains("do not print") == false)
            #expect(failure?.message.contains("do-not-print") == false)
        }
        #expect(server.requests.count == 5)
    }

    @Test func `a clock that is wrong is named with its difference`() async throws {
        let server = try LocalHTTPServer { _, _ in
            .error(403, "RequestTimeTooSkewed", ["Date": "Fri, 24 May 2013 00:00:00 GMT"])
        }
        let store = try server.store { 1_369_353_600 - 3600 }
        let failure = await error { _ = try await store.read("a", nil) }
        #expect(failure?.message.contains("3600 seconds behind") == true)
        #expect(server.requests.first?.headers["x-amz-date"] == "20130523T230000Z")
    }

    @Test(arguments: [LocalHTTPServer.Reply.error(403, "QuotaExceeded"), .answer(507)])
    func `a full service is a full disk`(reply: LocalHTTPServer.Reply) async throws {
        let server = try LocalHTTPServer { _, _ in reply }
        #expect(await code { _ = try await server.store().create("a", [1]) } == .diskFull)
    }
}
