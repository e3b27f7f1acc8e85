import Foundation
import StrongroomTesting
import Testing

// Internal: the access list of one file given to another.
@testable import Strongroom

#if os(Linux)
/// What belongs to a file besides its content, by the system's own calls.
enum Attribute {
    /// An entry of an access list, as the kernel has it: version 2, then tag, permissions and who it is for.
    static func list(_ entries: (tag: UInt16, permissions: UInt16, who: UInt32)...) -> [UInt8] {
        func bytes<T: FixedWidthInteger>(_ number: T) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        return entries.reduce(bytes(UInt32(2))) { $0 + bytes($1.tag) + bytes($1.permissions) + bytes($1.who) }
    }

    /// The owner reads and writes, the user 4711 reads, the group has nothing: the mode shows the mask in its place.
    static let oneReader = list((1, 6, .max), (2, 4, 4_711), (4, 0, .max), (16, 4, .max), (32, 0, .max))

    static let accessList = "system.posix_acl_access"

    static func set(_ name: String, _ value: [UInt8], _ path: String) -> Bool {
        setxattr(path, name, value, value.count, 0) == 0
    }

    static func value(_ name: String, _ path: String) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: 4_096)
        let length = getxattr(path, name, &value, value.count)
        return length < 0 ? nil : Array(value.prefix(length))
    }

    /// The C library's own, which Swift's module does not show.
    static func function<T>(_ name: String, as type: T.Type) -> T {
        unsafeBitCast(dlsym(nil, name), to: type)
    }

    private static let setxattr = function(
        "setxattr",
        as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32) -> Int32).self)
    private static let getxattr = function(
        "getxattr",
        as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer, Int) -> Int).self)

    /// Whether the file system of temporary files knows access lists and attributes of users.
    static let areKnown: Bool = {
        guard let directory = try? TemporaryDirectory() else { return false }
        let path = directory.path("file")
        guard (try? Data().write(to: URL(filePath: path))) != nil else { return false }
        return set(accessList, oneReader, path) && set("user.strongroom", [1], path)
    }()

    static let reason: Comment = "the file system of temporary files knows no access lists, or no extended attributes"
    static let rootReason: Comment = "only root can become another user"
}

@Suite(
    "Attributes of files that are replaced", .ending,
    .enabled(if: Attribute.areKnown, Attribute.reason))
