import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Each opening in a process of its own, which gives up its privileges first: to root no permission is denied.
@Suite("Files and directories that may not be used")
struct PermissionTests {
    private let directory: TemporaryDirectory
    private let vault: Vault
    private let files = FileManager.default

    init() throws {
        directory = try TemporaryDirectory()
        // Whoever runs the tests, the process without privileges is to reach what lies inside.
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path(""))
        try files.createDirectory(
            atPath: directory.path("inside"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        vault = Vault(directory.path("inside"), keys: .numbered(1))
    }

    /// Makes the running process an ordinary user's, if it is root's.
    private static func giveUpPrivileges() throws {
        guard geteuid() == 0 else { return }
        let nobody: UInt32 = 65534
        try #require(setgid(nobody) == 0)
        try #require(setuid(nobody) == 0)
    }

    private static func openWithoutPrivileges(_ root: String) async throws -> StrongroomError {
        try giveUpPrivileges()
        return try await #require(throws: StrongroomError.self) {
            try await Vault(root, keys: .numbered(1)).open()
        }
    }

    private func set(_ permissions: Int, _ path: String) throws {
        try files.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }

    /// What stands in a file's or a directory's way.
    enum Obstacle: String, CaseIterable, Codable {
        case readOnlyDirectory, readOnlyDirectoryWithFile, readOnlyDirectoryWithFileAndLock, closedDirectory
        case unreadableFile, readOnlyFile, unreadableLock
    }

    private func put(_ obstacle: Obstacle) async throws {
        if obstacle != .readOnlyDirectory { try await vault.keep("a") }
        let (path, lock, own) = (vault.path, vault.beside("lock"), vault.directory)
        let permissions: [(Int, String)] =
            switch obstacle {
            case .readOnlyDirectory: [(0o555, own)]
            case .readOnlyDirectoryWithFile: [(0o666, path), (0o555, own)]
            case .readOnlyDirectoryWithFileAndLock: [(0o666, path), (0o666, lock), (0o555, own)]
            case .closedDirectory: [(0o000, own)]
            case .unreadableFile: [(0o000, path), (0o666, lock), (0o777, own)]
            case .readOnlyFile: [(0o444, path), (0o666, lock), (0o777, own)]
            case .unreadableLock: [(0o666, path), (0o000, lock), (0o777, own)]
            }
        if obstacle == .readOnlyDirectoryWithFile { try files.removeItem(atPath: lock) }
        for (mode, path) in permissions { try set(mode, path) }
    }

    @Test(arguments: Obstacle.allCases)
    func theErrorNamesThePathAndTheFileStays(obstacle: Obstacle) async throws {
        try await put(obstacle)
        let isLookedInto = obstacle != .closedDirectory || geteuid() == 0
        let before = isLookedInto ? try DirectorySnapshot(vault.directory) : nil
        await #expect(processExitsWith: .success) {
            [root = vault.directory as String, isLock = (obstacle == .unreadableLock) as Bool] in
            let error = try await Self.openWithoutPrivileges(root)
            #expect(error.code == .permissionDenied, "\(error)")
            #expect(error.message.contains(root), "\(error)")
            #expect(error.message.contains(isLock ? "belongs to the user" : "Check who owns"), "\(error)")
            #expect(error.database == "vault.sqlite")
        }
        try before?.expectUntouched()
        // The permissions are the only trouble: without them in the way, the file opens.
        try set(0o700, vault.directory)
        for path in [vault.path, vault.beside("lock")] where files.fileExists(atPath: path) { try set(0o600, path) }
        #expect(try await vault.lines() == (obstacle == .readOnlyDirectory ? [] : ["a"]))
    }

    @Test func aDirectoryThatCannotBeMadeIsNamed() async throws {
        try set(0o555, vault.directory)
        await #expect(processExitsWith: .success) { [root = vault.directory as String] in
            let error = try await Self.openWithoutPrivileges("\(root)/a/b")
            #expect(error.code == .permissionDenied, "\(error)")
            #expect(error.message.contains("cannot create the directory \"\(root)/a\""), "\(error)")
        }
        #expect(try DirectorySnapshot(vault.directory).names == [])
        try set(0o700, vault.directory)
    }

    @Test func aKeyFileThatCannotBeMadeIsNamed() async throws {
        try set(0o555, vault.directory)
        await #expect(processExitsWith: .success) { [path = "\(vault.directory)/keys" as String] in
            try Self.giveUpPrivileges()
            let error = try #require(throws: StrongroomError.self) { try KeyFile(path).keyChain(creating: true) }
            #expect(error.code == .permissionDenied, "\(error)")
            #expect(error.message.contains(path))
        }
        #expect(try DirectorySnapshot(vault.directory).names == [])
        try set(0o700, vault.directory)
    }
}

