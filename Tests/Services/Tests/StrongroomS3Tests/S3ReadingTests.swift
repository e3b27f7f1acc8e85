import Strongroom
import StrongroomReplication
import Testing

@testable import StrongroomS3

@Suite(.timeLimit(.minutes(2))) struct S3ReadingTests {
    @Test func `an object or a range of it is read; past its end is nothing, and without one nil`() async throws {
        let server = try LocalHTTPServer { _, request in
            switch request.headers["range"] {
            case nil: request.target == "/bucket/none" ? .error(404, "NoSuchKey") : .answer(200, [:], "abcd")
            case "bytes=1-2": .answer(206, ["Content-Range": "bytes 1-2/4"], "bc")
            default: .error(416, "InvalidRange")
            }
        }
        let store = try server.store()
        #expect(try await store.read("a+b&c/ü", nil) == Array("abcd".utf8))
        #expect(server.requests.map(\.target) == ["/bucket/a%2Bb%26c/%C3%BC"])
        #expect(try await store.read("a", 1..<3) == Array("bc".utf8))
        #expect(try await store.read("a", 10..<20) == [])
        #expect(try await store.read("none", nil) == nil)
    }

    @Test func `a service that ignores ranges is cut`() async throws {
        let server = try LocalHTTPServer { _, _ in .answer(200, [:], "abcd") }
        #expect(try await server.store().read("a", 1..<3) == Array("bc".utf8))
        #expect(try await server.store().read("a", 3..<9) == Array("d".utf8))
        #expect(try await server.store().read("a", 9..<12) == [])
    }

    @Test func `an empty range tells whether the object exists`() async throws {
        let server = try LocalHTTPServer { number, request in
            guard request.headers["range"] == "bytes=5-5" else { return .answer(400) }
            return number == 1 ? .answer(206, ["Content-Range": "bytes 5-5/9"], "f") : .error(404, "NoSuchKey")
        }
        let store = try server.store()
        #expect(try await store.read("a", 5..<5) == [])
        #expect(try await store.read("a", 5..<5) == nil)
    }

    @Test(arguments: ["bytes 0-1/4", "bytes 1-2/9", "bytes 1-4/9", "bytes 1-2/*", "bytes 1-", "items 1-2/3"])
    func `bytes of another range, or fewer than the object has of it, are refused`(header: String) async throws {
        let server = try LocalHTTPServer { _, _ in .answer(206, ["Content-Range": header], "ab") }
        #expect(await code { _ = try await server.store().read("a", 1..<5) } == .objectStore)
    }

    @Test func `a range that ends past the object is cut`() async throws {
        let server = try LocalHTTPServer { _, _ in .answer(206, ["Content-Range": "bytes 1-2/3"], "bc") }
        #expect(try await server.store().read("a", 1..<5) == Array("bc".utf8))
    }

    @Test func `half an answer is read again`() async throws {
        let server = try LocalHTTPServer { number, _ in
            number == 1 ? .raw("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc") : .answer(200, [:], "abcdef")
        }
        #expect(try await server.store().read("a", nil) == Array("abcdef".utf8))
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [LocalHTTPServer.Reply.answer(500), .answer(502), .answer(429), .drop, .raw("nonsense\r\n\r\n")])
    func `a read that fails for a while is repeated`(reply: LocalHTTPServer.Reply) async throws {
        let server = try LocalHTTPServer { number, _ in number < 3 ? reply : .answer(200, [:], "abc") }
        #expect(try await server.store().read("a", nil) == Array("abc".utf8))
    }

    @Test func `no answer in time is unreachable`() async throws {
        let server = try LocalHTTPServer { _, _ in .silence }
        let failure = await error {
            _ = try await server.store(attempts: 2, timeout: .milliseconds(300)).read("a", nil)
        }
        #expect(failure?.code == .objectStoreUnreachable)
        #expect(failure?.message.contains("after 2 attempts") == true)
    }

    @Test func `an answer that stops in the middle is unreachable`() async throws {
        let server = try LocalHTTPServer { _, _ in .answer(200, ["Content-Length": "100"], "abc") }
        let store = try server.store(attempts: 2, timeout: .milliseconds(300))
        #expect(await code { _ = try await store.read("a", nil) } == .objectStoreUnreachable)
    }

    @Test(arguments: ["Date: now\r\n\r\n", "Date: now\r\n\r\nabc", "Transfer-Encoding: gzip\r\n\r\nabc"])
    func `an answer that does not tell its length is no object`(answer: String) async throws {
        let server = try LocalHTTPServer { _, _ in .raw("HTTP/1.1 200 OK\r\n\(answer)") }
        #expect(await code { _ = try await server.store().read("a", nil) } == .objectStoreUnreachable)
        #expect(server.requests.count == 4)
    }

    @Test func `an answer in chunks is read, and one whose last chunk is missing is read again`() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
        let server = try LocalHTTPServer { number, _ in .raw(number == 1 ? head : head + "0\r\n\r\n") }
        #expect(try await server.store().read("a", nil) == Array("abc".utf8))
        #expect(server.requests.count == 2)
    }

    @Test func `objects are removed one by one, in order`() async throws {
        let server = try LocalHTTPServer { number, _ in
            switch number {
            case 2: .error(500, "InternalError")
            case 4: .error(404, "NoSuchKey")
            default: .answer(204)
            }
        }
        try await server.store().remove(["1", "2", "3"])
        #expect(server.requests.map(\.target) == ["1", "2", "2", "3"].map { "/bucket/\($0)" })
        #expect(server.requests.allSatisfy { $0.method == "DELETE" })
    }

    @Test func `a removal that fails keeps the rest`() async throws {
        let server = try LocalHTTPServer { number, _ in number == 2 ? .error(403, "AccessDenied") : .answer(204) }
        #expect(await code { try await server.store().remove(["1", "2", "3"]) } == .objectStore)
        #expect(server.requests.map(\.target) == ["/bucket/1", "/bucket/2"])
    }

    @Test(arguments: ["", "/a", "a/", "a//b", ".", "a/../b", "a/./b", "a\u{0}", String(repeating: "a", count: 1025)])
    func `a name that cannot be used is refused before anything is sent`(name: String) async throws {
        let server = try LocalHTTPServer { _, _ in .answer(200) }
        let store = try server.store()
        #expect(await code { _ = try await store.read(name, nil) } == .invalidName)
        #expect(await code { _ = try await store.create(name, []) } == .invalidName)
        #expect(await code { try await store.remove(["x", name]) } == .invalidName)
        #expect(server.requests.isEmpty)
    }
}
