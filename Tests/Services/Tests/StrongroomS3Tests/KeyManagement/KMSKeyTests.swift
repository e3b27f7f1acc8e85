import Foundation
import Strongroom
import StrongroomTesting
import Testing

// The pauses between attempts are recorded, and the time is fixed.
@testable import StrongroomS3

private let arn = "arn:aws:kms:eu-central-1:111122223333:key/1234"

/// A service on the loopback interface that has one key, and keeps what it wraps.
private final class LocalKMS: Sendable {
    private struct Request: Decodable {
        let KeyId: String
        let EncryptionContext: [String: String]
        let Plaintext: String?
        let CiphertextBlob: String?
    }

    /// A reply in place of the service's own.
    let reply = Shared<LocalHTTPServer.Reply?>(nil)
    let pauses = RecordedPauses()
    private let server: LocalHTTPServer

    init() throws {
        let wrapped = Shared<[String: (context: [String: String], key: String)]>([:])
        server = try LocalHTTPServer { [reply] number, request in
            if let reply = reply.withLock({ reply in
                defer { reply = nil }
                return reply
            }) {
                return reply
            }
            guard let content = try? JSONDecoder().decode(Request.self, from: Data(request.body)), content.KeyId == arn
            else { return Self.refusal("ValidationException") }
            if let key = content.Plaintext {
                let blob = Data("blob \(number)".utf8).base64EncodedString()
                wrapped.withLock { $0[blob] = (content.EncryptionContext, key) }
                return .answer(200, [:], #"{"KeyId":"\#(arn)","CiphertextBlob":"\#(blob)"}"#)
            }
            guard let found = wrapped.withLock({ $0[content.CiphertextBlob ?? ""] }),
                found.context == content.EncryptionContext
            else { return Self.refusal("InvalidCiphertextException") }
            return .answer(200, [:], #"{"KeyId":"\#(arn)","Plaintext":"\#(found.key)"}"#)
        }
    }

    static func refusal(_ code: String, status: Int = 400) -> LocalHTTPServer.Reply {
        .answer(status, [:], #"{"__type":"com.amazonaws.kms#\#(code)","message":"do-not-print"}"#)
    }

    var requests: [LocalHTTPServer.Request] { server.requests }

    func key(_ credentials: any S3CredentialProvider = S3Credentials.test) throws -> KMSKey {
        try KMSKey(
            arn, credentials: credentials, endpoint: server.endpoint, retries: pauses.retries(attempts: 3),
            now: { 1_796_040_000 })
    }
}

@Suite(.timeLimit(.minutes(2))) struct KMSKeyTests {
    private let service: LocalKMS
    private let context = [UInt8](repeating: 0xAB, count: 16)
    private let key = [UInt8](1...32)

    init() throws { service = try LocalKMS() }

    @Test func `a database opens with one request`() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(Ledger(directory.path("ledger.sqlite"), .external(service.key())))
        let store = try await stores.open("ledger.sqlite")
        try await store.write { db in try db.execute("CREATE TABLE line (text TEXT)") }
        #expect(try await store.keySlots().map(\.externalIdentifier) == [arn])
        try await store.close()
        #expect(
            service.requests.map { $0.headers["x-amz-target"] } == ["TrentService.Encrypt", "TrentService.Decrypt"])
        try await stores.open("ledger.sqlite").close()
        #expect(service.requests.count == 3)
        service.reply.withLock { $0 = LocalKMS.refusal("DisabledException") }
        let failure = await error { _ = try await stores.open("ledger.sqlite") }
        #expect(failure?.code == .keyProvider)
        let advice = "refused the request (400 DisabledException): enable the key. Make it available"
        #expect(failure?.message.contains(advice) == true)
    }

    @Test func `a request has the form and the signature that the service expects`() async throws {
        let wrapped = try await service.key().wrap(key, context: context)
        #expect(try await service.key().unwrap(wrapped, context: context) == key)
        let request = try #require(service.requests.first)
        let body =
            #"{"KeyId":"\#(arn)","EncryptionContext":{"strongroom":"\#(S3Text.hexadecimal(context))"},"#
            + #""Plaintext":"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="}"#
        #expect(request.method == "POST" && request.target == "/")
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        #expect(request.headers["content-type"] == "application/x-amz-json-1.1")
        #expect(request.headers["x-amz-date"] == "20261130T120000Z")
        let scope = "AWS4-HMAC-SHA256 Credential=access/20261130/eu-central-1/kms/aws4_request,"
        #expect(request.headers["authorization"]?.hasPrefix(scope) == true)
    }

    @Test func `the signature is that of another implementation`() {
        // By botocore 1.41, with the same headers.
        let body = #"{"KeyId":"\#(arn)","EncryptionContext":{"strongroom":"00"},"Plaintext":"AQ=="}"#
        var request = S3Request(.post)
        request.headers = [("content-type", "application/x-amz-json-1.1"), ("x-amz-target", "TrentService.Encrypt")]
        request.body = Array(body.utf8)
        let signature = S3Signature(
            credentials: .test, region: "eu-central-1", timestamp: "20261130T120000Z", service: "kms")
        let headers = signature.headers(request, host: "kms.eu-central-1.amazonaws.com", path: "/")
        #expect(
            headers.last?.value.hasSuffix(
                "Signature=19734aa78f53ae8f0e420a865f7bd55e2be9e53b0d191f499bf1c684b75f62ad") == true)
    }

