import Strongroom
import StrongroomReplication
import Testing

@testable import StrongroomS3

/// A service that closes or resets a connection in its answer, after each number of bytes.
@Suite(.timeLimit(.minutes(2))) struct CutAnswersTests {
    private typealias Work = @Sendable (S3ObjectStore) async throws -> Bool

    private static let entry = "<Contents><Key>f/a</Key><Size>3</Size></Contents>"
    private static let list =
        "<ListBucketResult><IsTruncated>false</IsTruncated>\(entry)</ListBucketResult>"

    private static func whole(_ status: String, _ body: String = "", _ header: String = "") -> String {
        "HTTP/1.1 \(status)\r\nDate: now\r\n\(header)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Does work whose first answer is cut at each byte; each time it must succeed.
    ///
    /// - Parameter second: The answers to the requests after that.
    private func cut(
        _ answer: String, then second: @escaping @Sendable (LocalHTTPServer.Request) -> String, _ work: Work
    ) async throws {
        let next = Shared<LocalHTTPServer.Reply?>(nil)
        let server = try LocalHTTPServer { _, request in
            next.withLock { reply in
                defer { reply = nil }
                return reply ?? .raw(second(request))
            }
        }
        let store = try server.store()
        for count in 0..<answer.utf8.count {
            for reset in [false, true] {
                let part = String(decoding: answer.utf8.prefix(count), as: UTF8.self)
                next.withLock { $0 = .raw(part, reset: reset) }
                let before = server.requests.count
                #expect(try await work(store), "after \(count) bytes")
                #expect(server.requests.count > before + 1, "after \(count) bytes")
            }
        }
    }

    @Test func `a read whose answer is cut anywhere is repeated`() async throws {
        let answer = Self.whole("206 Partial Content", "abc", "Content-Range: bytes 0-2/3\r\n")
        try await cut(answer, then: { _ in answer }) { try await $0.read("a", 0..<3) == Array("abc".utf8) }
    }

    @Test func `a list whose answer is cut anywhere is repeated`() async throws {
        let answer = Self.whole("200 OK", Self.list)
        try await cut(answer, then: { _ in answer }) { try await $0.list("f", after: nil, count: 9).count == 1 }
    }

    @Test func `a list in chunks whose answer is cut anywhere is repeated`() async throws {
        let size = String(Self.list.utf8.count, radix: 16)
        let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n\(Self.list)\r\n0\r\n\r\n"
        try await cut(answer, then: { _ in answer }) { try await $0.list("f", after: nil, count: 9).count == 1 }
    }

    @Test func `a removal whose answer is cut anywhere is repeated`() async throws {
        let answer = "HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n"
        try await cut(answer, then: { _ in answer }) {
            try await $0.remove(["a"])
            return true
        }
    }

    @Test func `an object whose creation has an answer that is cut anywhere is the call's own`() async throws {
        let marker = "x-amz-meta-strongroom-creation"
        let number = Shared("")
        try await cut(
            Self.whole("200 OK", "", "ETag: \"x\"\r\n"),
            then: { request in
                guard request.method == "PUT" else {
                    return Self.whole("200 OK", "abc", "\(marker): \(number.withLock { $0 })\r\n")
                }
                number.withLock { $0 = request.headers[marker] ?? "" }
                return Self.whole("412 Precondition Failed")
            }
        ) { try await $0.create("a", Array("abc".utf8)) }
    }
}
