import AsyncHTTPClient
import Strongroom
import StrongroomReplication
import Testing

@testable import StrongroomS3

/// A proxy is the server itself, which answers as the service after `CONNECT`.
@Suite(.timeLimit(.minutes(2))) struct S3ProxyTests {
    private func store(_ proxy: S3Proxy, _ addressing: S3ObjectStore.Addressing = .virtualHost) throws -> S3ObjectStore
    {
        var connection = S3Connection()
        connection.proxy = proxy
        return try S3ObjectStore(
            bucket: "bucket", endpoint: "http://storage.example", credentials: S3Credentials.test,
            addressing: addressing, connection: connection, retries: RecordedPauses().retries(attempts: 2))
    }

    @Test(arguments: [
        (S3ObjectStore.Addressing.virtualHost, "bucket.storage.example", "/a"), (.path, "storage.example", "/bucket/a"),
    ])
    func `a service is reached through a proxy`(
        addressing: S3ObjectStore.Addressing, host: String, target: String
    ) async throws {
        let server = try LocalHTTPServer { _, request in .answer(200, [:], request.method == "CONNECT" ? "" : "abc") }
        let proxy = S3Proxy.server("http://user:pass%20word@127.0.0.1:\(server.port)")
        #expect(try await store(proxy, addressing).read("a", nil) == Array("abc".utf8))
        try #require(server.requests.count == 2)
        #expect(server.requests[0].target == "\(host):80")
        #expect(server.requests[0].headers["proxy-authorization"] == "Basic dXNlcjpwYXNzIHdvcmQ=")
        #expect(server.requests[1].target == target)
        #expect(server.requests[1].headers["host"] == host)
        #expect(server.requests[1].headers["proxy-authorization"] == nil)
    }

    @Test(arguments: [(407, "user and a password"), (403, "proxy refuses"), (502, "proxy refuses")])
    func `a proxy that refuses is named`(status: Int, words: String) async throws {
        let server = try LocalHTTPServer { _, _ in .answer(status, [:], "<html>") }
        let proxy = S3Proxy.server("http://127.0.0.1:\(server.port)")
        let failure = await error { _ = try await store(proxy).create("a", [1]) }
        #expect(failure?.code == .objectStoreUnreachable)
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
    }

    @Test(arguments: [
        "", "proxy", "https://proxy", "socks5://proxy", "http://", "http://proxy/path", "http://user:secret@",
    ])
    func `an address of a proxy that is none is refused`(url: String) async {
        let failure = await error { _ = try store(.server(url)) }
        #expect(failure?.code == .invalidSetting)
        #expect(failure?.message.contains("secret") == false)
    }

    @Test(
        arguments: [
            ("https://host", ["https_proxy": "http://a:1"], "a:1"), ("https://host", ["HTTPS_PROXY": "a:1"], "a:1"),
            ("https://host", ["http_proxy": "http://a:1"], nil), ("http://host", ["http_proxy": "http://a"], "a:80"),
            ("http://host", ["HTTP_PROXY": "http://a:1"], nil), ("https://host", ["https_proxy": ""], nil),
            ("https://s3.x.org", ["https_proxy": "a:1", "no_proxy": "b, .x.org"], nil),
            ("https://s3.x.org", ["https_proxy": "a:1", "NO_PROXY": "x.org"], nil),
            ("https://s3.x.org", ["https_proxy": "a:1", "no_proxy": "3.x.org,org.x"], "a:1"),
            ("https://x", ["https_proxy": "a:1", "no_proxy": "*"], nil),
            ("https://[::2]:9", ["https_proxy": "a:1", "no_proxy": "::2"], nil),
            ("https://127.0.0.1:9", ["https_proxy": "a:1"], nil), ("https://localhost", ["https_proxy": "a:1"], nil),
        ] as [(String, [String: String], String?)])
    func `the environment's proxy is that of other programs`(
        service: String, variables: [String: String], proxy: String?
    ) throws {
        let found = try S3Proxy.environment.server(for: service, in: variables)
        #expect(found.map { "\($0.host):\($0.port)" } == proxy)
    }

    @Test func `a proxy's password is never printed`() {
        let proxy = S3Proxy.server("http://user:secret@proxy")
        var dumped = ""
        dump(proxy, to: &dumped)
        #expect(!"\(proxy) \(String(reflecting: proxy)) \(dumped)".contains("secret"))
    }
}
