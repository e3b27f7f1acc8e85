import Strongroom
import StrongroomReplication
import Testing

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

    @Test func `a token that returns is no endless list`() async throws {
        let server = try LocalHTTPServer { _, _ in Self.list([], next: "t") }
        #expect(await code { _ = try await server.store().folders(in: "") } == .objectStore)
    }

    @Test func `pages that lead nowhere are no endless list`() async throws {
        let server = try LocalHTTPServer { number, _ in Self.list([], next: "t\(number)") }
        #expect(await code { _ = try await server.store().list("f", after: nil, count: 9) } == .objectStore)
        #expect(await code { _ = try await server.store().folders(in: "") } == .objectStore)
        let circling = try LocalHTTPServer { number, _ in Self.list([], folders: ["f/a/"], next: "t\(number)") }
        #expect(await code { _ = try await circling.store().list("f", after: nil, count: 9) } == .objectStore)
        #expect(await code { _ = try await circling.store().folders(in: "f") } == .objectStore)
        #expect(circling.requests.count == 4)
    }

    @Test func `a few pages without names are followed`() async throws {
        let server = try LocalHTTPServer { number, _ in
            number < 5 ? Self.list([], next: "t\(number)") : Self.list(["f/a"])
        }
        #expect(try await server.store().list("f", after: nil, count: 9).map(\.name) == ["a"])
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
