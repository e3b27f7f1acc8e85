import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The name of the database that a file belongs to")
struct RecordedNameTests {
    private let directory: TemporaryDirectory
    private let vault: Vault

    private static let alice = "vault_alice.sqlite"
    private static let bob = "vault_bob.sqlite"

    init() throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path("data"), keys: .numbered(1))
    }

    /// Opens a database, adds a line, and closes it.
    private func add(_ line: String, to name: String, of vault: Vault) async throws {
        let store = try await Stores(vault).open(name)
        try await store.write { db in try db.execute("INSERT INTO line (text) VALUES (\(line))") }
        try await store.close()
    }

    private func lines(of name: String, of vault: Vault) async throws -> [String] {
        let store = try await Stores(vault).open(name)
        let lines = try await store.read { db in try db.values("SELECT text FROM line ORDER BY text", as: String.self) }
        try await store.close()
        return lines
    }

    /// How many names a file records.
    private func records(in name: String) async throws -> Int? {
        let store = try await Stores(vault.with(\.migrator, nil)).open(name)
        let count = try await store.read { db in
            try db.value("SELECT count(*) FROM sqlite_master WHERE name = 'strongroom_database'", as: Int.self)
        }
        try await store.close()
        return count
    }

    /// Puts bob's file in the place of alice's.
    private func exchange() throws {
        for ending in ["", ".keys", ".keys.copy"] {
            let (old, new) = ("\(vault.directory)/\(Self.bob)\(ending)", "\(vault.directory)/\(Self.alice)\(ending)")
            guard FileManager.default.fileExists(atPath: old) else { continue }
            try FileManager.default.removeItem(atPath: new)
            try FileManager.default.copyItem(atPath: old, toPath: new)
        }
    }

    private static let line = TableSchema(
        "line", Column<Int64?>("id", primaryKey: true), Column<String>("text"))

    @Test(arguments: [KeyProtection.direct, .envelope], [true, false])
    func `another database's file is refused until the renaming is said`(
        protection: KeyProtection, isAutomatic: Bool
    ) async throws {
        var vault = vault.with(\.protection, protection)
        if isAutomatic { vault.migrator = .automatic(tables: [Self.line]) }
        try await add("a", to: Self.alice, of: vault)
        try await add("b", to: Self.bob, of: vault)
        try exchange()
        let before = try DirectorySnapshot(vault.directory)
        let stores = try Stores(vault)
        let error = try await expectFailure(.otherDatabase) { try await stores.open(Self.alice) }
        #expect(error.message.contains("\"\(Self.alice)\"") && error.message.contains("\"\(Self.bob)\""))
        #expect(error.message.contains("adopt"))
        try await expectFailure(.otherDatabase) { try await stores.adopt(Self.alice, from: "vault_carol.sqlite") }
        try before.expectUntouched()
        let reading = try Stores(vault.with(\.settings.isReadOnly, true))
        try await expectFailure(.otherDatabase) { try await reading.open(Self.alice) }

        try await stores.adopt(Self.alice, from: Self.bob)
        try await stores.adopt(Self.alice, from: Self.bob)
        #expect(try await lines(of: Self.alice, of: vault) == ["b"])
        #expect(try await lines(of: Self.bob, of: vault) == ["b"])
    }

    @Test func `a file of an earlier version gets its name at the first opening that migrates`() async throws {
        try await add("a", to: Self.alice, of: vault)
        try await add("b", to: Self.bob, of: vault)
        let stores = try Stores(vault.with(\.migrator, nil))
        for name in [Self.alice, Self.bob] {
            let store = try await stores.open(name)
            try await store.write { db in try db.execute("DROP VIEW strongroom_database") }
            try await store.close()
        }
        try await Stores(vault.with(\.settings.migration, .manual)).open(Self.bob).close()
        #expect(try await records(in: Self.bob) == 0)
        #expect(try await lines(of: Self.bob, of: vault) == ["b"])
        #expect(try await records(in: Self.bob) == 1)
        try exchange()
        try await expectFailure(.otherDatabase) { [vault] in try await Stores(vault).open(Self.alice) }
    }

    @Test func `a backup of another database is restored only if that is said`() async throws {
        try await add("a", to: Self.alice, of: vault)
        let backup = directory.path("backup.sqlite")
        let rotated = Vault(vault.directory, keys: .numbered(1), .numbered(2))
        let bob = try await Stores(rotated).open(Self.bob)
        try await bob.write { db in try db.execute("INSERT INTO line (text) VALUES ('b')") }
        try await bob.vacuum()
        _ = try await bob.backup(to: backup)
        try await bob.close()

        let before = try DirectorySnapshot(vault.directory)
        for vault in [vault, rotated] {
            let error = try await expectFailure(.otherDatabase) {
                try await Stores(vault).restore(Self.alice, from: backup, keys: KeyChain(.numbered(2)))
            }
            #expect(error.message.contains("\"\(Self.bob)\"") && error.message.contains("--adopt-from"))
        }
        try before.expectUntouched()
        // Rewritten with another key, and copied as it is.
        let ways: [(vault: Vault, keys: KeyChain?)] = [(vault, try KeyChain(.numbered(2))), (rotated, nil)]
        for (vault, keys) in ways {
            try await Stores(vault).restore(Self.alice, from: backup, keys: keys, adoptingFrom: Self.bob)
            #expect(try await lines(of: Self.alice, of: rotated) == ["b"])
            try FileManager.default.removeItem(atPath: "\(vault.directory)/\(Self.alice)")
        }
        try await Stores(rotated).restore(Self.bob, from: backup)
    }

    /// A combining character makes one character of two with the quotation mark before it.
    @Test(arguments: ["vault_o'brien''.sqlite", "vault_'\u{301}'", "vault_e\u{301}.sqlite", "vault_' AS name"])
    func `a name may have quotation marks`(name: String) async throws {
        for line in ["a", "b"] { try await add(line, to: name, of: vault) }
        #expect(try await lines(of: name, of: vault) == ["a", "b"])
        try FileManager.default.moveItem(
            atPath: "\(vault.directory)/\(name)", toPath: "\(vault.directory)/\(Self.bob)")
        let error = try await expectFailure(.otherDatabase) { [vault] in try await Stores(vault).open(Self.bob) }
        #expect(error.message.contains("\"\(name)\""))
    }
}
