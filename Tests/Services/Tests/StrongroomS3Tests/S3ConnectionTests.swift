import Foundation
import Strongroom
import StrongroomReplication
import Testing

@testable import StrongroomS3

@Suite(.timeLimit(.minutes(2))) final class S3ConnectionTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: certificates.directory)
    }

    private func store(_ server: TLSServer, trusting authority: String?, as client: String? = nil) throws
        -> S3ObjectStore
    {
        var connection = S3Connection()
        connection.trustRoots = authority.map(certificates.path)
        connection.clientCertificate = client.map {
            .init(chain: certificates.path($0), key: certificates.path($0) + ".key")
        }
        return try S3ObjectStore(
            bucket: "bucket", endpoint: server.endpoint, credentials: S3Credentials.test, connection: connection,
            retries: RecordedPauses().retries(attempts: 2))
    }

    /// Expects a creation to be refused, so that the service cannot have received it.
    private func expectRefusal(by store: S3ObjectStore, _ words: String) async {
        let failure = await error { _ = try await store.create("a", [1]) }
        #expect(failure?.code == .objectStoreUnreachable)
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
    }

    @Test func `a server with a certificate of a private authority is reached`() async throws {
        let server = try TLSServer(certificates, "ours-server")
        #expect(try await store(server, trusting: "ours").read("a", nil) == Array("abc".utf8))
    }

    @Test(arguments: [nil, "other"])
    func `a server with a certificate of another authority is refused`(authority: String?) async throws {
        let server = try TLSServer(certificates, "ours-server")
        await expectRefusal(by: try store(server, trusting: authority), "certificate is not trusted")
    }

    @Test func `a server with another host's certificate is refused`() async throws {
        let server = try TLSServer(certificates, "ours-elsewhere")
        await expectRefusal(by: try store(server, trusting: "ours"), "for another host")
    }

    @Test func `a server that changes its certificate is refused, until it has the old one`() async throws {
        let server = try TLSServer(certificates, "ours-server")
        let store = try store(server, trusting: "ours")
        #expect(try await store.read("a", nil) == Array("abc".utf8))
        try server.change(certificates, to: "other-server")
        await expectRefusal(by: store, "certificate is not trusted")
        try server.change(certificates, to: "ours-server")
        #expect(try await store.read("a", nil) == Array("abc".utf8))
    }

    @Test func `a client shows its certificate to a server that demands one`() async throws {
        let server = try TLSServer(certificates, "ours-server", clientsOf: "ours")
        let client = try store(server, trusting: "ours", as: "ours-client")
        #expect(try await client.read("a", nil) == Array("abc".utf8))
        await expectRefusal(by: try store(server, trusting: "ours"), "demands another client certificate")
        await expectRefusal(by: try store(server, trusting: "ours", as: "other-client"), "not accept the client's")
    }

    @Test func `TLS to a server without it, and none to one with it, are refused`() async throws {
        let plain = try LocalHTTPServer { _, _ in .answer(200) }
        var connection = S3Connection()
        connection.connectTimeout = .milliseconds(300)
        let store = try S3ObjectStore(
            bucket: "b", endpoint: "https://127.0.0.1:\(plain.port)", credentials: S3Credentials.test,
            connection: connection, retries: RecordedPauses().retries(attempts: 1))
        await expectRefusal(by: store, "does not answer")
        let server = try TLSServer(certificates, "ours-server")
        let bare = try S3ObjectStore(
            bucket: "b", endpoint: server.endpoint.replacing("https", with: "http"), credentials: S3Credentials.test,
            retries: RecordedPauses().retries(attempts: 1))
        #expect(await code { _ = try await bare.read("a", nil) } == .objectStoreUnreachable)
    }

    @Test(arguments: ["missing", "empty", "text", "ours.key"])
    func `a file that has no certificates is refused by name`(name: String) async throws {
        try Data().write(to: URL(filePath: certificates.path("empty")))
        try Data("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
            .write(to: URL(filePath: certificates.path("text")))
        var connection = S3Connection()
        connection.trustRoots = certificates.path(name)
        let refused = connection
        let failure = await error { _ = try HTTPTransport(to: "https://host", refused) }
        #expect(failure?.code == .invalidSetting)
        #expect(failure?.message.contains("/\(name)\" cannot be read") == true, "\(failure?.message ?? "")")
    }

    @Test(arguments: ["missing", "ours-client", "other-client.key"])
    func `a file that is not the certificate's key is refused by name`(name: String) async throws {
        var connection = S3Connection()
        connection.clientCertificate = .init(chain: certificates.path("ours-client"), key: certificates.path(name))
        let refused = connection
        let failure = await error { _ = try HTTPTransport(to: "https://host", refused) }
        #expect(failure?.code == .invalidSetting)
        #expect(failure?.message.contains("/\(name)\" cannot be read") == true, "\(failure?.message ?? "")")
    }

    @Test(arguments: [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
    func `a time-out or a number of connections of zero is refused`(request: Int, connect: Int, limit: Int) async {
        var connection = S3Connection()
        connection.requestTimeout = .seconds(request)
        connection.connectTimeout = .seconds(connect)
        connection.limit = limit
        let refused = connection
        #expect(await code { _ = try HTTPTransport(to: "https://host", refused) } == .invalidSetting)
    }
}