    @Test func `another context is refused`() async throws {
        let wrapped = try await service.key().wrap(key, context: context)
        let failure = await error { _ = try await service.key().unwrap(wrapped, context: [1]) }
        #expect(failure?.message.contains("belongs to another database") == true)
    }

    @Test(arguments: [
        ("AccessDeniedException", "permit kms:Encrypt and kms:Decrypt"),
        ("NotFoundException", "whether it was deleted"), ("KMSInvalidStateException", "waits for its deletion"),
        ("Strange", "(400 Strange): see the log"),
        ("un known", "(400): see the log"),
    ])
    func `a refusal says what to do, and is not repeated`(code: String, advice: String) async throws {
        service.reply.withLock { $0 = LocalKMS.refusal(code) }
        let failure = await error { _ = try await service.key().wrap(key, context: context) }
        #expect(failure?.message.contains(advice) == true)
        #expect(failure?.message.contains("do-not-print") == false)
        #expect(service.requests.count == 1)
    }

    @Test(arguments: [
        LocalKMS.refusal("ThrottlingException"), LocalKMS.refusal("KMSInternalException", status: 500), .drop,
        .raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"Plain"), .raw("HTTP/1.1 200 OK\r\n"),
        .raw("nonsense\r\n"),
    ])
    func `a request that the service did not answer is repeated`(reply: LocalHTTPServer.Reply) async throws {
        service.reply.withLock { $0 = reply }
        _ = try await service.key().wrap(key, context: context)
        #expect(service.requests.count == 2 && service.pauses.all.count == 1)
    }

    @Test(arguments: ["", "[]", "{}", #"{"CiphertextBlob":7}"#, #"{"CiphertextBlob":"?"}"#, "\u{0}"])
    func `an answer of another form is an error`(body: String) async throws {
        service.reply.withLock { $0 = .answer(200, [:], body) }
        let failure = await error { _ = try await service.key().wrap(key, context: context) }
        #expect(failure?.message.contains("answered Encrypt not as the KMS does") == true)
    }

    @Test func `attempts end`() async throws {
        let server = try LocalHTTPServer { _, _ in .answer(503) }
        let key = try KMSKey(
            arn, credentials: S3Credentials.test, endpoint: server.endpoint,
            retries: service.pauses.retries(attempts: 3))
        let failure = await error { _ = try await key.wrap(self.key, context: context) }
        #expect(failure?.message.contains("gave no answer in 3 attempts") == true)
        #expect(server.requests.count == 3)
    }

    @Test func `credentials that have expired are renewed once`() async throws {
        let count = Shared(0)
        let credentials = S3RenewingCredentials("test") {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return S3Credentials(accessKey: "access\(number)", secretKey: "do-not-print")
        }
        let key = try service.key(credentials)
        service.reply.withLock { $0 = LocalKMS.refusal("ExpiredTokenException") }
        _ = try await key.wrap(self.key, context: context)
        #expect(service.requests.count == 2)
        #expect(service.requests[1].headers["authorization"]?.contains("Credential=access2/") == true)
        service.reply.withLock { $0 = LocalKMS.refusal("ExpiredTokenException") }
        let fixed = await error { _ = try await service.key().wrap(self.key, context: context) }
        #expect(fixed?.message.contains("get new temporary credentials") == true)
    }

    @Test(arguments: [
        "", "alias/strongroom", "arn:aws:kms:eu-central-1:111122223333:alias/strongroom",
        "arn:aws:kms::111122223333:key/2", "arn:aws:s3:eu-central-1:111122223333:key/2",
        "arn:aws:kms:eu-central-1:1:key/2", "arn:aws:kms:eu-central-1:111122223333:key/2:3",
        "arn:aws:kms:a\"b:111122223333:key/2", "arn:aws:kms:eu-central-1:111122223333:key/",
        "arn:aws-iso:kms:us-iso-east-1:111122223333:key/2",
    ])
    func `what is not the ARN of a key is refused`(arn: String) async {
        #expect(await code { _ = try KMSKey(arn, credentials: S3Credentials.test) } == .invalidSetting)
    }

    @Test(arguments: ["http://kms.example.com", "kms.example.com", "ftp://127.0.0.1", "https://kms.example.com/path"])
    func `an endpoint that cannot be used or is not encrypted is refused`(endpoint: String) async throws {
        #expect(
            await code { _ = try KMSKey(arn, credentials: S3Credentials.test, endpoint: endpoint) } == .invalidSetting)
    }
}

private struct Ledger: Configuration {
    static let target = "ledger"

    private let path: String
    private let key: Key

    init(_ path: String, _ key: Key) { (self.path, self.key) = (path, key) }

    func filePath(for database: DatabaseName) -> String? { path }
    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(key) }
    func keyProtection(for database: DatabaseName) -> KeyProtection { .envelope }
}
