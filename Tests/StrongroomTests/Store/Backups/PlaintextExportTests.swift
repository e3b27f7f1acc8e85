import Foundation
// Internal: the size of a page, which depends on the engine.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Export as plaintext", .ending)
struct PlaintextExportTests {
    private let fixture: CopyFixture
    private var vault: Vault { fixture.vault }
    private var target: String { fixture.target }

    init() throws { fixture = try CopyFixture() }

    @Test func everythingComesAlong() async throws {
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
        #expect(try fixture.left == ["vault.sqlite"])
        #expect(try await fixture.plain.content() == content)
        // The source is what it was.
        #expect(try await vault.content() == content)
    }

    @Test func othersWriteMeanwhile() async throws {
        try await vault.using { store in
            let isWritten = Moment()
            let isFirst = Once()
            try await store.exportPlaintext(to: target) { progress in
                guard progress.phase == .writing, isFirst() else { return }
                Task {
                    try await store.write { db in try db.execute("DELETE FROM line") }
                    isWritten.come()
                }
                try? isWritten.block()
            }
            #expect(try await store.lineCount() == 0)
        }
        #expect(try await fixture.plain.lines().count == 6)
    }

    @Test func nothingIsOverwrittenAndNothingLeft() async throws {
        try await vault.using { store in
            try await expectFailure(.exists) { try await store.exportPlaintext(to: vault.path) }
            await expectCancelled { report in try await store.exportPlaintext(to: target) { report($0) } }
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
            let left = try fixture.left
            #expect(left.isEmpty)
        }
        #expect(refused > 3)
    }

    @Test func twoConcurrentExportsToOnePathLeaveOneCompleteFile() async throws {
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
        #expect(try await fixture.plain.lines().count == 6)
    }

    @Test func itFindsTheKeyThatAnotherProcessHasRotatedTo() async throws {
        let both = Vault(vault.directory, keys: .numbered(1), .numbered(2)).with(\.migrator, nil)
        let store = try await both.with(\.settings.rotation, .manual).open()
        #expect(try await store.lineCount() == 6)
        await #expect(processExitsWith: .success) { [root = vault.directory as String] in
            let other = try await Vault(root, keys: .numbered(1), .numbered(2)).with(\.migrator, nil).open()
            #expect(other.openReport.rotation?.isRotated == true)
            try await other.close()
        }
        try await store.exportPlaintext(to: target)
        try await store.close()
        #expect(try await fixture.plain.lines().count == 6)
    }
}
