import Foundation
import StrongroomTesting
import Testing

// Internal: whether the registry has closed a store can be seen without using it.
@testable import Strongroom

@Suite("The log of a store that is closed for another", .ending)
struct KeptLogTests {
    private let directory = TemporaryDirectory.ofSuite()
    private let stores: Stores

    init() throws {
        stores = try Stores(Vault(directory.path(""), keys: .numbered(1)))
        // None is closed because it is idle.
        stores.lendingLimits = LendingLimits(openStores: 1, idleTime: .seconds(3_600))
    }

    private func add(_ line: String, to name: String) async throws {
        try await stores.withStore(name) { store in
            try await store.write { db in try db.execute("INSERT INTO line VALUES (\(line))") }
        }
    }

    private func lines(of name: String, in stores: Stores? = nil) async throws -> [String] {
        try await (stores ?? self.stores).withStore(name) { store in
            try await store.read { db in try db.values("SELECT text FROM line ORDER BY text", as: String.self) }
        }
    }

    /// The sizes of the log and its index; nil for one that is not there.
    private func sizes(_ name: String) throws -> [Int64?] {
        try ["-wal", "-shm"].map { try FileStatus.at(directory.path(name) + $0)?.size }
    }

    @Test func `it stays, and is empty, so that the file alone is the database`() async throws {
        try await add("a", to: "vault_0.sqlite")
        try await add("b", to: "vault_1.sqlite")
        let left = try sizes("vault_0.sqlite")
        #expect(left[0] == 0 && left[1] != nil)

        let copies = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: directory.path("vault_0.sqlite"), toPath: copies.path("vault_0.sqlite"))
        let copied = try Stores(Vault(copies.path(""), keys: .numbered(1)))
        #expect(try await lines(of: "vault_0.sqlite", in: copied) == ["a"])
        try await copied.closeAll()

        try await add("c", to: "vault_0.sqlite")
        #expect(try await lines(of: "vault_0.sqlite") == ["a", "c"])
        try await stores.closeAll()
        // The program, and not the registry, has closed it.
        #expect(try sizes("vault_0.sqlite") == [nil, nil])
        #expect(try sizes("vault_1.sqlite")[0] == 0)
    }

    @Test func `a file put in the place of the database is read without it`() async throws {
        try await add("a", to: "vault_0.sqlite")
        try await add("b", to: "vault_1.sqlite")
        #expect(try await lines(of: "vault_0.sqlite") == ["a"])
        // Both are closed for another, and have an empty log.
        try await add("c", to: "vault_2.sqlite")
        for number in [0, 1] { #expect(try sizes("vault_\(number).sqlite")[0] == 0) }
        // Another file of the same database, as from a backup.
        let elsewhere = try TemporaryDirectory()
        let other = try Stores(Vault(elsewhere.path(""), keys: .numbered(1)))
        try await other.withStore("vault_0.sqlite") { store in
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('b')") }
        }
        try await other.closeAll()
        try FileManager.default.removeItem(atPath: directory.path("vault_0.sqlite"))
        try FileManager.default.copyItem(
            atPath: elsewhere.path("vault_0.sqlite"), toPath: directory.path("vault_0.sqlite"))
        #expect(try await lines(of: "vault_0.sqlite") == ["b"])
        try await stores.closeAll()
    }

    /// Frames that belong to the file as it is would be applied to another one put in its place.
    @Test func `what another connection writes after the checkpoint is truncated, too`() throws {
        let path = directory.path("plain.sqlite")
        let first = try Connection(path: path, mode: .create, database: "plain.sqlite")
        try first.run("PRAGMA journal_mode = WAL")
        try first.run("CREATE TABLE line (text TEXT NOT NULL)")
        #expect(first.checkpointAfterCommit().isComplete)
        first.keepLog()
        let second = try Connection(path: path, mode: .existing, database: "plain.sqlite")
        try second.run("INSERT INTO line VALUES ('a')")
        second.close()
        #expect(try sizes("plain.sqlite")[0] ?? 0 > 0)
        first.close()
        #expect(try sizes("plain.sqlite")[0] == 0)
        let third = try Connection(path: path, mode: .existing, database: "plain.sqlite")
        #expect(try third.ownValue("SELECT text FROM line") == .text("a"))
        third.close()
    }

    /// The connection that is closed is not the last, so the engine does not truncate the log.
    @Test func `it is empty, too, while another program has the file open`() throws {
        let path = directory.path("plain.sqlite")
        let other = try Connection(path: path, mode: .create, database: "plain.sqlite")
        try other.run("PRAGMA journal_mode = WAL")
        let own = try Connection(path: path, mode: .existing, database: "plain.sqlite")
        try own.run("CREATE TABLE line (text TEXT NOT NULL)")
        #expect(!own.isLogEmpty)
        own.keepLog()
        #expect(own.checkpointBeforeClose(patience: 1_000).isComplete)
        #expect(own.isLogEmpty)
        own.close()
        #expect(try sizes("plain.sqlite")[0] == 0)
        #expect(try other.ownValue("SELECT count(*) FROM line") == .integer(0))
        other.close()
    }

    @Test func `a store that is closed for another is removed, rotated and read-only as any other`() async throws {
        for number in 0..<3 { try await add("\(number)", to: "vault_\(number).sqlite") }
        #expect(try sizes("vault_0.sqlite")[0] == 0 && sizes("vault_1.sqlite")[0] == 0)
        try await stores.remove("vault_0.sqlite")
        #expect(try sizes("vault_0.sqlite") == [nil, nil])

        var vault = Vault(directory.path(""), keys: .numbered(1))
        vault.settings.isReadOnly = true
        let readOnly = try Stores(vault)
        #expect(try await lines(of: "vault_1.sqlite", in: readOnly) == ["1"])
        try await readOnly.closeAll()

        let rotating = try Stores(Vault(directory.path(""), keys: .numbered(1), .numbered(2)))
        let report = try await rotating.withStore("vault_1.sqlite") { $0.openReport }
        #expect(report.rotation != nil)
        #expect(try await lines(of: "vault_1.sqlite", in: rotating) == ["1"])
        try await rotating.closeAll()
        try await stores.closeAll()
    }
}
