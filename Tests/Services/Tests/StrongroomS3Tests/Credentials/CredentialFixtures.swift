import Foundation
import Logging
import Strongroom
import Testing

@testable import StrongroomS3

/// A source whose answers a test decides, and a clock.
final class CredentialSourceFixture: Sendable {
    typealias Answer = @Sendable (_ number: Int, _ now: Date) async throws -> S3Credentials

    let time = Shared(Date(timeIntervalSince1970: 1_800_000_000))
    let count = Shared(0)
    let warnings = Shared<[String]>([])
    private let answer: Answer

    init(_ answer: @escaping Answer) {
        self.answer = answer
    }

    var now: Date { time.withLock { $0 } }
    var requests: Int { count.withLock { $0 } }

    func pass(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }

    var credentials: S3RenewingCredentials {
        S3RenewingCredentials(logger: logger, now: { self.now }) {
            let number = self.count.withLock { count in
                count += 1
                return count
            }
            return FoundCredentials(credentials: try await self.answer(number, self.now), source: "the fixture")
        }
    }

    private var logger: Logger { Logger(label: "test") { _ in Handler(warnings: self.warnings) } }

    private struct Handler: LogHandler {
        let warnings: Shared<[String]>
        var logLevel = Logger.Level.warning
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { warnings.withLock { $0.append(event.message.description) } }
    }
}

extension S3Credentials {
    /// Temporary credentials with a number as their ID.
    static func numbered(_ number: Int, until end: Date? = nil) -> S3Credentials {
        S3Credentials(accessKey: "\(number)", secretKey: "secret-of-\(number)", sessionToken: "token", expiration: end)
    }
}

/// A gate at which a source waits until a test opens it.
final class Gate: Sendable {
    private let opened = AsyncStream<Void>.makeStream()

    func open() { opened.continuation.finish() }
    func wait() async { for await _ in opened.stream {} }
}

/// Waits until something holds, for at most ten seconds.
func eventually(_ holds: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<1_000 {
        if try await holds() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return false
}

/// An exchange that answers requests by their method and URL, and records them.
final class ExchangeFixture: Sendable {
    let requests = Shared<[HTTPRequest]>([])
    private let answers: [String: (status: Int, body: String)]

    init(_ answers: [String: (Int, String)] = [:]) {
        self.answers = answers
    }

    /// Without an answer, there is no such host.
    var exchange: CredentialEndpoint.Exchange {
        { request, _ in
            self.requests.withLock { $0.append(request) }
            guard let answer = self.answers["\(request.method.rawValue) \(request.url)"] else {
                throw HTTPFailure(reason: "there is no such host", mayHaveArrived: false)
            }
            return HTTPResponse(status: answer.status, headers: [:], body: Array(answer.body.utf8))
        }
    }

    func credentials(_ variables: [String: String]) -> S3RenewingCredentials {
        S3RenewingCredentials(variables: variables, exchange: exchange)
    }

    /// The message of the error that the variables lead to.
    func refusal(_ variables: [String: String]) async throws -> String {
        let error = await #expect(throws: StrongroomError.self) { try await self.credentials(variables).credentials() }
        return try #require(error).message
    }
}

/// Credentials as the endpoints of containers and instances give them.
let document = """
    {"Code":"Success","AccessKeyId":"AKIA","SecretAccessKey":"TOP-SECRET","Token":"TOKEN",
    "Expiration":"2100-01-31T12:00:00Z"}
    """