struct FileAttributesTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path("files"), keys: .numbered(1)) }
    private var newer: Vault { Vault(directory.path("files"), keys: .numbered(1), .numbered(2)) }

    init() async throws { try await vault.keep("first") }

    private func mark() throws {
        #expect(Attribute.set("user.strongroom", Array("a tag".utf8), vault.path))
        #expect(Attribute.set("user.empty", [], vault.path))
        #expect(Attribute.set(Attribute.accessList, Attribute.oneReader, vault.path))
        if geteuid() == 0 { #expect(Attribute.set("trusted.strongroom", [1, 2], vault.path)) }
        #expect(try FileStatus.at(vault.path)?.permissions == 0o640)
    }

    private func expectMarks(_ path: String) throws {
        #expect(Attribute.value("user.strongroom", path) == Array("a tag".utf8))
        #expect(Attribute.value("user.empty", path) == [])
        #expect(Attribute.value(Attribute.accessList, path) == Attribute.oneReader)
        if geteuid() == 0 { #expect(Attribute.value("trusted.strongroom", path) == [1, 2]) }
        #expect(try FileStatus.at(path)?.permissions == 0o640)
    }

    @Test func aRotationKeepsThem() async throws {
        try mark()
        let report = try #require(try await newer.keep().rotation)
        #expect(report.method == .copy && report.attributesNotKept == [])
        try expectMarks(vault.path)
    }

    @Test func aKeyFileToWhichAKeyIsAppendedKeepsThem() throws {
        let path = directory.path("keys")
        _ = try KeyFile(path).keyChain(creating: true)
        #expect(Attribute.set("user.strongroom", Array("a tag".utf8), path))
        #expect(try KeyFile(path).appendKey() == 2)
        #expect(Attribute.value("user.strongroom", path) == Array("a tag".utf8))
        #expect(try FileStatus.at(path)?.permissions == 0o600)
    }

    @Test func aRestoredBackupHasThoseOfTheDatabase() async throws {
        try mark()
        let backup = directory.path("backup.sqlite")
        _ = try await vault.using { try await $0.backup(to: backup) }
        for keys in [nil, try KeyChain(.numbered(1))] {
            let report = try await Stores(vault).restore("vault.sqlite", from: backup, keys: keys)
            #expect(report.attributesNotKept == [])
            try expectMarks(vault.path)
        }
    }

    @Test func aMigrationBackupAndWhatIsRestoredFromItHaveThem() async throws {
        try mark()
        var migrating = vault
        migrating.settings.migrationBackups = .newest(1)
        migrating.migrator = Migrator {
            Migration("1") { _ in }
            Migration("2") { db in try db.execute("CREATE TABLE further (x)") }
        }
        try await migrating.keep()
        let stores = try Stores(vault)
        let backup = try #require(try stores.migrationBackups(of: "vault.sqlite").first)
        try expectMarks(backup.path)
        try await stores.restoreMigrationBackup(of: "vault.sqlite")
        try expectMarks(vault.path)
    }

    /// The permissions of the group would be the mask of the list that a directory gives to new files.
    @Test func whatADirectoryGivesToNewFilesIsNotGivenToTheCopy() async throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: vault.path)
        #expect(Attribute.set("system.posix_acl_default", Attribute.oneReader, vault.directory))
        #expect(try await newer.keep().rotation?.method == .copy)
        #expect(Attribute.value(Attribute.accessList, vault.path) == nil)
        #expect(try FileStatus.at(vault.path)?.permissions == 0o640)
    }

    /// As a server has them: the file is another user's, and this one may write it and its directory.
    @Test(.enabled(if: geteuid() == 0, Attribute.rootReason))
    func whereTheOwnerCannotBeKeptTheFileIsRewrittenInPlace() async throws {
        try open(vault.path, 0o666)
        await #expect(processExitsWith: .success) { [directory = vault.directory as String] in
            #expect(setgid(65_534) == 0 && setuid(65_534) == 0)
            let newer = Vault(directory, keys: .numbered(1), .numbered(2))
            #expect(try await newer.keep("second").rotation?.method == .inPlace)
            // A copy is the only way to other settings.
            var other = newer
            var settings = CipherSettings.sqlCipher3
            settings.pageSize = 2_048
            other.ciphers = [try CipherSettings.engineDefault(), settings]
            let failure = try #require(try await other.keep().rotationFailure)
            #expect(failure.code == .permissionDenied && failure.message.contains("owner"))
        }
        #expect(try FileStatus.at(vault.path)?.owner == 0)
        #expect(try FileStatus.at(vault.path)?.permissions == 0o666)
        #expect(try await newer.lines() == ["first", "second"])
    }

    private func open(_ path: String, _ permissions: Int) throws {
        for directory in [directory.path(""), vault.directory] {
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory)
        }
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        try? FileManager.default.removeItem(atPath: vault.beside("lock"))
    }

    // MARK: Lock files

    @Test(.enabled(if: geteuid() == 0, Attribute.rootReason))
    func aLockFileBelongsToTheOwnerOfTheDatabaseAfterCreationByAnyUser() async throws {
        try open(vault.path, 0o660)
        #expect(chown(vault.path, 65_534, 65_533) == 0)
        try await vault.keep("by root")
        let status = try #require(try FileStatus.at(vault.beside("lock")))
        #expect(status.owner == 65_534 && status.group == 65_533 && status.permissions == 0o660)
    }

    @Test(.enabled(if: geteuid() == 0, Attribute.rootReason), arguments: [false, true])
    func aLockFileThatAnotherUserLeftDoesNotLockTheOwnerOut(isHeld: Bool) async throws {
        try open(vault.path, 0o600)
        #expect(chown(vault.path, 65_534, 65_534) == 0)
        try Data().write(to: URL(filePath: vault.beside("lock")))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: vault.beside("lock"))
        let lock = isHeld ? try FileLock.tryAcquire(vault.beside("lock")) : nil
        await #expect(processExitsWith: .success) {
            [directory = vault.directory as String, isHeld = isHeld as Bool] in
            #expect(setgid(65_534) == 0 && setuid(65_534) == 0)
            var vault = Vault(directory, keys: .numbered(1))
            guard isHeld else { return #expect(try await vault.lines() == ["first"]) }
            vault.settings.openTimeout = .milliseconds(50)
            try await expectFailure(.locked) { [vault] in try await vault.open() }
        }
        #expect(try FileStatus.at(vault.beside("lock"))?.owner == (isHeld ? 0 : 65_534))
        lock?.release()
    }

    @Test(.enabled(if: geteuid() == 0, Attribute.rootReason))
    func whereTheFileIsNotTheUsersTheLockFileStaysAndIsNamed() async throws {
        try open(vault.path, 0o666)
        try Data().write(to: URL(filePath: vault.beside("lock")))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: vault.beside("lock"))
        await #expect(processExitsWith: .success) { [directory = vault.directory as String] in
            #expect(setgid(65_534) == 0 && setuid(65_534) == 0)
            let vault = Vault(directory, keys: .numbered(1))
            try await expectFailure(.permissionDenied, saying: "lock file", "user 0") { try await vault.open() }
        }
        #expect(try FileStatus.at(vault.beside("lock"))?.owner == 0)
    }
}
#endif
