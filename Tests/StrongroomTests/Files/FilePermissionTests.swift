import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Each in a process of its own: the umask belongs to the whole process, in which other tests run.
@Suite("Permissions of files and directories")
struct FilePermissionTests {
    /// The permissions of all that a directory holds, by name.
    private static func permissions(in directory: String) throws -> [String: Int] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory)
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
                return (name, attributes[.posixPermissions] as? Int ?? -1)
            })
    }

    private static let open = [
        "a": 0o700, "a/b": 0o700, "a/b/vault.sqlite": 0o600, "a/b/vault.sqlite-wal": 0o600,
        "a/b/vault.sqlite-shm": 0o600,
        "a/b/.vault.sqlite.lock": 0o600,
    ]

    @Test(arguments: [0o000, 0o022, 0o077, 0o777] as [UInt32])
    func onlyTheOwnerHasAccessToDirectoriesAndFilesWithAnyUmask(mask: UInt32) async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .success) {
            [directory = directory.path("") as String, mask = mask as UInt32] in
            umask(mode_t(mask))
            let store = try await Vault("\(directory)/a/b", keys: .numbered(1)).open()
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
            #expect(try Self.permissions(in: directory) == Self.open)
            try await store.close()
        }
        #expect(try Self.permissions(in: directory.path("")).values.allSatisfy { $0 == 0o700 || $0 == 0o600 })
    }

    @Test func whatIsThereAlreadyKeepsItsPermissions() async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("shared"), keys: .numbered(1))
        let files = FileManager.default
        try files.createDirectory(atPath: vault.directory, withIntermediateDirectories: false)
        try files.setAttributes([.posixPermissions: 0o750], ofItemAtPath: vault.directory)
        try await vault.keep("a")
        try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: vault.path)
        #expect(try await vault.lines() == ["a"])
        let permissions = try Self.permissions(in: directory.path(""))
        #expect(permissions["shared"] == 0o750)
        #expect(permissions["shared/vault.sqlite"] == 0o640)
    }
}
