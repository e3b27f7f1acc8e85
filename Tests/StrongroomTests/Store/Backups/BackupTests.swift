import Foundation
// Internal: the source file with everything that a copy may lose, and the engine's keying.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Backup", .ending)
struct BackupTests {
    private let fixture: CopyFixture
    private var directory: TemporaryDirectory { fixture.directory }
    private var vault: Vault { fixture.vault }
    private var target: String { fixture.target }

    init() throws { fixture = try CopyFixture(makingFile: false) }

    /// The copy as a database of its own.
    private func copy(_ keys: Key...) -> Vault {
        Vault(directory.path("out")) { _ in try KeyChain(keys) }.with(\.migrator, nil)
    }

    /// The settings that a source has: those of the engine, and others, by which a copy is made row by row or page by
    /// page.
    static let settings: [CipherSettings?] = [nil, .sqlCipher3]

    @Test(arguments: settings, [nil, Key.numbered(9), .passphrase("another")])
    func everythingComesAlong(settings: CipherSettings?, key: Key?) async throws {
        let vault = try vault.with(\.ciphers, [settings ?? CipherSettings.engineDefault()])
        _ = try SourceFile(vault, key: .numbered(1), settings)
        let (content, report) = try await vault.using { store in
            let seen = Locked<[WorkProgress]>([])
            let report = try await store.backup(to: target, key: key) { progress in
                seen.withLock { $0.append(progress) }
            }
            #expect(Set(seen.withLock { $0 }.map(\.phase)) == Set(Self.phases))
            return (try await SourceFile.content(store), report)
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try fixture.left == ["vault.sqlite"])
        #expect(report.path == target && report.defect == nil)
        #expect(report.rows > 10 && report.tables > 3)
        #expect(report.bytes == attributes[.size] as? Int64)
        let opened = try copy(key ?? .numbered(1)).with(\.ciphers, [settings ?? CipherSettings.engineDefault()])
        #expect(try await opened.content() == content)
        #expect(try await vault.content() == content)
        // Nothing of it can be read without the key.
        #expect(try Data(contentsOf: URL(filePath: target)).range(of: Data(SourceFile.marker.utf8)) == nil)
    }

    @Test func aPlaintextDatabaseCanGetAnEncryptedCopy() async throws {
        _ = try SourceFile(vault, key: nil)
        let plain = Vault(vault.directory) { _ in .plaintext }.with(\.migrator, nil)
        let content = try await plain.using { store in
            _ = try await store.backup(to: target, key: .numbered(3))
            return try await SourceFile.content(store)
        }
        #expect(try await copy(.numbered(3)).using { try await SourceFile.content($0) } == content)
    }

    @Test func oneMomentIsCopiedWhileOthersWrite() async throws {
        let busy = Vault(directory.path("busy"), keys: .numbered(1))
        try await busy.using { store in
            let writing = Task {
                var count = 0
                while !Task.isCancelled {
                    count += 1
                    // Two rows a transaction: an odd number would be half of one.
                    try await store.write { db in
                        for _ in 0..<2 {
                            try db.execute("INSERT INTO line VALUES (\(String(repeating: "x", count: 500)))")
                        }
                    }
                }
                return count
            }
            for round in 0..<4 {
                let report = try await store.backup(
                    to: directory.path("out/\(round).sqlite"), key: round % 2 == 0 ? nil : .numbered(7))
                try FileManager.default.moveItem(atPath: directory.path("out/\(round).sqlite"), toPath: target)
                let made = Vault(directory.path("out"), keys: round % 2 == 0 ? .numbered(1) : .numbered(7))
                let count = try await made.lines().count
                #expect(count.isMultiple(of: 2))
                // The history of versions has a row.
                #expect(Int64(count) <= report.rows)
                try FileManager.default.removeItem(atPath: target)
            }
            writing.cancel()
            _ = try? await writing.value
        }
    }

