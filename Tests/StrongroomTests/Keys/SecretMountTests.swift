import Foundation
import Testing

// Internal: the form of an access list that no system call would set.
@testable import Strongroom

#if os(Linux)
extension SecretDirectory {
    static let knowsAccessLists: Bool = {
        guard let directory = try? SecretDirectory() else { return false }
        return Attribute.set(Attribute.accessList, Attribute.oneReader, directory.path)
    }()
}

@Suite(
    "Access lists of mounted key files", .enabled(if: SecretDirectory.parent != nil, SecretDirectory.reason),
    .enabled(if: SecretDirectory.knowsAccessLists, "the file system of the tests' directory knows no access lists"))
struct SecretAccessListTests {
    private typealias Entry = (tag: UInt16, permissions: UInt16, who: UInt32)

    private let directory: SecretDirectory

    init() throws { directory = try SecretDirectory() }

    private func chain(_ path: String) throws -> KeyChain { try KeyFile(path, access: .mounted).keyChain() }

    /// A list with a further entry, whose permissions the mask allows.
    private static func list(_ entry: Entry, owner: UInt16 = 4, group: UInt16 = 0, mask: UInt16? = nil) -> [UInt8] {
        let mask: Entry = (16, mask ?? (entry.permissions | group), .max)
        // The kernel has them in the order of their tags.
        return entry.tag == 2
            ? Attribute.list((1, owner, .max), entry, (4, group, .max), mask, (32, 0, .max))
            : Attribute.list((1, owner, .max), (4, group, .max), entry, mask, (32, 0, .max))
    }

    private func file(_ list: [UInt8]) throws -> String {
        let path = try directory.write("secret", to: "keys")
        try #require(Attribute.set(Attribute.accessList, list, path))
        return path
    }

    @Test func `a list that names this user alone is as good as mode 0400`() throws {
        let path = try file(Self.list((2, 4, geteuid())))
        #expect(try FileStatus.at(path)?.permissions == 0o440)
        #expect(try chain(path) == KeyChain(.passphrase("secret")))
        try expectFailure(.keySource, saying: "chmod 600") { try KeyFile(path).keyChain() }
    }

    @Test func `an entry that the mask takes away grants nothing`() throws {
        #expect(try chain(file(Self.list((2, 4, 4_711), mask: 0))) == KeyChain(.passphrase("secret")))
        #expect(try chain(file(Self.list((2, 6, geteuid()), group: 6, mask: 0))) == KeyChain(.passphrase("secret")))
    }

    @Test(.enabled(if: SecretDirectory.isOpen, SecretDirectory.reasonOfOpen))
    func `another user or a group that the list lets read is refused`() throws {
        try expectFailure(.keySource, saying: "access list", "setfacl -b") { try chain(file(Self.list((2, 4, 4_711)))) }
        for list in [Self.list((8, 4, 4_711)), Self.list((2, 4, geteuid()), group: 4)] {
            try expectFailure(.keySource, saying: "can be read by other users") { try chain(file(list)) }
        }
    }

    @Test func `another user or a group that the list lets write is refused`() throws {
        for list in [Self.list((2, 6, 4_711)), Self.list((8, 2, 4_711)), Self.list((2, 4, geteuid()), group: 6)] {
            try expectFailure(.keySource, saying: "can be written by other users") { try chain(file(list)) }
        }
    }

    @Test func `a directory counts with its list`() throws {
        let path = try directory.write("secret", to: "keys")
        func set(_ list: [UInt8]) throws {
            try #require(Attribute.set(Attribute.accessList, list, directory.path))
        }
        try set(Self.list((2, 7, geteuid()), owner: 7, group: 5))
        #expect(try chain(path) == KeyChain(.passphrase("secret")))
        for list in [Self.list((2, 7, 4_711), owner: 7, group: 5), Self.list((8, 3, 4_711), owner: 7)] {
            try set(list)
            try expectFailure(.keySource, saying: "can be replaced by other users", "chmod go-w '\(directory.path)'") {
                try chain(path)
            }
        }
        // Whom the directory keeps out, the file's list may name.
        try set(Self.list((2, 5, geteuid()), owner: 7))
        #expect(try chain(file(Self.list((2, 4, 4_711)))) == KeyChain(.passphrase("secret")))
        try set(Self.list((2, 1, 4_711), owner: 7))
        if SecretDirectory.isOpen { try expectFailure(.keySource, saying: "setfacl -b") { try chain(path) } }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `a credential of systemd is read by the user of its unit, and by no other`() async throws {
        let path = try file(Self.list((2, 4, 12_345)))
        try #require(
            Attribute.set(Attribute.accessList, Self.list((2, 5, 12_345), owner: 7), directory.path))
        for user in [12_345, 12_346] as [uid_t] {
            await #expect(processExitsWith: .success) {
                [directory = directory.path as String, path = path as String, user = user as uid_t] in
                try #require(setgid(user) == 0 && setuid(user) == 0)
                setenv("CREDENTIALS_DIRECTORY", directory, 1)
                let file = try KeyFile(credential: "keys")
                if user == 12_345 {
                    #expect(try file.keyChain() == KeyChain(.passphrase("secret")))
                    try expectFailure(.keySource) { try KeyFile(path).keyChain() }
                } else {
                    try expectFailure(.permissionDenied, saying: directory) { try file.keyChain() }
                }
            }
        }
    }

    @Test func `a list in another form is not understood`() {
        let list = Attribute.oneReader
        let access = ForeignAccess(0o640, list: list)
        #expect(access?.named == 4 && access?.anyone == 0)
        #expect(ForeignAccess(0o641, list: nil)?.anyone == 5)
        for other in [[], list + [0], [3] + list.dropFirst(), Attribute.list((64, 7, .max))] as [[UInt8]] {
            #expect(ForeignAccess(0o640, list: other)?.anyone == nil)
        }
    }
}

