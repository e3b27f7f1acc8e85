import Foundation
// Internal: the size of a page, which depends on the engine.
@testable import Strongroom
import StrongroomTesting
import Testing

/// A file with a schema that fills many pages and a table that fills some.
private struct Specimen {
    let directory: TemporaryDirectory
    let vault: Vault
    let content: Data
    let pageSize: Int

    var pages: Int { content.count / pageSize }

    init(plaintext: Bool = false) async throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path("")) { _ in plaintext ? .plaintext : try KeyChain(.numbered(1)) }
        let store = try await vault.open()
        try await store.write { db in
            for number in 0..<60 {
                let name = "table_\(number)_\(String(repeating: "x", count: 100))"
                try db.execute("CREATE TABLE \(name: name) (a TEXT DEFAULT 'something', b, c)")
            }
            for number in 0..<60 {
                let text = String(repeating: "line \(number) ", count: 40)
                try db.execute("INSERT INTO line VALUES (\(text))")
            }
        }
        try await store.close()
        content = try Data(contentsOf: URL(filePath: vault.path))
        pageSize = try CipherSettings.engineDefault().pageSize
        #expect(content.count.isMultiple(of: pageSize))
    }

    /// Puts bytes in the file's place and opens it, reading nothing of the tables.
    func opening(_ bytes: Data) async throws -> StrongroomError? {
        try bytes.write(to: URL(filePath: vault.path))
        let before = try DirectorySnapshot(directory.path(""))
        do {
            try await vault.open().close()
            return nil
        } catch let error as StrongroomError {
            try before.expectUntouched()
            #expect(error.database == "vault.sqlite")
            return error
        }
    }

    /// The content with one bit changed in a page, 1 being the first.
    func flipped(page: Int, offset: Int) -> Data {
        var bytes = content
        bytes[(page - 1) * pageSize + offset] ^= 0x10
        return bytes
    }
}

@Suite("Damaged and truncated files")
struct DamagedFileTests {
    @Test(arguments: [false, true])
    func aFileThatWasCutOffIsTruncated(plaintext: Bool) async throws {
        let specimen = try await Specimen(plaintext: plaintext)
        let (page, size) = (specimen.pageSize, specimen.content.count)
        // Within the first page, at a page's end, within a page, in the last page, one byte short.
        let cuts = [page, 2 * page, size / page / 2 * page, size - page, size - page - 1, size - page + 1, size - 1]
        for cut in (plaintext ? [16, 100, 511] : []) + [512, 600, page - 1] + cuts {
            let error = try await specimen.opening(specimen.content.prefix(cut))
            #expect(error?.code == .truncated, "\(cut) of \(size) bytes")
            #expect(error?.message.contains("backup") == true)
        }
        // So little tells nobody what it was; the message names both.
        for cut in plaintext ? [] : [1, 16, 100, 511] {
            let error = try await specimen.opening(specimen.content.prefix(cut))
            #expect(error?.code == .notADatabase, "\(cut) bytes")
            #expect(error?.message.contains("truncated") == true)
        }
        #expect(try await specimen.opening(specimen.content) == nil)
    }

    @Test func aDamagedFirstPageIsNoKeyThatFits() async throws {
        let specimen = try await Specimen()
        for offset in [0, 20, specimen.pageSize / 2] {
            let error = try await specimen.opening(specimen.flipped(page: 1, offset: offset))
            #expect(error?.code == .wrongKey)
            #expect(error?.message.contains("first page is damaged") == true)
        }
    }

    @Test func aDamagedHistoryOfVersionsIsDamagedAndRunsNoMigration() async throws {
        let specimen = try await Specimen()
        var damaged = 0
        let more = Migrator {
            Migration("1") { db in if !db.isDryRun { Issue.record("the first migration ran again") } }
        }
        for page in 2...specimen.pages {
            try specimen.flipped(page: page, offset: 40).write(to: URL(filePath: specimen.vault.path))
            do {
                try await specimen.vault.with(\.migrator, more).open().close()
            } catch let error as StrongroomError {
                #expect(error.code == .damaged)
                damaged += 1
            }
        }
        #expect(damaged >= 2)
    }
}