/// What a killed restore, export or migration backup left behind, as plaintext: it is overwritten before its name goes.
@Suite struct PlaintextLeftoverTests {
    private static let secret = Data("SQLite format 3\0 and what nobody is to find in the free space of the disk".utf8)

    /// A file that is still open here, so that what became of its bytes can be read when its name is gone.
    private struct Leftover {
        let path: String
        private let handle: FileHandle

        init(_ path: String) throws {
            self.path = path
            try PlaintextLeftoverTests.secret.write(to: URL(filePath: path))
            handle = try #require(FileHandle(forReadingAtPath: path))
        }

        func isGone() throws -> Bool {
            let left = try handle.readToEnd() ?? Data()
            return !FileManager.default.fileExists(atPath: path) && left.allSatisfy { $0 == 0 }
        }
    }

    @Test(arguments: ["new", "restoring", "restored", "snapshot.new"], [false, true])
    func anOpeningOverwritesIt(ending: String, isThere: Bool) async throws {
        let vault = Vault(keys: .numbered(1))
        if isThere { try await vault.keep("line") }
        // A leftover of making a file is looked at only where one is made.
        guard !isThere || ending != "new" else { return }
        let left = try Leftover(vault.beside(ending))
        try await vault.keep("after")
        #expect(try left.isGone())
    }

    @Test func aSalvageOverwritesIt() async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("source"), keys: .numbered(1))
        try await vault.keep("line")
        let left = try Leftover(directory.path(".out.sqlite.new"))
        _ = try await Stores(vault).salvage("vault.sqlite", to: directory.path("out.sqlite"))
        #expect(try left.isGone())
    }
}

@Suite("Stores that are plaintext by wish")
struct PlaintextStoreTests {
    private var vault: Vault { Vault(directory.path("")) { _ in .plaintext } }
    private let directory = TemporaryDirectory.ofSuite()

    @Test func theFileIsAPlainSQLiteDatabaseThatIsMigrated() async throws {
        let created = try await vault.keep("readable words")
        #expect(created.outcome == .created && created.key == nil)
        let error = try await vault.using { store in
            try await expectFailure(.plaintextFile, saying: "The database is plaintext", "`Key.plaintext`") {
                try await store.rotate()
            }
        }
        #expect(!error.message.contains("no plaintext"))
        let bytes = try Data(contentsOf: URL(filePath: vault.path))
        #expect(bytes.prefix(16) == Data("SQLite format 3\0".utf8))
        #expect(bytes.range(of: Data("readable words".utf8)) != nil)
        #expect(try FileManager.default.attributesOfItem(atPath: vault.path)[.posixPermissions] as? Int == 0o600)
        let longer = Migrator {
            Migration("1") { _ in }
            Migration("2") { db in try db.execute("INSERT INTO line VALUES ('by the migration')") }
        }
        let report = try await vault.with(\.migrator, longer).keep("b")
        #expect(report.outcome == .opened && report.key == nil && report.migration?.applied == ["2"])
        #expect(try await vault.with(\.migrator, longer).lines() == ["readable words", "by the migration", "b"])
    }

    @Test(.enabled(if: Program(named: "sqlite3") != nil, "the sqlite3 shell is not installed"))
    func theSQLiteShellReadsAndWritesIt() async throws {
        let shell = try #require(Program(named: "sqlite3"))
        try await vault.keep("ours")
        let result = try shell.run(
            ["-batch", vault.path], input: "INSERT INTO line VALUES ('theirs'); SELECT count(*) FROM line;\n")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == "2\n")
        #expect(try await vault.lines() == ["ours", "theirs"])
    }
}

@Suite("The name of the database that a file belongs to")
struct RecordedNameTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path("data"), keys: .numbered(1)) }

    private static let alice = "vault_alice.sqlite"
    private static let bob = "vault_bob.sqlite"

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
        let count = try await store.value(
            "SELECT count(*) FROM sqlite_master WHERE name = 'strongroom_database'", as: Int.self)
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
            try await expectFailure(.otherDatabase, saying: "\"\(Self.bob)\"", "--adopt-from") {
                try await Stores(vault).restore(Self.alice, from: backup, keys: KeyChain(.numbered(2)))
            }
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
