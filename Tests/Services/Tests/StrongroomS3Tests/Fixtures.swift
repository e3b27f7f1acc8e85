import Strongroom
import Testing

@testable import StrongroomS3

/// The pauses between attempts that a store has asked for; none is waited for.
final class RecordedPauses: Sendable {
    private let recorded = Shared<[Duration]>([])
    var all: [Duration] { recorded.withLock { $0 } }

    func retries(attempts: Int = 4) -> S3Retries {
        var retries = S3Retries()
        retries.attempts = attempts
        retries.sleep = { [recorded] pause in
            try Task.checkCancellation()
            recorded.withLock { $0.append(pause) }
        }
        return retries
    }
}

extension LocalHTTPServer {
    /// A store of the bucket `bucket` on this server.
    func store(
        pauses: RecordedPauses = RecordedPauses(), attempts: Int = 4, timeout: Duration = .seconds(20),
        connectTimeout: Duration = .seconds(20),
        connections: Int = 4, prefix: String = "", credentials: any S3CredentialProvider = S3Credentials.test,
        now: (@Sendable () -> Int)? = nil
    ) throws -> S3ObjectStore {
        var connection = S3Connection()
        connection.requestTimeout = timeout
        connection.connectTimeout = connectTimeout
        connection.limit = connections
        return try S3ObjectStore(
            bucket: "bucket", endpoint: endpoint, credentials: credentials, prefix: prefix, connection: connection,
            retries: pauses.retries(attempts: attempts), now: now)
    }
}

extension LocalHTTPServer.Reply {
    /// An error as S3 services write it.
    static func error(_ status: Int, _ code: String, _ headers: [String: String] = [:], _ more: String = "") -> Self {
        .answer(
            status, headers,
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <Error><Code>\(code)</Code><Message>A message.</Message>\(more)</Error>
            """
        )
    }
}

extension S3Credentials {
    static let test = S3Credentials(accessKey: "access", secretKey: "do-not-print")
}

/// The code of the error that a closure throws.
func code(_ body: () async throws -> Void) async -> StrongroomError.Code? {
    await error(body)?.code
}

/// The error that a closure throws.
func error(_ body: () async throws -> Void) async -> StrongroomError? {
    do {
        try await body()
        Issue.record("no error was thrown")
    } catch let error as StrongroomError {
        return error
    } catch {
        Issue.record("an error of another type was thrown: \(error)")
    }
    return nil
}
