import Foundation
import Strongroom
import StrongroomReplication
import Testing

@testable import StrongroomS3

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
        let stored = Shared<LocalHTTPServer.Request?>(nil)
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

    @Test(arguments: [("abc", true, true), ("abd", true, false), ("abc", false, false)])
    func `without metadata the content decides, and without a lost answer it is another's`(
        content: String, isLost: Bool, isOwn: Bool
    ) async throws {
        let server = try LocalHTTPServer { number, request in
            if request.method == "GET" { return .answer(200, [:], content) }
            return isLost && number == 1 ? .answer(500) : .error(412, "PreconditionFailed")
        }
        #expect(try await server.store().create("a", Array("abc".utf8)) == isOwn)
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
        let store = try server.store(attempts: 2, timeout: .seconds(3))
        #expect(await code { _ = try await store.create("a", content) } == .outcomeUnknown)
    }

    @Test(arguments: [520, 524, 599])
    func `a proxy's own failure may come after the service had the request`(status: Int) async throws {
        let server = try LocalHTTPServer { _, _ in .answer(status) }
        #expect(await code { _ = try await server.store().create("a", [1]) } == .outcomeUnknown)
        #expect(server.requests.count == 4)
    }

    @Test func `a provider's error of another type leaves the outcome of an earlier request unknown`() async throws {
        struct Provider: S3CredentialProvider {
            let count = Shared(0)

            func credentials() async throws -> S3Credentials {
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                guard isFirst else { throw POSIXError(.EIO) }
                return .test
            }
        }
        let server = try LocalHTTPServer { _, _ in .drop }
        let failure = await error { _ = try await server.store(credentials: Provider()).create("a", [1]) }
        #expect(failure?.code == .outcomeUnknown)
        #expect(failure?.message.contains("POSIXError") == true)
    }

    @Test func `a service that refuses connections has created nothing`() async throws {
        let port = try LocalHTTPServer { _, _ in .drop }.port
        let store = try S3ObjectStore(
            bucket: "bucket", endpoint: "http://127.0.0.1:\(port)", credentials: S3Credentials.test,
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
        let stored = Shared<[String: LocalHTTPServer.Request]>([:])
        let drops = Shared(0)
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
        let stored = Shared<LocalHTTPServer.Request?>(nil)
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

@Suite(.timeLimit(.minutes(2))) struct S3ListingTests {
    private static func list(_ keys: [String], folders: [String] = [], next: String? = nil) -> LocalHTTPServer.Reply {
        let objects = keys.map { "<Contents><Key>\($0)</Key><Size>1</Size></Contents>" }.joined()
        let prefixes = folders.map { "<CommonPrefixes><Prefix>\($0)</Prefix></CommonPrefixes>" }.joined()
        let token = next.map { "<NextContinuationToken>\($0)</NextContinuationToken>" } ?? ""
        return .answer(
            200, [:],
            """
            <ListBucketResult><IsTruncated>\(next != nil)</IsTruncated>\(objects)\(prefixes)\(token)</ListBucketResult>
            """
        )
    }

    @Test func `pages are followed until there are enough entries`() async throws {
        let server = try LocalHTTPServer { number, _ in
            switch number {
            case 1: Self.list(["f/", "f/a"], next: "t+/=")
            case 2: Self.list([], folders: ["f/b/"], next: "u")
            default: Self.list(["f/c", "f/d"], next: "v")
            }
        }
        let entries = try await server.store().list("f", after: "0", count: 3)
        #expect(entries.map(\.name) == ["a", "c", "d"])
        let query = "delimiter=%2F&encoding-type=url"
        #expect(
            server.requests.map(\.target) == [
                "/bucket?\(query)&list-type=2&max-keys=3&prefix=f%2F&start-after=f%2F0",
                "/bucket?continuation-token=t%2B%2F%3D&\(query)&list-type=2&max-keys=2&prefix=f%2F",
                "/bucket?continuation-token=u&\(query)&list-type=2&max-keys=2&prefix=f%2F",
            ])
    }

    @Test func `the objects of all folders are listed by one request`() async throws {
        let server = try LocalHTTPServer { _, _ in Self.list(["p/a/1", "p/b/base/x/0", "p/b/2"].sorted()) }
        let entries = try await server.store(prefix: "p").listAll(after: "a", count: 1_000)
        #expect(entries?.map(\.name) == ["a/1", "b/2", "b/base/x/0"])
        #expect(
            server.requests.map(\.target) == [
                "/bucket?encoding-type=url&list-type=2&max-keys=1000&prefix=p%2F&start-after=p%2Fa"
            ])
    }

    @Test func `folders are listed over all pages`() async throws {
        let server = try LocalHTTPServer { number, _ in
            number == 1 ? Self.list(["p/x"], folders: ["p/a/"], next: "t") : Self.list([], folders: ["p/b/"])
        }
        #expect(try await server.store(prefix: "p").folders(in: "") == ["a", "b"])
    }

    @Test(arguments: [
        ["f/b", "f/a"], ["f/a", "f/a"], ["g/a"], ["f/0"],
    ])
    func `a list of other names or in another order is refused`(keys: [String]) async throws {
        let server = try LocalHTTPServer { _, _ in Self.list(keys) }
        #expect(await code { _ = try await server.store().list("f", after: "0", count: 9) } == .objectStore)
    }

    @Test(arguments: [
        LocalHTTPServer.Reply.answer(200, [:], "<html></html>"), .answer(200, [:], "<ListBucketResult>"),
        .answer(204),
    ])
    func `an answer that is no list is refused`(reply: LocalHTTPServer.Reply) async throws {
        let server = try LocalHTTPServer { _, _ in reply }
        #expect(await code { _ = try await server.store().list("f", after: nil, count: 9) } == .objectStore)
    }

    @Test func `pages that lead nowhere, and a token that returns, are no endless list`() async throws {
        let returning = try LocalHTTPServer { _, _ in Self.list([], next: "t") }
        #expect(await code { _ = try await returning.store().folders(in: "") } == .objectStore)
        let server = try LocalHTTPServer { number, _ in Self.list([], next: "t\(number)") }
        #expect(await code { _ = try await server.store().list("f", after: nil, count: 9) } == .objectStore)
        #expect(await code { _ = try await server.store().folders(in: "") } == .objectStore)
        let circling = try LocalHTTPServer { number, _ in Self.list([], folders: ["f/a/"], next: "t\(number)") }
        #expect(await code { _ = try await circling.store().list("f", after: nil, count: 9) } == .objectStore)
        #expect(await code { _ = try await circling.store().folders(in: "f") } == .objectStore)
        #expect(circling.requests.count == 4)
    }

    @Test(arguments: ["-1", "9223372036854775808", "x"])
    func `a size that is none is refused`(size: String) async throws {
        let server = try LocalHTTPServer { _, _ in
            .answer(
                200, [:],
                """
                <ListBucketResult><IsTruncated>false</IsTruncated>
                <Contents><Key>f/a</Key><Size>\(size)</Size></Contents></ListBucketResult>
                """)
        }
        #expect(await code { _ = try await server.store().list("f", after: nil, count: 9) } == .objectStore)
    }
}

