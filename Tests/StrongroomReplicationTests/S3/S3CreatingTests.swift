import Foundation
import Strongroom
import StrongroomReplication
import Testing

@Suite(.timeLimit(.minutes(2))) struct S3CreatingTests {
    private typealias Reply = LocalHTTPServer.Reply
    private let marker = "x-amz-meta-strongroom-creation"

    @Test func `an object is created by one conditional request`() async throws {
        let server = try LocalHTTPServer { _, _ in .answer(200) }
        #expect(try await server.store(prefix: "p").create("a/b c", [1, 2, 3]))
        let request = try #require(server.requests.first)
        #expect(server.requests.count == 1)
        #expect(request.method == "PUT")
        #expect(request.target == "/bucket/p/a/b%20c")
        #expect(request.headers["if-none-match"] == "*")
        #expect(request.headers["content-length"] == "3")
        #expect(request.body == [1, 2, 3])
    }

    @Test func `a large object is sent without waiting for a permission`() async throws {
        let server = try LocalHTTPServer { _, _ in .answer(200) }
        let content = [UInt8](repeating: 7, count: 3 << 20)
        #expect(try await server.store().create("a", content))
        let request = try #require(server.requests.first)
        #expect(request.headers["expect"] == nil)
        #expect(request.headers["transfer-encoding"] == nil)
        #expect(request.body == content)
    }

    @Test func `an empty object is created`() async throws {
        let server = try LocalHTTPServer { _, _ in .answer(200) }
        #expect(try await server.store().create("a", []))
        #expect(server.requests.first?.headers["content-length"] == "0")
    }

    @Test(arguments: [412, 409])
    func `a name that is taken by another is reported`(status: Int) async throws {
        let marker = marker
        let server = try LocalHTTPServer { _, request in
            request.method == "PUT" ? .error(status, "Taken") : .answer(200, [marker: "another"], "abc")
        }
        // The content is the same, but another call created it.
        #expect(try await !server.store().create("a", Array("abc".utf8)))
        #expect(server.requests.map(\.method) == ["PUT", "GET"])
    }

    @Test(arguments: [Reply.answer(500), .answer(503), .drop, .raw("HTTP/1.1 20")])
    fileprivate func `an object whose creation lost its answer is found to be the call's own`(
        lost: LocalHTTPServer.Reply
    )
        async throws
    {
        let marker = marker
        let stored = Locked<LocalHTTPServer.Request?>(nil)
        let server = try LocalHTTPServer { _, request in
            let own = stored.withLock { stored in
                defer { stored = stored ?? request }
                return stored
            }
            guard let own else { return lost }
            if request.method == "PUT" { return .error(412, "PreconditionFailed") }
            return .answer(200, [marker: own.headers[marker] ?? ""], String(decoding: own.body, as: UTF8.self))
        }
        #expect(try await server.store().create("a", Array("abc".utf8)))
        #expect(server.requests.map(\.method) == ["PUT", "PUT", "GET"])
        #expect(server.requests[0].headers[marker] == server.requests[1].headers[marker])
    }

    @Test(arguments: [("abc", true), ("abd", false)])
    func `a service without metadata decides by the content`(content: String, isOwn: Bool) async throws {
        let server = try LocalHTTPServer { number, request in
            if request.method == "GET" { return .answer(200, [:], content) }
            return number == 1 ? .answer(500) : .error(412, "PreconditionFailed")
        }
        #expect(try await server.store().create("a", Array("abc".utf8)) == isOwn)
    }

    @Test func `without a lost answer the same content is another's`() async throws {
        let server = try LocalHTTPServer { _, request in
            request.method == "GET" ? .answer(200, [:], "abc") : .error(412, "PreconditionFailed")
        }
        #expect(try await !server.store().create("a", Array("abc".utf8)))
    }

    @Test func `a conflict with a request that left no object is tried again`() async throws {
        let server = try LocalHTTPServer { number, request in
            if request.method == "GET" { return .error(404, "NoSuchKey") }
            return number == 1 ? .error(409, "ConditionalRequestConflict") : .answer(200)
        }
        #expect(try await server.store().create("a", [1]))
        #expect(server.requests.map(\.method) == ["PUT", "GET", "PUT"])
    }

    @Test func `the pause that the service asks for is kept`() async throws {
        let pauses = RecordedPauses()
        let server = try LocalHTTPServer { number, _ in
            number == 1 ? .error(503, "SlowDown", ["Retry-After": "7"]) : .answer(200)
        }
        #expect(try await server.store(pauses: pauses).create("a", [1]))
        #expect(pauses.all == [.seconds(7)])
    }

    @Test func `pauses grow until the attempts end, and the outcome is unknown`() async throws {
        let pauses = RecordedPauses()
        let server = try LocalHTTPServer { _, _ in .error(500, "InternalError") }
        let failure = await error { _ = try await server.store(pauses: pauses).create("a", [1]) }
        #expect(failure?.code == .outcomeUnknown)
        #expect(failure?.message.contains("500 InternalError") == true)
        #expect(server.requests.count == 4)
        try #require(pauses.all.count == 3)
        #expect(pauses.all[2] > pauses.all[0])
    }

    @Test(arguments: [[1], []] as [[UInt8]])
    func `no answer in time is an unknown outcome`(content: [UInt8]) async throws {
        let server = try LocalHTTPServer { _, _ in .silence }
        let store = try server.store(attempts: 2, timeout: .milliseconds(300))
        #expect(await code { _ = try await store.create("a", content) } == .outcomeUnknown)
        #expect(server.requests.count == 2)
    }

    @Test func `a service that refuses connections has created nothing`() async throws {
        let port = try LocalHTTPServer { _, _ in .drop }.port
        let store = try S3ObjectStore(
            bucket: "bucket", endpoint: "http://127.0.0.1:\(port)", credentials: .test,
            retries: RecordedPauses().retries())
        let failure = await error { _ = try await store.create("a", [1]) }
        #expect(failure?.code == .objectStoreUnreachable)
        #expect(failure?.message.contains("refuses connections") == true)
    }

    @Test func `a refusal after a lost answer leaves the outcome unknown`() async throws {
        let server = try LocalHTTPServer { number, _ in number == 1 ? .drop : .error(403, "ExpiredToken") }
        let failure = await error { _ = try await server.store().create("a", [1]) }
        #expect(failure?.code == .outcomeUnknown)
        #expect(failure?.message.contains("session token has expired") == true)
    }

    @Test func `a refusal of the reading back leaves the outcome unknown`() async throws {
        let server = try LocalHTTPServer { _, request in
            request.method == "PUT" ? .error(412, "PreconditionFailed") : .error(403, "AccessDenied")
        }
        #expect(await code { _ = try await server.store().create("a", [1]) } == .outcomeUnknown)
    }

    @Test func `a reused connection that the service closes is no lost object`() async throws {
        let marker = marker
        let stored = Locked<[String: LocalHTTPServer.Request]>([:])
        let drops = Locked(0)
        let server = try LocalHTTPServer { _, request in
            let (other, isFirst) = stored.withLock { stored in
                defer {
                    if request.method == "PUT" && stored[request.target] == nil { stored[request.target] = request }
                }
                return (stored[request.target], stored[request.target] == nil)
            }
            if request.method == "GET" {
                return .answer(200, [marker: other?.headers[marker] ?? ""], "abc")
            }
            guard isFirst else { return .error(412, "PreconditionFailed") }
            // The second request of a connection is carried out, but not answered.
            guard request.target.hasSuffix("2") else { return .answer(200) }
            drops.withLock { $0 += 1 }
            return .drop
        }
        let store = try server.store(timeout: .seconds(600), connections: 1)
        #expect(try await store.create("1", Array("abc".utf8)))
        #expect(try await store.create("2", Array("abc".utf8)))
        #expect(drops.withLock { $0 } == 1)
    }

    @Test func `the probe accepts a service that keeps the first object`() async throws {
        let stored = Locked<LocalHTTPServer.Request?>(nil)
        let server = try LocalHTTPServer { _, request in
            stored.withLock { stored in
                switch (request.method, stored) {
                case ("PUT", nil):
                    stored = request
                    return .answer(200)
                case ("PUT", _): return .error(412, "PreconditionFailed")
                case ("GET", let own?):
                    return .answer(
                        200, ["x-amz-meta-strongroom-creation": "first"], String(decoding: own.body, as: UTF8.self))
                default:
                    stored = nil
                    return .answer(204)
                }
            }
        }
        try await server.store().probe()
        #expect(server.requests.last?.method == "DELETE")
    }

    @Test func `the probe refuses a service that replaces objects, and removes its own`() async throws {
        let server = try LocalHTTPServer { _, request in request.method == "GET" ? .answer(200, [:], "x") : .answer(200)
        }
        let failure = await error { try await server.store().probe() }
        #expect(failure?.code == .objectStore)
        #expect(failure?.message.contains("If-None-Match") == true)
        #expect(server.requests.last?.method == "DELETE")
    }
}