/// Mounts that end with the process, in which they are made.
private enum OwnMounts {
    private static let newNamespace: Int32 = 0x20000
    private static let (readOnly, remount, bind, recursive, isPrivate): (UInt, UInt, UInt, UInt, UInt) =
        (1, 32, 4_096, 16_384, 1 << 18)
    private static let unshare = Attribute.function("unshare", as: (@convention(c) (Int32) -> Int32).self)

    /// Whether this process may make them.
    static let arePossible: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/unshare")
        process.arguments = ["-m", "mount", "-t", "tmpfs", "tmpfs", NSTemporaryDirectory()]
        process.standardError = FileHandle.nullDevice
        guard geteuid() == 0, (try? process.run()) != nil else { return false }
        return process.waitForEnd() == 0
    }()

    static let reason: Comment = "this process may not mount file systems"

    /// Mounts a file system in memory at a path, for the running thread alone.
    static func mountMemory(_ path: String, mode: String) throws {
        try #require(unshare(newNamespace) == 0)
        try #require(mount(nil, "/", nil, recursive | isPrivate, nil) == 0)
        try #require(mount("tmpfs", path, "tmpfs", 0, "mode=\(mode)") == 0)
    }

    /// Shows a file or a directory at another path, where it cannot be written.
    static func bindReadOnly(_ source: String, at path: String) throws {
        try #require(mount(source, path, nil, bind, nil) == 0)
        try #require(mount(nil, path, nil, remount | bind | readOnly, nil) == 0)
    }

    static func enterRoot(_ path: String) throws { try #require(chroot(path) == 0 && chdir("/") == 0) }

    static func becomeUser(_ user: uid_t, group: gid_t) throws {
        var groups = [group]
        try #require(setgroups(1, &groups) == 0 && setgid(group) == 0 && setuid(user) == 0)
    }
}

@Suite(
    "Secrets on mounts", .enabled(if: OwnMounts.arePossible, OwnMounts.reason),
    .enabled(if: SecretDirectory.parent != nil, SecretDirectory.reason))
struct SecretMountTests {
    private let directory: SecretDirectory

    init() throws {
        directory = try SecretDirectory()
        for name in ["host", "pod"] {
            try FileManager.default.createDirectory(
                atPath: directory.path(name), withIntermediateDirectories: false)
            try #require(chmod(directory.path(name), 0o755) == 0)
        }
    }

    /// As in a pod that is not root: the volume's directory is everybody's, and the mount read-only.
    private static func readInPod(_ directory: String, mode: mode_t, group: gid_t) throws {
        let (host, pod) = ("\(directory)/host", "\(directory)/pod")
        try OwnMounts.mountMemory(host, mode: "1777")
        let path = "\(pod)/keys"
        for number in 1...2 {
            try SecretDirectory.publish("secret-\(number)", in: host, mode: mode)
            for name in try FileManager.default.contentsOfDirectory(atPath: "\(host)/..data/") {
                try #require(chown("\(host)/..data/\(name)", 0, group) == 0)
            }
            if number == 1 { try OwnMounts.bindReadOnly(host, at: pod) }
            let file = KeyFile(path, access: .mounted)
            #expect(try file.keyChain() == KeyChain(.passphrase("secret-\(number)")))
        }
        // Where the volume can be written, others could swap the link.
        try expectFailure(.keySource, saying: "can be replaced by other users") {
            try KeyFile("\(host)/keys", access: .mounted).keyChain()
        }
        try OwnMounts.becomeUser(12_345, group: 2_000)
        let file = KeyFile(path, access: .mounted)
        guard mode != 0o400 else {
            try expectFailure(.permissionDenied, saying: "fsGroup") { try file.keyChain() }
            return
        }
        #expect(try file.keyChain() == KeyChain(.passphrase("secret-2")))
        try expectFailure(.keySource, saying: "defaultMode: 0400", "fsGroup") { try KeyFile(path).keyChain() }
    }

