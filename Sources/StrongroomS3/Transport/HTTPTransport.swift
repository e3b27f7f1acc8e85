#if S3
internal import AsyncHTTPClient
internal import NIO
internal import NIOHTTP1
internal import Strongroom

/// Sends requests over a limited number of connections, which are kept for further requests.
///
/// It needs no shutdown; the threads are those that all users of SwiftNIO in a process share.
final class HTTPTransport: Sendable {
    /// The slowest transfer that is waited for, in bytes a second.
    private static let slowestRate = 32 * 1024

    private let client: HTTPClient
    private let slots: ConnectionSlots
    private let timeout: Duration
    private let connectTimeout: Duration

    /// - Parameter url: An address of the server, which decides whether a proxy of the environment is used.
    /// - Throws: `StrongroomError` as ``S3Connection`` says.
    init(to url: String, _ connection: S3Connection = S3Connection()) throws {
        client = HTTPClient(
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: try connection.configuration(url))
        slots = ConnectionSlots(connection.limit)
        timeout = connection.requestTimeout
        connectTimeout = connection.connectTimeout
    }

    deinit {
        // A client must be shut down before it is released; this one retains itself until that is done.
        client.shutdown { _ in }
    }

    /// Sends a request and waits for its complete answer.
    ///
    /// - Throws: ``HTTPFailure``, `CancellationError`.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await slots.acquire()
        defer { slots.release() }
        let body = HTTPBody(request.body)
        do {
            guard request.body.count > HTTPBody.portion else { return try await exchange(request, body) }
            return try await withThrowingTaskGroup(of: HTTPResponse?.self) { [timeout] group in
                group.addTask { try await self.exchange(request, body) }
                group.addTask { try await body.watch(timeout) }
                defer { group.cancelAll() }
                while let response = try await group.next() {
                    if let response { return response }
                }
                throw CancellationError()
            }
        } catch {
            // The client has such an error for other reasons, too.
            try Task.checkCancellation()
            throw error as? HTTPFailure ?? HTTPFailure(error, isSent: body.isTaken)
        }
    }

    private func exchange(_ request: HTTPRequest, _ body: HTTPBody) async throws -> HTTPResponse {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        outgoing.headers = HTTPHeaders(request.headers.map { ($0.name, $0.value) })
        if !request.body.isEmpty { outgoing.body = .stream(body, length: .known(Int64(request.body.count))) }
        let most = timeout + Self.longestTime(of: request.body.count)
        let answer = try await client.execute(outgoing, deadline: .now() + TimeAmount(connectTimeout + most))
        // A service cannot have carried out what it has not received.
        guard body.isTaken || answer.status.code >= 300 else { throw HTTPFailure.tooEarly }

        let limit = answer.status == .partialContent ? request.longestPart : request.longestAnswer
        let announced = answer.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        guard announced <= limit else { throw HTTPFailure.tooLong(limit) }
        var content: [UInt8] = []
        content.reserveCapacity(announced)
        let start = NIODeadline.now()
        for try await portion in answer.body {
            guard portion.readableBytes <= limit - content.count else { throw HTTPFailure.tooLong(limit) }
            content.append(contentsOf: portion.readableBytesView)
            let most = timeout + Self.longestTime(of: max(announced, content.count))
            guard NIODeadline.now() < start + TimeAmount(most) else { throw HTTPClientError.deadlineExceeded }
        }
        let fields = answer.headers.map { ($0.name.lowercased(), $0.value) }
        return HTTPResponse(
            status: Int(answer.status.code), headers: Dictionary(fields) { $1 }, body: content)
    }

    /// How long so many bytes may take.
    private static func longestTime(of count: Int) -> Duration { .seconds(count / slowestRate) }
}

/// The body of a request, of which the client takes a portion when the connection has sent the one before.
private struct HTTPBody: AsyncSequence, Sendable {
    static let portion = 256 << 10

    private let bytes: [UInt8]
    private let taken = Locked(0)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether the service may have received all of it.
    var isTaken: Bool { taken.withLock { $0 == bytes.count } }

    /// Waits until all of it is taken. The client itself has no limit for a connection that takes no more.
    ///
    /// - Throws: `HTTPClientError.writeTimeout` if nothing is taken for so long.
    func watch(_ timeout: Duration) async throws -> HTTPResponse? {
        while !isTaken {
            let before = taken.withLock { $0 }
            try await Task.sleep(for: timeout)
            guard isTaken || taken.withLock({ $0 }) > before else { throw HTTPClientError.writeTimeout }
        }
        return nil
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let body: HTTPBody

        mutating func next() async -> ByteBuffer? {
            let range = body.taken.withLock { taken in
                let start = taken
                taken = Swift.min(taken + HTTPBody.portion, body.bytes.count)
                return start..<taken
            }
            return range.isEmpty ? nil : ByteBuffer(bytes: body.bytes[range])
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }
}
#endif
