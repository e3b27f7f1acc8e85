import Strongroom
import StrongroomReplication
import Testing

@Suite(.timeLimit(.minutes(2))) struct S3TransportTests {
    @Test func `a cancelled task's request ends with the cancellation`() async throws {
        let server = try LocalHTTPServer { _, _ in .silence }
        let store = try server.store()
        let task = Task { try await store.create("a", [1]) }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test func `a task that is cancelled before sends nothing`() async throws {
        let server = try LocalHTTPServer { _, _ in .answer(200) }
        let store = try server.store()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await store.create("a", [1])
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(server.requests.isEmpty)
    }

    @Test func `a cancelled task does not wait for a connection`() async throws {
        let server = try LocalHTTPServer { _, _ in .silence }
        let store = try server.store(connections: 1)
        let first = Task { try await store.read("a", nil) }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        let second = Task { try await store.read("b", nil) }
        second.cancel()
        await #expect(throws: CancellationError.self) { _ = try await second.value }
        first.cancel()
        await #expect(throws: CancellationError.self) { _ = try await first.value }
        #expect(server.requests.count == 1)
    }

    @Test func `waiting for a connection is not part of a request's time`() async throws {
        let server = try LocalHTTPServer { _, _ in .answer(200, [:], "abc") }
        let store = try server.store(connections: 2)
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    let content = try await store.read("\(number)", nil)
                    #expect(content == Array("abc".utf8))
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 100)
        #expect(server.connections <= 2)
    }

    @Test func `connections survive cancelled requests`() async throws {
        let server = try LocalHTTPServer { _, request in
            request.target.hasSuffix("silent") ? .silence : .answer(200, [:], "abc")
        }
        let store = try server.store(connections: 3)
        for round in 0..<30 {
            let task = Task { try await store.read("silent", nil) }
            for _ in 0..<(round % 7) { await Task.yield() }
            if round % 3 == 0 { try await Task.sleep(for: .milliseconds(2)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            #expect(try await store.read("a", nil) == Array("abc".utf8))
        }
    }

    @Test func `a connection that was answered before the body was sent is not reused`() async throws {
        let server = try LocalHTTPServer(
            early: { $0.method == "PUT" ? .error(403, "AccessDenied") : nil },
            { _, _ in .answer(200, [:], "abc") })
        let store = try server.store(timeout: .seconds(5), connections: 1)
        for _ in 0..<3 {
            #expect(await code { _ = try await store.create("a", [UInt8](repeating: 0, count: 8 << 20)) } != nil)
            #expect(try await store.read("a", nil) == Array("abc".utf8))
        }
    }

    @Test func `a connection is reused`() async throws {
        let server = try LocalHTTPServer { _, _ in .answer(200, [:], "abc") }
        let store = try server.store()
        for _ in 0..<5 { _ = try await store.read("a", nil) }
        #expect(server.connections == 1)
    }

    @Test func `no cookie, cache or credential is kept`() async throws {
        let server = try LocalHTTPServer { number, _ in
            .answer(200, ["Set-Cookie": "a=b", "Cache-Control": "max-age=1000", "ETag": "\"x\""], "\(number)")
        }
        let store = try server.store()
        #expect(try await store.read("a", nil) == Array("1".utf8))
        #expect(try await store.read("a", nil) == Array("2".utf8))
        #expect(server.requests.allSatisfy { $0.headers["cookie"] == nil && $0.headers["if-none-match"] == nil })
    }
}