@Suite(.timeLimit(.minutes(2))) struct S3RefusalTests {
    private static let region = "<Region>eu-west-1</Region>"

    @Test(
        arguments: [
            (.error(404, "NoSuchBucket"), "\"bucket\""), (.error(403, "AccessDenied"), "Check that the credentials"),
            (.error(403, "SignatureDoesNotMatch"), "secret key"), (.error(403, "InvalidAccessKeyId"), "access key"),
            (.error(400, "ExpiredToken"), "session token"),
            (.answer(401, ["WWW-Authenticate": "Basic"]), "credentials"),
            (.error(301, "PermanentRedirect", ["x-amz-bucket-region": "eu-west-1"]), "\"eu-west-1\""),
            (
                .error(
                    301, "PermanentRedirect",
                    ["Location": "http://other.example/x", "x-amz-bucket-region": "eu-west-1"]), "\"other.example\""
            ),
            (.error(307, "TemporaryRedirect", ["Location": "http://other.example/x"]), "\"other.example\""),
            (.error(400, "AuthorizationHeaderMalformed", [:], region), "\"eu-west-1\""),
            (.answer(404, [:], "<html></html>"), "endpoint"), (.error(501, "NotImplemented"), "conditional writes"),
            (.answer(418, [:], "<Error><Code>do not print; this</Code></Error>"), "(418)"),
        ] as [(LocalHTTPServer.Reply, String)])
    func `a refusal names what to do`(reply: LocalHTTPServer.Reply, words: String) async throws {
        let server = try LocalHTTPServer { _, _ in reply }
        for request in [
            { _ = try await $0.read("a", nil) }, { _ = try await $0.create("a", [1]) }, { try await $0.remove(["a"]) },
            { _ = try await $0.list("a", after: nil, count: 1) }, { _ = try await $0.folders(in: "") },
        ] as [(S3ObjectStore) async throws -> Void] {
            let failure = await error { try await request(server.store()) }
            #expect(failure?.code == .objectStore)
            #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
            #expect(failure?.message.contains("do not print") == false)
            #expect(failure?.message.contains("do-not-print") == false)
        }
        #expect(server.requests.count == 5)
    }

    @Test func `a clock that is wrong is named with its difference`() async throws {
        let server = try LocalHTTPServer { _, _ in
            .error(403, "RequestTimeTooSkewed", ["Date": "Fri, 24 May 2013 00:00:00 GMT"])
        }
        let store = try server.store { 1_369_353_600 - 3600 }
        let failure = await error { _ = try await store.read("a", nil) }
        #expect(failure?.message.contains("3600 seconds behind") == true)
        #expect(server.requests.first?.headers["x-amz-date"] == "20130523T230000Z")
    }

    @Test(arguments: [LocalHTTPServer.Reply.error(403, "QuotaExceeded"), .answer(507)])
    func `a full service is a full disk`(reply: LocalHTTPServer.Reply) async throws {
        let server = try LocalHTTPServer { _, _ in reply }
        #expect(await code { _ = try await server.store().create("a", [1]) } == .diskFull)
    }
}
