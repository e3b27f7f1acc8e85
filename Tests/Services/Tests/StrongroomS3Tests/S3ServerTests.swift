import Foundation
import Strongroom
import StrongroomReplication
import Testing

@testable import StrongroomS3

/// A real S3 server, as `object-store start` describes it.
enum S3Server {
    private static let variables = ProcessInfo.processInfo.environment

    static let isGiven = ["ENDPOINT", "BUCKET", "ACCESS_KEY", "SECRET_KEY"].allSatisfy { value($0) != nil }

    static func value(_ name: String) -> String? { variables["STRONGROOM_S3_\(name)"] }

    /// A store in a folder of its own.
    static func store(
        secretKey: String? = nil, accessKey: String? = nil, bucket: String? = nil, prefix: String = UUID().uuidString,
        connections: Int = 8, now: (@Sendable () -> Int)? = nil
    ) throws -> S3ObjectStore {
        var connection = S3Connection()
        connection.limit = connections
        connection.trustRoots = value("TRUST_ROOTS")
        return try S3ObjectStore(
            bucket: bucket ?? value("BUCKET") ?? "", endpoint: value("ENDPOINT") ?? "",
            credentials: S3Credentials(
                accessKey: accessKey ?? value("ACCESS_KEY") ?? "", secretKey: secretKey ?? value("SECRET_KEY") ?? ""),
            prefix: prefix, connection: connection, retries: S3Retries(), now: now)
    }
}

@Suite(.enabled(if: S3Server.isGiven, "STRONGROOM_S3_ENDPOINT, _BUCKET, _ACCESS_KEY and _SECRET_KEY name no server"))
struct S3ServerTests {
    private static let names = [
        "plain", "a b", "a+b", "a&b<c>\"d'", "grün-ß-日本-🗝", "100%", "a%2Fb", "a?b=c#d", "~!*'()$,;:@=", "\u{1}\u{7f}",
        "[x]{y}|\\^`",
        "e\u{301}", "\u{e9}",
    ]

    @Test func `the probe accepts the server`() async throws {
        let store = try S3Server.store()
        try await store.probe()
        #expect(try await store.list("", after: nil, count: 10).isEmpty)
    }

    @Test func `an object is created once and read in parts`() async throws {
        let store = try S3Server.store()
        let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        #expect(try await store.create("a/b", content))
        #expect(try await !store.create("a/b", content))
        #expect(try await !store.create("a/b", [1]))
        #expect(try await store.read("a/b", nil) == content)
        #expect(try await store.read("a/b", 10..<20) == Array(content[10..<20]))
        #expect(try await store.read("a/b", 99_990..<200_000) == Array(content[99_990...]))
        #expect(try await store.read("a/b", 100_000..<100_001) == [])
        #expect(try await store.read("a/b", 5..<5) == [])
        #expect(try await store.read("a/c", nil) == nil)
        #expect(try await store.read("a/c", 0..<1) == nil)
        try await store.remove(["a/b", "a/b", "a/c"])
        #expect(try await store.read("a/b", nil) == nil)
    }

