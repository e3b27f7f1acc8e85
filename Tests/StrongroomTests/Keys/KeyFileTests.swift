import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Key files")
struct KeyFileTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var path: String { directory.path("keys") }

    private static let hex = String(repeating: "0123456789abcdef", count: 4)
    private static let bytes: [UInt8] = (0..<4).flatMap { _ in
        [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF] as [UInt8]
    }

    private func write(_ content: Data, permissions: Int = 0o600) throws {
        let made = FileManager.default.createFile(
            atPath: path, contents: content, attributes: [.posixPermissions: permissions])
        try #require(made)
    }

    private func permissions() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    // MARK: Reading

    @Test(arguments: [
        ("secret\n", [Key.passphrase("secret")]),
        ("secret", [.passphrase("secret")]),
        ("old\nnew\n", [.passphrase("old"), .passphrase("new")]),
        ("old\r\nnew\r\n", [.passphrase("old"), .passphrase("new")]),
        ("\n\nold\n\n\r\nnew\n\n", [.passphrase("old"), .passphrase("new")]),
        (" with spaces \n", [.passphrase(" with spaces ")]),
        ("# no comment\n", [.passphrase("# no comment")]),
        ("пароль\n🔑", [.passphrase("пароль"), .passphrase("🔑")]),
        ("a\rb\n", [.passphrase("a\rb")]),
        ("raw:\(hex)\n", [.raw(bytes)]),
        ("raw:\(hex.uppercased())\r\n", [.raw(bytes)]),
        ("old\nraw:\(hex)", [.passphrase("old"), .raw(bytes)]),
        ("Raw:\(hex)", [.passphrase("Raw:\(hex)")]),
        (" raw:\(hex)", [.passphrase(" raw:\(hex)")]),
        (hex, [.passphrase(hex)]),
    ])
    func eachLineIsAKeyOldestFirst(content: String, keys: [Key]) throws {
        try write(Data(content.utf8))
        #expect(try KeyFile(path).keyChain() == KeyChain(keys))
    }

    // MARK: Refusals

    @Test(arguments: [0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o644, 0o666, 0o440])
    func aFileThatOthersCanUseIsRefusedWithTheCommandThatMendsIt(permissions: Int) throws {
        try write(Data("secret".utf8), permissions: permissions)
        try expectFailure(.keySource, saying: "chmod 600 '\(path)'") { try KeyFile(path).keyChain(creating: true) }
        #expect(try self.permissions() == permissions)
    }

    static let unusable: [(Data, String)] = [
        (Data(), "contains no key"),
        (Data("\n\r\n\n".utf8), "contains no key"),
        (Data([0xEF, 0xBB, 0xBF]) + Data("secret\n".utf8), "byte order mark"),
        (Data("sec\0ret\n".utf8), "not text in UTF-8"),
        (Data([0x70, 0xFF, 0x70]), "not text in UTF-8"),
        (Data([0x70, 0xC3]), "not text in UTF-8"),
        (Data("secret".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }), "not text in UTF-8"),
        (Data("secret\nraw:\n".utf8), "line 2"),
        (Data("raw:\(hex.dropLast())".utf8), "line 1"),
        (Data("raw:\(hex)0".utf8), "line 1"),
        (Data("raw: \(hex.dropLast())".utf8), "line 1"),
        (Data("a\nb\nraw:\(hex.dropLast())g\n".utf8), "line 3"),
        (Data(repeating: UInt8(ascii: "a"), count: 1_048_576), "1048576 bytes"),
    ]

    @Test(arguments: unusable.indices)
    func aFileThatIsNoListOfKeysIsRefusedAndStays(number: Int) throws {
        let (content, reason) = Self.unusable[number]
        try write(content)
        let before = try DirectorySnapshot(directory.path(""))
        for creating in [false, true] {
            let error = try expectFailure(.keySource) { try KeyFile(path).keyChain(creating: creating) }
            #expect(error.message.contains(reason))
            #expect(error.message.contains(path))
        }
        try before.expectUntouched()
    }

    @Test(.ending, arguments: [false, true])
    func aDirectoryIsRefusedAndAPipeIsNotWaitedFor(isPipe: Bool) throws {
        let code = isPipe ? mkfifo(path, 0o600) : mkdir(path, 0o700)
        try #require(code == 0)
        try expectFailure(.keySource, saying: "not a regular file") { try KeyFile(path).keyChain(creating: true) }
    }

    @Test func aMissingFileIsNamed() throws {
        try expectFailure(.fileMissing, saying: path) { try KeyFile(path).keyChain() }
        #expect(try !KeyFile(path).exists())
        #expect(try DirectorySnapshot(directory.path("")).names == [])
    }

    @Test func aDanglingLinkIsRefusedAndNoFileIsLeftNextToIt() throws {
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: directory.path("not there"))
        try expectFailure(.exists) { try KeyFile(path).keyChain(creating: true) }
        #expect(try DirectorySnapshot(directory.path("")).names == ["keys"])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away, and read those of others"))
    func aFileOfAnotherUserIsRefusedAndStays() throws {
        try write(Data("secret\n".utf8))
        try #require(chown(path, 12_345, 12_345) == 0)
        let before = try DirectorySnapshot(directory.path(""))
        let file = KeyFile(path)
        for appends in [false, true] {
            let error = try expectFailure(.keySource) { try appends ? file.appendKey() : file.keyChain().count }
            #expect(error.message.contains("belongs to user 12345"))
            #expect(error.message.contains("chown 0 '\(path)'"))
        }
        try before.expectUntouched()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func anOrdinaryUserIsToldWhoseFileItIs() async throws {
        try write(Data("secret\n".utf8))
        try #require(chmod(directory.path(""), 0o755) == 0)
        // That of root may be read by whom root lets: here by nobody.
        let cases: [(UInt32, StrongroomError.Code)] = [(12_345, .keySource), (0, .permissionDenied)]
        for (owner, code) in cases {
            try #require(chown(path, owner, owner) == 0)
            let expected = "\(code)"
            await #expect(processExitsWith: .success) { [path = path as String, expected = expected as String] in
                try #require(setgid(65_534) == 0 && setuid(65_534) == 0)
                let error = try #require(throws: StrongroomError.self) { try KeyFile(path).keyChain() }
                #expect("\(error.code)" == expected)
            }
        }
    }

    // MARK: Creating

    @Test func aNewFileHoldsOneRandomRawKeyForTheOwnerOnlyAndIsReadBackAsItIs() throws {
        let chain = try KeyFile(path).keyChain(creating: true)
        #expect(chain.count == 1)
        #expect(try permissions() == 0o600)
        let content = try String(contentsOfFile: path, encoding: .utf8)
        #expect(content.wholeMatch(of: /raw:[0-9a-f]{64}\n/) != nil)
        let before = try DirectorySnapshot(directory.path(""))
        #expect(before.names == ["keys"])
        #expect(try KeyFile(path).keyChain(creating: true) == chain && KeyFile(path).keyChain() == chain)
        #expect(try KeyFile(path).exists())
        try before.expectUntouched()
        let other = try KeyFile(directory.path("other")).keyChain(creating: true)
        #expect(other != chain)
    }

    /// All keys stand in it. What somebody has named in a like way is his.
    @Test func whatAKilledProcessHasLeftGoesWithTheNextKey() throws {
        try write(Data("old\n".utf8))
        for name in [".keys.new", "keys.2026.new"] {
            try Data("old\nraw:\(Self.hex)\n".utf8).write(to: URL(filePath: directory.path(name)))
        }
        #expect(try KeyFile(path).appendKey() == 2)
        #expect(try DirectorySnapshot(directory.path("")).names.sorted() == ["keys", "keys.2026.new"])
        #expect(try KeyFile(path).keyChain().count == 2)
    }

    @Test func itsDirectoriesAreCreatedForTheOwnerOnly() throws {
        _ = try KeyFile(directory.path("a/b/keys")).keyChain(creating: true)
        for name in ["a", "a/b"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.path(name))
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test func processesThatCreateAtOnceEndWithOneKey() async throws {
        let root = directory.path("")
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [root = root as String] in
                        let chain = try KeyFile("\(root)/keys").keyChain(creating: true)
                        try await Vault(root) { _ in chain }.with(\.settings, StoreSettings()).keep("a")
                    }
                }
            }
        }
        let chain = try KeyFile(path).keyChain()
        #expect(try await Vault(root) { _ in chain }.lines() == ["a", "a", "a", "a"])
    }

    @Test(arguments: [0o000, 0o777] as [UInt32])
    func theUmaskHasNoSay(mask: UInt32) async throws {
        await #expect(processExitsWith: .success) { [path = path as String, mask = mask as UInt32] in
            umask(mode_t(mask))
            _ = try KeyFile(path).keyChain(creating: true)
        }
        #expect(try permissions() == 0o600)
    }
}
