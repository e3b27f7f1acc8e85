import Strongroom
import StrongroomReplication
import Testing

@testable import StrongroomS3

/// Credentials whose tokens are numbered; a new one has the next number.
private final class NumberedCredentials: S3CredentialProvider {
    private let number = Shared(1)
    private let last: Int

    /// - Parameter last: The last number; there are no credentials after 9.
    init(last: Int) {
        self.last = last
    }

    func credentials() async throws -> S3Credentials {
        let number = number.withLock { $0 }
        guard number < 9 else { throw StrongroomError(.objectStore, "there are no more tokens") }
        return S3Credentials(accessKey: "access", secretKey: "secret", sessionToken: "\(number)")
    }

    func renewed(after refused: S3Credentials) async throws -> S3Credentials {
        number.withLock { $0 = min($0 + 1, last) }
        return try await credentials()
    }
}

@Suite(.timeLimit(.minutes(2))) struct S3RenewalTests {
    @Test(arguments: ["ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId"])
    func `a request whose credentials have expired is repeated once with new ones`(code: String) async throws {
        let server = try LocalHTTPServer { _, request in
            request.headers["x-amz-security-token"] == "1" ? .error(403, code) : .answer(200)
        }
        let store = try server.store(credentials: NumberedCredentials(last: 8))
        #expect(try await store.create("a", [1]))
        #expect(try await store.create("b", [1]))
        #expect(server.requests.map { $0.headers["x-amz-security-token"] } == ["1", "2", "2"])
    }

    @Test(arguments: [(1, ["1"]), (8, ["1", "2"])])
    func `a request is not repeated with the same credentials, nor more than once`(
        last: Int, tokens: [String]
    ) async throws {
        let server = try LocalHTTPServer { _, _ in .error(400, "ExpiredToken") }
        let failure = await error {
            _ = try await server.store(credentials: NumberedCredentials(last: last)).create("a", [1])
        }
        #expect(failure?.code == .objectStore)
        #expect(failure?.message.contains("session token has expired") == true)
        #expect(server.requests.map { $0.headers["x-amz-security-token"] } == tokens)
    }

    @Test(arguments: [false, true])
    func `without credentials the provider's error is reported, or the outcome is unknown`(isLost: Bool) async throws {
        let provider = NumberedCredentials(last: 9)
        for _ in 2..<9 { _ = try? await provider.renewed(after: .test) }
        let server = try LocalHTTPServer { number, _ in isLost && number == 1 ? .drop : .error(403, "ExpiredToken") }
        let failure = await error { _ = try await server.store(credentials: provider).create("a", [1]) }
        #expect(failure?.code == (isLost ? .outcomeUnknown : .objectStore))
        #expect(failure?.message.contains("there are no more tokens") == true)
    }
}
