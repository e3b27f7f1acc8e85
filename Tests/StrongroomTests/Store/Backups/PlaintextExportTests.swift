import Foundation
// Internal: the size of a page, which depends on the engine.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Export as plaintext", .ending)
struct PlaintextExportTests {
    private let directory: TemporaryDirectory
    private let vault: Vault

    init() throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path("source"), keys: .numbered(1)).with(\.migrator, nil)
        try FileManager.default.createDirectory(atPath: vault.directory, withIntermediateDirectories: true)
    }

    private var target: String { directory.path("out/vault.sqlite") }

    /// What lies beside it but for the lock that keeps two exports apart.
    private var left: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: directory.path("out")).filter { !$0.hasSuffix(".lock") }
        }
    }

    @Test func everythingComesAlong() async throws {
        _ = try SourceFile(vault, key: .numbered(1))
        let content = try await vault.using { store in
            let seen = Locked<[WorkProgress]>([])
            try await store.exportPlaintext(to: target) { progress in seen.withLock { $0.append(progress) } }
            let progress = seen.withLock { $0 }
            #expect(progress.last.map { $0.done == $0.total && $0.total > 3 && $0.unit == .bytes } == true)
            return try await SourceFile.content(store)
        }
        let bytes = try Data(contentsOf: URL(filePath: target))
        #expect(bytes.starts(with: Data("SQLite format 3\0".utf8)))
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try left == ["vault.sqlite"])
        let plain = Vault(directory.path("out")) { _ in .plaintext }.with(\.migrator, nil)
        #expect(try await plain.using { try await SourceFile.content($0) } == content)
        // The source is what it was.
        #expect(try await vault.using { try await SourceFile.content($0) } == content)
    }

    @Test func othersWriteMeanwhile() async throws {
        _ = try SourceFile(vault, key: .numbered(1))
        try await vault.using { store in
            let isWritten = Moment()
            let hasBegun = Locked(false)
            try await store.exportPlaintext(to: target) { progress in
                let isFirst = progress.phase == .writing && !hasBegun.withLock { $0 }
                guard isFirst else { return }
                hasBegun.withLock { $0 = true }
                Task {
                    try await store.write { db in try db.execute("DELETE FROM line") }
                    isWritten.come()
                }
                try? isWritten.block()
            }
            #expect(try await store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) } == 0)
        }
        let plain = Vault(directory.path("out")) { _ in .plaintext }.with(\.migrator, nil)
        #expect(try await plain.lines().count == 6)
    }

    @Test func nothingIsOverwrittenAndNothingLeft() async throws {
        _ = try SourceFile(vault, key: .numbered(1))
        try await vault.using { store in
            try await expectFailure(.exists) { try await store.exportPlaintext(to: vault.path) }
            let task = Task {
                try await store.exportPlaintext(to: target) { _ in withUnsafeCurrentTask { $0?.cancel() } }
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(!FileManager.default.fileExists(atPath: target))
            try await expectFailure(.notAFile) { try await store.exportPlaintext(to: "/dev/null/inside") }
        }
    }

    @Test(arguments: [true, false])
    func damageIsNotExportedAsZeros(isZeroed: Bool) async throws {
        // Some pages of each kind.
        let refused = try await DamageSpecimen().refusals(atEvery: 5, isZeroed: isZeroed) { store in
            try await store.exportPlaintext(to: target)
            try FileManager.default.removeItem(atPath: target)
        } whenRefused: {
            let left = try left
            #expect(left.isEmpty)
        }
        #expect(refused > 3)
    }

    @Test func twoConcurrentExportsToOnePathLeaveOneCompleteFile() async throws {
        _ = try SourceFile(vault, key: .numbered(1))
        try await vault.using { store in
            let outcomes = await withTaskGroup(of: StrongroomError.Code?.self) { group in
                for _ in 0..<4 {
                    group.addTask { [target] in
                        do {
                            try await store.exportPlaintext(to: target)
                            return nil
                        } catch {
                            return (error as? StrongroomError)?.code ?? .engine
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.filter { $0 == nil }.count == 1)
            #expect(outcomes.compactMap(\.self).allSatisfy { [.locked, .exists].contains($0) }, "\(outcomes)")
        }
        #expect(try await Vault(directory.path("out")) { _ in .plaintext }.with(\.migrator, nil).lines().count == 6)
    }

    @Test func itFindsTheKeyThatAnotherProcessHasRotatedTo() async throws {
        _ = try SourceFile(vault, key: .numbered(1))
        let both = Vault(vault.directory, keys: .numbered(1), .numbered(2)).with(\.migrator, nil)
        let store = try await both.with(\.settings.rotation, .manual).open()
        #expect(try await store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) } == 6)
        await #expect(processExitsWith: .success) { [root = vault.directory as String] in
            let other = try await Vault(root, keys: .numbered(1), .numbered(2)).with(\.migrator, nil).open()
            #expect(other.opening.rotation?.isRotated == true)
            try await other.close()
        }
        try await store.exportPlaintext(to: target)
        try await store.close()
        #expect(try await Vault(directory.path("out")) { _ in .plaintext }.with(\.migrator, nil).lines().count == 6)
    }
}