    @Test func `a list begins behind a name, and one of all folders has their objects`() async throws {
        let store = try S3Server.store()
        let names = ["a/base/f-0/0", "a/ffff1", "a/ffff2", "a/lease/f", "b-c/ffff1", "b/base/f-1/0", "b/ffff3"]
        for name in names.shuffled() { #expect(try await store.create(name, [1, 2])) }
        #expect(try await store.list("a", after: "e", count: 1).map(\.name) == ["ffff1"])
        #expect(try await store.list("b", after: "e", count: 2).map(\.name) == ["ffff3"])
        #expect(try await store.listAll(after: "a/e", count: 2)?.map(\.name) == ["a/ffff1", "a/ffff2"])
        let all = try await store.listAll(after: "", count: 1_000)
        #expect(all?.map(\.name) == names && all?.allSatisfy { $0.size == 2 } == true)
        try await store.remove(names)
    }

    @Test func `an empty object and a large one are stored`() async throws {
        let store = try S3Server.store()
        #expect(try await store.create("empty", []))
        #expect(try await store.read("empty", nil) == [])
        #expect(try await store.read("empty", 0..<10) == [])
        let content = [UInt8](repeating: 0xA5, count: 24 << 20)
        #expect(try await store.create("large", content))
        #expect(try await store.read("large", nil) == content)
        try await store.remove(["empty", "large"])
    }

    @Test(arguments: names)
    func `a name with any characters is stored, listed and removed`(name: String) async throws {
        let store = try S3Server.store(prefix: "\(UUID().uuidString)/\(name)")
        #expect(try await store.create("\(name)/\(name)", [1]))
        #expect(try await store.read("\(name)/\(name)", nil) == [1])
        let folders = try await store.folders(in: "")
        #expect(folders.map { Array($0.utf8) } == [Array(name.utf8)])
        let entries = try await store.list(name, after: nil, count: 10)
        #expect(entries.map { Array($0.name.utf8) } == [Array(name.utf8)])
        #expect(try await store.list(name, after: name, count: 10).isEmpty)
        try await store.remove(["\(name)/\(name)"])
        #expect(try await store.folders(in: "").isEmpty)
    }

    @Test func `lists have the order of bytes, pages, a start and folders`() async throws {
        let store = try S3Server.store()
        let names = Self.names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for name in names.shuffled() {
            #expect(try await store.create("f/\(name)", Array(name.utf8)))
            #expect(try await store.create("f/sub \(name)/x", []))
        }
        let all = try await store.list("f", after: nil, count: 1000)
        #expect(all.map { Array($0.name.utf8) } == names.map { Array($0.utf8) })
        #expect(all.map(\.size) == names.map(\.utf8.count))
        // Subfolders stand between the names, and count as entries of the server's pages.
        for count in 1...5 {
            var found: [ObjectEntry] = []
            while true {
                let page = try await store.list("f", after: found.last?.name, count: count)
                found += page
                if page.count < count { break }
            }
            #expect(found == all)
        }
        let folders = try await store.folders(in: "f")
        #expect(folders.map { Array($0.utf8) } == names.map { Array("sub \($0)".utf8) })
        #expect(try await store.folders(in: "") == ["f"])
        try await store.remove(names.flatMap { ["f/\($0)", "f/sub \($0)/x"] })
    }

    @Test func `more than a thousand objects and folders are listed`() async throws {
        let store = try S3Server.store(connections: 32)
        let names = (0..<1100).map { "d\(10_000 + $0)" }
        try await withThrowingTaskGroup { group in
            for name in names { group.addTask { _ = try await store.create("f/\(name)/x", []) } }
            try await group.waitForAll()
        }
        #expect(try await store.folders(in: "f") == names)
        try await withThrowingTaskGroup { group in
            for name in names { group.addTask { _ = try await store.create("g/\(name)", []) } }
            try await group.waitForAll()
        }
        #expect(try await store.list("g", after: nil, count: 1050).map(\.name) == Array(names[..<1050]))
        #expect(try await store.list("g", after: names[99], count: 5000).map(\.name) == Array(names[100...]))
        try await withThrowingTaskGroup { group in
            for name in names { group.addTask { try await store.remove(["f/\(name)/x", "g/\(name)"]) } }
            try await group.waitForAll()
        }
    }

    @Test func `of several creators of one name one wins`() async throws {
        let store = try S3Server.store(connections: 16)
        for round in 0..<20 {
            let winners = try await withThrowingTaskGroup { group in
                for number in 0..<16 {
                    group.addTask { try await store.create("\(round)", [UInt8(number)]) ? number : nil }
                }
                return try await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
            }
            #expect(winners.count == 1)
            #expect(try await store.read("\(round)", nil) == winners.map(UInt8.init))
        }
        try await store.remove((0..<20).map(String.init))
    }

    @Test func `cancelled requests leave the store usable`() async throws {
        let store = try S3Server.store(connections: 4)
        let content = [UInt8](repeating: 1, count: 1 << 20)
        for round in 0..<40 {
            let task = Task { try await store.create("\(round)", content) }
            try await Task.sleep(for: .milliseconds(round))
            task.cancel()
            _ = await task.result
        }
        #expect(try await store.create("last", content))
        #expect(try await store.read("last", nil) == content)
        try await store.remove((0..<40).map(String.init) + ["last"])
    }

    @Test func `refusals name their causes`() async throws {
        let name = S3Server.value("SECRET_KEY") ?? ""
        let cases: [(S3ObjectStore, String)] = [
            (try S3Server.store(secretKey: "wrong"), "secret key belongs"),
            (try S3Server.store(accessKey: "unknown"), "does not know the access key"),
            (try S3Server.store(bucket: "strongroom-no-such-bucket"), "no such bucket"),
            (try S3Server.store { Int(Date().timeIntervalSince1970) - 7200 }, "seconds behind"),
        ]
        for (store, words) in cases {
            for request in [
                { _ = try await $0.read("a", nil) }, { _ = try await $0.create("a", [1]) },
                { try await $0.remove(["a"]) }, { _ = try await $0.list("", after: nil, count: 1) },
            ] as [(S3ObjectStore) async throws -> Void] {
                let failure = await error { try await request(store) }
                #expect(failure?.code == .objectStore)
                #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
                #expect(failure?.message.contains(name) == false)
            }
        }
    }
}
