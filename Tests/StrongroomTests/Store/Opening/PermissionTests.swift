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
        let (path, lock) = (vault.path, vault.beside("lock"))
        switch obstacle {
        case .readOnlyDirectory:
            try set(0o555, vault.directory)
        case .readOnlyDirectoryWithFile:
            try files.removeItem(atPath: lock)
            try set(0o666, path)
            try set(0o555, vault.directory)
        case .readOnlyDirectoryWithFileAndLock:
            try set(0o666, path)
            try set(0o666, lock)
            try set(0o555, vault.directory)
        case .closedDirectory:
            try set(0o000, vault.directory)
        case .unreadableFile:
            try set(0o000, path)
            try set(0o666, lock)
            try set(0o777, vault.directory)
        case .readOnlyFile:
            try set(0o444, path)
            try set(0o666, lock)
            try set(0o777, vault.directory)
        case .unreadableLock:
            try set(0o666, path)
            try set(0o000, lock)
            try set(0o777, vault.directory)
        }
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

    @Test func aKeyFileThatCannotBeReadIsNamed() async throws {
        let path = "\(vault.directory)/keys"
        _ = try KeyFile(path).keyChain(creating: true)
        try set(0o000, path)
        await #expect(processExitsWith: .success) { [path = path as String] in
            try Self.giveUpPrivileges()
            for creating in [false, true] {
                let error = try #require(throws: StrongroomError.self) {
                    try KeyFile(path).keyChain(creating: creating)
                }
                #expect(error.code == .permissionDenied, "\(error)")
                #expect(error.message.contains(path))
            }
        }
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
