import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// A link, a FIFO or a directory in the place of a file that belongs to a database: an error that names it; it is not
/// followed, overwritten or waited for.
@Suite(.timeLimit(.minutes(5)))
struct PlantedFileTests {
    enum Kind: CaseIterable {
        case link, linkToNothing, fifo, directory
    }

    private static let content = Data("SQLite format 3\0 and all that is mine".utf8)

    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path("vault"), keys: .numbered(1)) }
    private var mine: String { directory.path("mine") }

    init() throws { try Self.content.write(to: URL(filePath: mine)) }

    private func plant(_ kind: Kind, at path: String) throws {
        switch kind {
        case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: mine)
        case .linkToNothing:
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.path("nothing"))
        case .fifo: try #require(mkfifo(path, 0o600) == 0)
        case .directory: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
    }

    /// Checks that what was planted is as it was, and removes it.
    private func uproot(_ path: String) throws {
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG, "\(path)")
        #expect(try Data(contentsOf: URL(filePath: mine)) == Self.content)
        #expect(!FileManager.default.fileExists(atPath: directory.path("nothing")))
        try FileManager.default.removeItem(atPath: path)
    }

    private static let endings = ["-wal", "-journal", "-shm", ".keys", ".keys.copy"]
    private static let companions = SideFiles.libraryEndings + ["lock"]

    @Test(arguments: Kind.allCases)
    func anOpeningRefusesIt(kind: Kind) async throws {
        try await vault.keep("line")
        let readOnly = vault.with(\.settings, StoreSettings(isReadOnly: true))
        for path in Self.endings.map({ vault.path + $0 }) + Self.companions.map(vault.beside) {
            try? FileManager.default.removeItem(atPath: path)
            try plant(kind, at: path)
            for configuration in [vault, readOnly] {
                let error = try await expectFailure(.notAFile, "\(path)") { try await configuration.open() }
                #expect(error.message.contains(path), "\(error)")
            }
            try uproot(path)
        }
        #expect(try await vault.lines() == ["line"])
    }

    @Test(arguments: ["-wal", "-journal", "-shm"], [Kind.link, .fifo])
    func aNewFileIsNotCreatedNextToIt(ending: String, kind: Kind) async throws {
        try FileManager.default.createDirectory(atPath: vault.directory, withIntermediateDirectories: false)
        try plant(kind, at: vault.path + ending)
        try await expectFailure(.notAFile) { try await vault.open() }
        try uproot(vault.path + ending)
        #expect(!FileManager.default.fileExists(atPath: vault.path))
    }

    /// The second name of a plaintext file that is being encrypted, which is overwritten with zeros at the end.
    @Test(arguments: Kind.allCases)
    func aRotationRefusesItAndTheStoreGoesOn(kind: Kind) async throws {
        let keys = [Key.numbered(1), .numbered(2)]
        let rotated = Locked(false)
        let vault = Vault(vault.directory) { _ in try KeyChain(rotated.withLock { $0 } ? keys : [keys[0]]) }
            .with(\.settings, StoreSettings(readers: 2, rotation: .manual))
        try await vault.keep("line")
        try await vault.using { store in
            rotated.withLock { $0 = true }
            try plant(kind, at: vault.beside("plaintext"))
            try await expectFailure(.notAFile) { try await store.rotate() }
            try uproot(vault.beside("plaintext"))
            #expect(try await store.rotate().to == 1)
        }
        #expect(try await vault.lines() == ["line"])
    }

    @Test func aSecondNameOfAnotherFileIsRemovedAndTheFileStays() async throws {
        try await vault.keep("line")
        try FileManager.default.linkItem(atPath: mine, toPath: vault.beside("plaintext"))
        #expect(try await vault.lines() == ["line"])
        #expect(try Data(contentsOf: URL(filePath: mine)) == Self.content)
        #expect(!FileManager.default.fileExists(atPath: vault.beside("plaintext")))
    }

    @Test(arguments: Kind.allCases)
    func aCopyIsNotMadeThroughIt(kind: Kind) async throws {
        try await vault.using { store in
            let path = directory.path(".copy.sqlite.new")
            try plant(kind, at: path)
            let copy = directory.path("copy.sqlite")
            try await expectFailure(.notAFile) { _ = try await store.backup(to: copy) }
            try await expectFailure(.notAFile) { try await store.exportPlaintext(to: copy) }
            try uproot(path)
            _ = try await store.backup(to: copy)
        }
    }

    @Test(arguments: [Kind.link, .fifo])
    func aRemovalRemovesNothing(kind: Kind) async throws {
        try await vault.keep("line")
        try plant(kind, at: vault.beside("restored"))
        try await expectFailure(.notAFile) { try await Stores(vault).remove("vault.sqlite") }
        try uproot(vault.beside("restored"))
        #expect(try await vault.lines() == ["line"])
    }

    @Test(arguments: [(0o700, false), (0o755, false), (0o770, true), (0o777, true), (0o1777, true)])
    func aDiagnosisTellsOfADirectoryThatOthersMayWriteTo(permissions: Int, isShared: Bool) async throws {
        try await vault.keep("line")
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: vault.directory)
        let diagnosis = try await Stores(vault).diagnose("vault.sqlite")
        #expect(diagnosis.finding == .intact && diagnosis.isDirectoryShared == isShared)
        #expect(diagnosis.description.contains("other users may write") == isShared)
    }

    @Test(arguments: ["-wal", "-journal"], [Kind.link, .fifo])
    func aDiagnosisNamesIt(ending: String, kind: Kind) async throws {
        try await vault.keep("line")
        try plant(kind, at: vault.path + ending)
        let diagnosis = try await Stores(vault).diagnose("vault.sqlite")
        #expect(diagnosis.finding == .sideFile)
        #expect(diagnosis.reason?.contains(vault.path + ending) == true)
        try uproot(vault.path + ending)
    }
}
