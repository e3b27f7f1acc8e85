import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Files that are not databases of this engine")
struct BadInputTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path(""), keys: .numbered(1), .numbered(2)) }

    /// Opens what lies there, expects an error of a kind, and that nothing was touched and nothing came but the lock
    /// file.
    private func expectRefusal(
        _ code: StrongroomError.Code,
        saying words: [String],
        by vault: Vault? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let vault = vault ?? self.vault
        let before = try DirectorySnapshot(directory.path(""))
        // Twice: the first refusal must not change what the second one sees.
        for _ in 0..<2 {
            let error = try await expectFailure(code, sourceLocation: sourceLocation) { try await vault.open() }
            for word in words + [vault.path] {
                #expect(error.message.contains(word), "\(error)", sourceLocation: sourceLocation)
            }
            #expect(error.database == "vault.sqlite", sourceLocation: sourceLocation)
            try before.expectUntouched(sourceLocation: sourceLocation)
        }
        let strays = try FileManager.default.contentsOfDirectory(atPath: directory.path("")).filter {
            $0.hasSuffix("-shm") || $0.hasSuffix(".new")
        }
        #expect(strays == [], sourceLocation: sourceLocation)
    }

    private func write(_ bytes: Data) throws {
        try bytes.write(to: URL(filePath: vault.path))
    }

    private func random(_ count: Int) -> Data {
        var generator = SeededGenerator(UInt64(count))
        return Data((0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
    }

    @Test func anEmptyFile() async throws {
        try write(Data())
        try await expectRefusal(.emptyFile, saying: ["is empty", "restore it from a backup", "remove the file"])
    }

    private static let noise: [(code: StrongroomError.Code, counts: [Int], words: [String])] = [
        (.notADatabase, [1, 15, 16, 17, 100, 511], [" byte", "less than any database", "another path"]),
        (.wrongKey, [4096, 8192, 65536], ["2 keys", "Add the key", "no SQLCipher database"]),
        (.truncated, [513, 4097, 4100, 10_000], [" bytes", "not a multiple of the page size", "no database"]),
    ]

    @Test(arguments: noise.indices)
    func randomBytes(index: Int) async throws {
        let (code, counts, words) = Self.noise[index]
        for count in counts {
            try write(random(count))
            try await expectRefusal(code, saying: words + (code == .wrongKey ? [] : ["\(count) byte"]))
        }
    }

    @Test func aPageSizeOfSeveralSettingsIsNamedOnce() async throws {
        try write(random(4097))
        let settings = try CipherSettings.engineDefault()
        var other = settings
        other.iterations += 1
        let twice = vault.with(\.ciphers, [settings, other])
        try await expectRefusal(.truncated, saying: ["page size, \(settings.pageSize) bytes:"], by: twice)
    }

    @Test(arguments: [4096, 65536])
    func zeros(count: Int) async throws {
        try write(Data(count: count))
        try await expectRefusal(.wrongKey, saying: ["2 keys"])
    }

    @Test func aFileMadeWithAnotherKey() async throws {
        try await Vault(directory.path(""), keys: .numbered(9)).keep("a")
        try await expectRefusal(.wrongKey, saying: ["None of the chain's 2 keys", "at its beginning"])
    }

    @Test func aPlaintextDatabaseWhereAKeyIsGiven() async throws {
        try await Vault(directory.path("")) { _ in .plaintext }.keep("a")
        try await expectRefusal(.plaintextFile, saying: ["plaintext database", "KeyChain.plaintext", "not changed"])
    }

    @Test(arguments: [true, false])
    func anEncryptedDatabaseOrNoiseWherePlaintextIsAskedFor(isDatabase: Bool) async throws {
        if isDatabase { try await vault.keep("a") } else { try write(random(4096)) }
        let words = ["no plaintext database"] + (isDatabase ? ["Give the key"] : [])
        try await expectRefusal(.encryptedFile, saying: words, by: Vault(directory.path("")) { _ in .plaintext })
    }

    @Test func aPlaintextHeaderWithNothingBehindIt() async throws {
        try write(Data("SQLite format 3\0".utf8) + Data(count: 4080))
        let plaintext = Vault(directory.path("")) { _ in .plaintext }
        let before = try DirectorySnapshot(directory.path(""))
        try await expectFailure(.notADatabase) { try await plaintext.open() }
        try before.expectUntouched()
        try await expectRefusal(.plaintextFile, saying: ["plaintext database"])
    }

    @Test func aPlaintextHeaderBeforeRandomBytes() async throws {
        try write(Data("SQLite format 3\0".utf8) + random(4080))
        let plaintext = Vault(directory.path("")) { _ in .plaintext }
        try await expectRefusal(.plaintextHeader, saying: ["cipher_plaintext_header_size"], by: plaintext)
        try await expectRefusal(.plaintextHeader, saying: ["cipher_plaintext_header_size"])
    }

    enum Other: CaseIterable {
        case directory, pipe, linkToNothing, linkToItself

        var words: [String] {
            switch self {
            case .directory: ["a directory", "Use another path, or move it away"]
            case .pipe: ["not a regular file", "another path"]
            case .linkToNothing: ["symbolic link", "remove the link"]
            case .linkToItself: []
            }
        }
    }

    @Test(.ending, arguments: Other.allCases)
    func whatIsNoFile(other: Other) async throws {
        let files = FileManager.default
        switch other {
        case .directory:
            try files.createDirectory(atPath: vault.path, withIntermediateDirectories: false)
            try Data("kept".utf8).write(to: URL(filePath: "\(vault.path)/file"))
        case .pipe: try #require(mkfifo(vault.path, 0o600) == 0)
        case .linkToNothing:
            try files.createSymbolicLink(atPath: vault.path, withDestinationPath: directory.path("gone/file"))
        case .linkToItself: try files.createSymbolicLink(atPath: vault.path, withDestinationPath: vault.path)
        }
        try await expectRefusal(.notAFile, saying: other.words)
    }

    @Test func aSymbolicLinkToADatabaseIsFollowedAndStays() async throws {
        let elsewhere = Vault(directory.path("elsewhere"), keys: .numbered(2))
        try await elsewhere.keep("there")
        try FileManager.default.createSymbolicLink(
            atPath: vault.path, withDestinationPath: "elsewhere/vault.sqlite")
        try await vault.keep("more")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: vault.path) == "elsewhere/vault.sqlite")
        #expect(try await elsewhere.lines() == ["there", "more"])
    }

    @Test func aFileInThePlaceOfTheDirectory() async throws {
        try Data("file".utf8).write(to: URL(filePath: directory.path("file")))
        let before = try DirectorySnapshot(directory.path(""))
        let inside = Vault(directory.path("file/deeper"), keys: .numbered(1))
        try await expectFailure(.notAFile, saying: directory.path("file")) { try await inside.open() }
        try before.expectUntouched()
    }

    /// The path comes from the program's own configuration; one that depends on the working directory is a mistake in
    /// it.
    @Test(arguments: ["relative/vault.sqlite", "", "./vault.sqlite", "~/vault.sqlite", "/tmp/a\0b/vault.sqlite"])
    func aPathThatIsNotAbsolute(path: String) async throws {
        struct Misplaced: Configuration {
            static let target = "misplaced"
            let path: String
            func filePath(for database: DatabaseName) -> String? { path }
            func keyChain(for database: DatabaseName) throws -> KeyChain {
                Issue.record("the keys were asked for")
                return .plaintext
            }
        }
        let error = try await expectFailure(.invalidName) { try await Stores(Misplaced(path: path)).open("misplaced") }
        #expect(error.message.contains("begins with \"/\""))
        #expect(error.database == "misplaced")
    }

    @Test func anEmptyKeyChainIsAnErrorAndNoPlaintextFile() async throws {
        let keyless = Vault(directory.path("")) { _ in try KeyChain([]) }
        try await expectFailure(.invalidKey, saying: "KeyChain.plaintext") { try await keyless.open() }
        #expect(try DirectorySnapshot(directory.path("")).names == [])
    }
}