    @Test(arguments: [0o440, 0o444, 0o644, 0o400] as [mode_t])
    func `a secret of Kubernetes is read where its pod may read it`(mode: mode_t) async {
        await #expect(processExitsWith: .success) {
            [directory = directory.path as String, mode = mode as mode_t] in
            try Self.readInPod(directory, mode: mode, group: 2_000)
        }
    }

    @Test(.enabled(if: SecretDirectory.isOpen, SecretDirectory.reasonOfOpen))
    func `on a read-only mount a file that others can write, or a named user can read, is refused`() async {
        await #expect(processExitsWith: .success) { [directory = directory.path as String] in
            let (host, pod) = ("\(directory)/host", "\(directory)/pod")
            try OwnMounts.mountMemory(host, mode: "0755")
            _ = try SecretDirectory.write("secret", to: "\(host)/written", mode: 0o666)
            let named = try SecretDirectory.write("secret", to: "\(host)/named")
            let hasLists = Attribute.set(Attribute.accessList, Attribute.oneReader, named)
            try OwnMounts.bindReadOnly(host, at: pod)
            try expectFailure(.keySource, saying: "can be written", "On this read-only mount") {
                try KeyFile("\(pod)/written", access: .mounted).keyChain()
            }
            if hasLists {
                try expectFailure(.keySource, saying: "access list", "On this read-only mount") {
                    try KeyFile("\(pod)/named", access: .mounted).keyChain()
                }
            }
            // `chmod` would be no advice here.
            let error = try expectFailure(.keySource, saying: "access: .mounted") {
                try KeyFile("\(pod)/written").keyChain()
            }
            #expect(!error.message.contains("chmod"))
        }
    }

    enum Mount: CaseIterable { case readOnly, writable, partOfTheRoot }

    @Test(.enabled(if: SecretDirectory.isOpen, SecretDirectory.reasonOfOpen), arguments: Mount.allCases)
    func `a file that others can read is read on a read-only mount of its own alone`(mount: Mount) async {
        await #expect(processExitsWith: .success) {
            [root = directory.path("host") as String, mount = "\(mount)" as String] in
            try OwnMounts.mountMemory(root, mode: "0755")
            let pod = "\(root)/pod"
            try FileManager.default.createDirectory(atPath: pod, withIntermediateDirectories: false)
            try #require(chmod(pod, 0o755) == 0)
            let path = try SecretDirectory.write("secret", to: "\(pod)/keys", mode: 0o444)
            if mount != "\(Mount.writable)" { try OwnMounts.bindReadOnly(pod, at: pod) }
            if mount == "\(Mount.partOfTheRoot)" { try OwnMounts.enterRoot(root) }
            let file = KeyFile(mount == "\(Mount.partOfTheRoot)" ? "/pod/keys" : path, access: .mounted)
            if mount == "\(Mount.readOnly)" {
                #expect(try file.keyChain() == KeyChain(.passphrase("secret")))
            } else {
                try expectFailure(.keySource, saying: "file system of its own that is mounted read-only") {
                    try file.keyChain()
                }
            }
        }
    }

    /// Each is a mount of its own, on a directory of the image.
    @Test func `a secret of Docker is read by every user of the container`() async throws {
        try directory.write("", to: "pod/keys")
        await #expect(processExitsWith: .success) { [directory = directory.path as String] in
            try OwnMounts.mountMemory("\(directory)/host", mode: "0700")
            let secret = try SecretDirectory.write("secret", to: "\(directory)/host/keys", mode: 0o444)
            try OwnMounts.bindReadOnly(secret, at: "\(directory)/pod/keys")
            try OwnMounts.becomeUser(12_345, group: 12_345)
            let path = "\(directory)/pod/keys"
            #expect(try KeyFile(path, access: .mounted).keyChain() == KeyChain(.passphrase("secret")))
            try expectFailure(.keySource, saying: "access: .mounted") { try KeyFile(path).keyChain() }
        }
    }

    @Test func `a refusal says what to set on the platform`() {
        #expect(KeyFile.advice(onMountOf: "/run/secrets/keys")?.contains("Docker") == true)
        let credential = KeyFile.advice(onMountOf: "/run/credentials/inventory.service/keys")
        #expect(credential?.contains("`LoadCredential=`") == true)
        #expect(KeyFile.advice(onMountOf: directory.path("keys")) == nil)
    }
}
#endif