    @Test func whatLiesThereIsReplacedOnlyWhenAsked() async throws {
        _ = try SourceFile(vault, key: .numbered(1))
        try await vault.using { store in
            try FileManager.default.createDirectory(atPath: directory.path("out"), withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: URL(filePath: target))
            try await expectFailure(.exists) { try await store.backup(to: target) }
            #expect(try Data(contentsOf: URL(filePath: target)) == Data("mine".utf8))
            try await expectFailure(.exists) { try await store.backup(to: vault.path) }
            let link = directory.path("link")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.path("nothing"))
            let named = try await expectFailure(.notAFile) { try await store.backup(to: link) }
            #expect(named.message.contains("\"\(link)\" is a symbolic link"), "\(named)")
            try await expectFailure(.exists) { try await store.backup(to: vault.path, replacing: true) }
            try await expectFailure(.notAFile) { try await store.backup(to: directory.path("out"), replacing: true) }
            try await expectFailure(.invalidKey) {
                try await store.backup(to: directory.path("other"), key: .plaintext)
            }
            try Data("log".utf8).write(to: URL(filePath: target + "-wal"))
            try await expectFailure(.locked) { try await store.backup(to: target, replacing: true) }
            try FileManager.default.removeItem(atPath: target + "-wal")
            _ = try await store.backup(to: target, replacing: true)
            #expect(try fixture.left == ["vault.sqlite"])
        }
        #expect(try await copy(.numbered(1)).lines().count == 6)
    }

    #if os(Linux)
    @Test func whatAnotherProcessHasOpenIsNotReplaced() async throws {
        _ = try SourceFile(vault, key: .numbered(1))
        try await vault.using { store in
            _ = try await store.backup(to: target)
            let before = try Data(contentsOf: URL(filePath: target))
            let holder = try FileHolder(target)
            defer { holder.end() }
            try await expectFailure(.locked) { try await store.backup(to: target, replacing: true) }
            #expect(try Data(contentsOf: URL(filePath: target)) == before)
            #expect(try fixture.left == ["vault.sqlite"])
        }
    }
    #endif

    static let phases: [WorkProgress.Phase] = [.writing, .verifying]

    @Test(arguments: phases, [true, false])
    func whatIsCancelledLeavesWhatWasThere(phase: WorkProgress.Phase, isReplacing: Bool) async throws {
        _ = try SourceFile(vault, key: .numbered(1))
        try await vault.using { store in
            if isReplacing { _ = try await store.backup(to: target) }
            let before = try? Data(contentsOf: URL(filePath: target))
            await expectCancelled(at: phase) { report in
                try await store.backup(to: target, replacing: true) { report($0) }
            }
            #expect((try? Data(contentsOf: URL(filePath: target))) == before)
            #expect(try fixture.left == (isReplacing ? ["vault.sqlite"] : []))
            #expect(try await store.lineCount() == 6)
        }
    }

    @Test(arguments: [true, false])
    func damageIsNotCopiedAsZeros(isZeroed: Bool) async throws {
        let refused = try await DamageSpecimen().refusals(atEvery: 7, isZeroed: isZeroed) { store in
            _ = try await store.backup(to: target, replacing: true)
        }
        #expect(refused > 2)
        #expect(try fixture.left.allSatisfy { $0 == "vault.sqlite" })
    }
}

/// A directory with a vault that has a ``SourceFile``, and a place for copies.
struct CopyFixture {
    let directory: TemporaryDirectory
    let vault: Vault

    init(makingFile: Bool = true) throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path("source"), keys: .numbered(1)).with(\.migrator, nil)
        try FileManager.default.createDirectory(atPath: vault.directory, withIntermediateDirectories: true)
        if makingFile { _ = try SourceFile(vault, key: .numbered(1)) }
    }

    var target: String { directory.path("out/vault.sqlite") }

    /// The copy as a plaintext database.
    var plain: Vault { Vault(directory.path("out")) { _ in .plaintext }.with(\.migrator, nil) }

    /// What is beside the copy, but for the lock that keeps two apart.
    var left: [String] { get throws { try Self.names(in: directory.path("out")) } }

    static func names(in directory: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: directory) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: directory).filter { !$0.hasSuffix(".lock") }.sorted()
    }
}
