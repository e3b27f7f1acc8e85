import Foundation
import Strongroom
import Testing

@Suite("Key files that a platform mounts", .enabled(if: SecretDirectory.parent != nil, SecretDirectory.reason))
struct MountedKeyFileTests {
    private static let rootReason: Comment = "only root can give files away, and become another user"
    private static let secret = try? KeyChain(.passphrase("secret"))

    private let directory: SecretDirectory

    init() throws { directory = try SecretDirectory() }

    private func chain(_ path: String) throws -> KeyChain { try KeyFile(path, access: .mounted).keyChain() }

    private func expectRefusal(
        _ path: String, saying words: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let error = try expectFailure(.keySource, saying: path, sourceLocation: sourceLocation) { try chain(path) }
        for word in words { #expect(error.message.contains(word), "\(error)", sourceLocation: sourceLocation) }
    }

    /// A directory of a mode in the other one, with a file.
    private func inner(_ mode: mode_t, file: mode_t = 0o400) throws -> String {
        try FileManager.default.createDirectory(
            atPath: directory.path("inner/way"), withIntermediateDirectories: true)
        let path = try directory.write("secret", to: "inner/way/keys", mode: file)
        try #require(chmod(directory.path("inner/way"), 0o755) == 0 && chmod(directory.path("inner"), mode) == 0)
        return path
    }

    // MARK: Modes

    @Test(arguments: [0o600, 0o400, 0o700] as [mode_t])
    func `a file that only its owner may use is read`(mode: mode_t) throws {
        #expect(try chain(directory.write("secret", to: "keys", mode: mode)) == Self.secret)
    }

    @Test(
        .enabled(if: SecretDirectory.isOpen, SecretDirectory.reasonOfOpen),
        arguments: [0o440, 0o444, 0o640, 0o644, 0o404] as [mode_t])
    func `a file that others can read is refused on a mount that can be written`(mode: mode_t) throws {
        let path = try directory.write("secret", to: "keys", mode: mode)
        try expectRefusal(path, saying: "can be read by other users", "mounted read-only", "chmod go= '\(path)'")
    }

    @Test(arguments: [0o440, 0o444, 0o640, 0o644] as [mode_t])
    func `a file in a directory that keeps others out is read`(mode: mode_t) throws {
        #expect(try chain(inner(0o700, file: mode)) == Self.secret)
    }

    @Test(arguments: [0o420, 0o402, 0o660, 0o606, 0o666] as [mode_t])
    func `a file that others can write is refused, though they do not reach it`(mode: mode_t) throws {
        let path = try inner(0o700, file: mode)
        try expectRefusal(path, saying: "can be written by other users", "chmod go-w '\(path)'")
    }

    @Test(arguments: [0o777, 0o1777, 0o775, 0o757, 0o1770, 0o722] as [mode_t])
    func `a file below a directory that others can write is refused, sticky or not`(mode: mode_t) throws {
        let path = try inner(mode)
        let words = ["can be replaced by other users", "chmod go-w '\(directory.path("inner"))'"]
        try expectRefusal(path, saying: words[0], words[1])
        // The same through a link from a directory that only this user can write.
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link"), withDestinationPath: "inner/way/keys")
        try expectRefusal(directory.path("link"), saying: words[0], words[1])
    }

    @Test(.enabled(if: SecretDirectory.isOpen, SecretDirectory.reasonOfOpen))
    func `a directory that the path leaves again keeps nobody out`() throws {
        let keys = try directory.write("secret", to: "keys", mode: 0o644)
        try FileManager.default.createDirectory(
            atPath: directory.path("closed"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("closed/absolute"), withDestinationPath: keys)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("closed/relative"), withDestinationPath: "../keys")
        for detour in ["closed/absolute", "closed/relative", "closed/../keys"] {
            try expectRefusal(directory.path(detour), saying: "can be read by other users")
        }
    }

    @Test func `a link in a directory that others can write is refused`() throws {
        try directory.write("secret", to: "keys")
        _ = try inner(0o1777)
        let link = directory.path("inner/link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.path("keys"))
        try expectRefusal(link, saying: "chmod go-w '\(directory.path("inner"))'")
        // Also where it is one of several.
        let first = directory.path("first")
        try FileManager.default.createSymbolicLink(atPath: first, withDestinationPath: "./inner/../inner/link")
        try expectRefusal(first, saying: "chmod go-w '\(directory.path("inner"))'")
    }

    // MARK: Owners

    enum Stranger: CaseIterable { case file, directory, link }

    @Test(.enabled(if: geteuid() == 0, rootReason), arguments: Stranger.allCases)
    func `what belongs to another user is refused`(stranger: Stranger) throws {
        let path = try inner(0o755)
        let link = directory.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "inner/way/keys")
        switch stranger {
        case .file:
            try #require(chown(path, 12_345, 0) == 0)
            try expectRefusal(link, saying: "belongs to user 12345")
        case .directory:
            try #require(chown(directory.path("inner"), 12_345, 0) == 0)
            try expectRefusal(link, saying: "user 12345, who owns the directory \"\(directory.path("inner"))\"")
        case .link:
            try #require(lchown(link, 12_345, 0) == 0)
            try expectRefusal(link, saying: "user 12345, who owns the symbolic link \"\(link)\"")
        }
    }

    // MARK: Links that are swapped

    @Test func `a secret whose link is swapped is read anew`() throws {
        for number in 1...3 {
            let path = try directory.publish("secret-\(number)\n")
            #expect(try chain(path) == KeyChain(.passphrase("secret-\(number)")))
        }
        // The file is not at hand between two versions of it.
        try FileManager.default.removeItem(atPath: directory.path("..data"))
        try expectFailure(.fileMissing, saying: "what the platform mounts") { try chain(directory.path("keys")) }
    }

    @Test(.ending)
    func `a link that is swapped all the time is followed`() async throws {
        let path = try directory.publish("secret")
        try await withThrowingTaskGroup { group in
            group.addTask { [directory] in for _ in 0..<300 { try directory.publish("secret") } }
            for _ in 0..<300 { #expect(try chain(path) == Self.secret) }
            try await group.waitForAll()
        }
    }

    @Test func `an owner's key file on it is told what to set`() throws {
        let path = try directory.publish("secret", mode: 0o444)
        try expectFailure(.keySource, saying: "defaultMode: 0400", "fsGroup", "access: .mounted") {
            try KeyFile(path).keyChain()
        }
    }

    @Test(.ending)
    func `a store finds the new key at the next rotation, and at the next opening`() async throws {
        let path = try directory.publish("one\n")
        let vault = Vault(directory.path("files")) { _ in try KeyFile(path, access: .mounted).keyChain() }
        try await vault.using { store in
            #expect(try await store.rotate().method == .unchanged)
            try directory.publish("one\ntwo\n")
            let report = try await store.rotate()
            #expect(report.from == 0 && report.to == 1)
            try directory.publish("two\nthree\n")
        }
        let rotation = try #require(try await vault.keep("a").rotation)
        #expect(rotation.from == 0 && rotation.to == 1)
        #expect(try await Vault(directory.path("files"), keys: .passphrase("three")).lines() == ["a"])
    }

    // MARK: Changes

    @Test(.ending)
    func `a swapped link, a written file and one that is back are changes`() async throws {
        let path = try directory.publish("one")
        var changes = KeyFile(path, access: .mounted).changes(every: .milliseconds(2)).makeAsyncIterator()
        try directory.publish("two")
        #expect(await changes.next() != nil)
        try SecretDirectory.publish("three", in: directory.path, mode: 0o600)
        #expect(await changes.next() != nil)
        try SecretDirectory.write("another", to: path, mode: 0o600)
        #expect(await changes.next() != nil)
        let gone = directory.path("gone")
        try #require(rename(directory.path("..data"), gone) == 0)
        try await Task.sleep(for: .milliseconds(20))
        try directory.publish("four")
        #expect(await changes.next() != nil)
    }

    @Test(.ending)
    func `changes end with their task, and there are none without one`() async throws {
        let changes = try KeyFile(directory.publish("one"), access: .mounted).changes(every: .milliseconds(2))
        let count = Task { await changes.reduce(into: 0) { count, _ in count += 1 } }
        try await Task.sleep(for: .milliseconds(50))
        count.cancel()
        #expect(await count.value == 0)
    }

    // MARK: Never written

    @Test func `it is neither created nor changed`() throws {
        let missing = KeyFile(directory.path("missing"), access: .mounted)
        try expectFailure(.fileMissing, saying: "what the platform mounts") { try missing.keyChain() }
        let there = try KeyFile(directory.write("secret", to: "keys", mode: 0o600), access: .mounted)
        for work in [
            { _ = try missing.keyChain(creating: true) }, { try missing.create() }, { try there.create() },
            { try there.appendKey() },
        ] as [() throws -> Void] {
            try expectFailure(.keySource, saying: "the platform's", "not written here") { try work() }
        }
        #expect(try there.keyChain(creating: true) == Self.secret)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["keys"])
        #expect(try String(contentsOfFile: there.path, encoding: .utf8) == "secret")
    }

    // MARK: Content

    private static let digits = String(repeating: "0123456789abcdef", count: 4)

    @Test(arguments: [
        ("", "contains no key"), ("\r\n\n", "contains no key"), ("\u{FEFF}secret\n", "byte order mark"),
        ("old\nraw:\(digits.dropLast(20))", "line 2"), ("old\nraw:\(digits) raw:\(digits)\n", "line 2"),
        ("raw:\(digits),\n", "a line of its own"), ("sec\0ret", "not text in UTF-8"),
    ])
    func `keys that are half written or not one a line are refused`(content: String, words: String) throws {
        let path = try directory.write(content, to: "keys")
        try expectRefusal(path, saying: words)
        try expectFailure(.keySource, saying: words) { try KeyFile(path).keyChain() }
    }

    @Test(arguments: ["secret", "secret\n", "secret\r\n", "\r\n\nsecret\r\n\r\n"])
    func `the end of a line is not part of a key`(content: String) throws {
        #expect(try chain(directory.write(content, to: "keys")) == Self.secret)
    }

    @Test func `a directory or a pipe is refused`() throws {
        try expectRefusal(directory.path, saying: "not a regular file")
        try #require(mkfifo(directory.path("pipe"), 0o400) == 0)
        try expectRefusal(directory.path("pipe"), saying: "not a regular file")
    }

    // MARK: Credentials

    @Test func `a credential is a file in the directory of the variable`() async throws {
        try directory.write("secret\n", to: "keys")
        await #expect(processExitsWith: .success) { [directory = directory.path as String] in
            unsetenv("CREDENTIALS_DIRECTORY")
            try expectFailure(.keySource, saying: "LoadCredential=keys:") { try KeyFile(credential: "keys") }
            setenv("CREDENTIALS_DIRECTORY", "", 1)
            try expectFailure(.keySource, saying: "LoadCredential=keys:") { try KeyFile(credential: "keys") }
            setenv("CREDENTIALS_DIRECTORY", directory, 1)
            let file = try KeyFile(credential: "keys")
            #expect(file.path == "\(directory)/keys" && file.access == .mounted)
            #expect(try file.keyChain() == KeyChain(.passphrase("secret")))
            try expectFailure(.fileMissing) { try KeyFile(credential: "other").keyChain() }
            for name in ["", ".", "..", "a/b", "/etc/passwd", "a\0b"] {
                try expectFailure(.keySource, saying: "no name of a credential") { try KeyFile(credential: name) }
            }
        }
    }
}
