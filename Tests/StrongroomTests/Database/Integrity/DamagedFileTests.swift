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
        // At a page's end, within a page, in the last page, one byte short.
        for cut in [page, 2 * page, size / page / 2 * page, size - page, size - page - 1, size - page + 1, size - 1] {
            let error = try await specimen.opening(specimen.content.prefix(cut))
            #expect(error?.code == .truncated, "\(cut) of \(size) bytes")
            #expect(error?.message.contains("backup") == true)
        }
        #expect(try await specimen.opening(specimen.content) == nil)
    }

    @Test func aFileThatWasCutOffWithinItsFirstPageIsTruncated() async throws {
        let specimen = try await Specimen()
        for cut in [512, 600, specimen.pageSize - 1] {
            #expect(try await specimen.opening(specimen.content.prefix(cut))?.code == .truncated, "\(cut) bytes")
        }
        // So little tells nobody what it was; the message names both.
        for cut in [1, 16, 100, 511] {
            let error = try await specimen.opening(specimen.content.prefix(cut))
            #expect(error?.code == .notADatabase, "\(cut) bytes")
            #expect(error?.message.contains("truncated") == true)
        }
    }

    @Test func aPlaintextFileThatWasCutOffWithinItsHeaderIsTruncated() async throws {
        let specimen = try await Specimen(plaintext: true)
        for cut in [16, 100, 511] {
            #expect(try await specimen.opening(specimen.content.prefix(cut))?.code == .truncated, "\(cut) bytes")
        }
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

    /// Its length in the first page may be that of the log's last commit, which is longer than the file.
    @Test func aFileWhoseEndLiesInTheLogIsNotTruncated() async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .signal(SIGKILL)) { [root = directory.path("") as String] in
            let store = try await Vault(root, keys: .numbered(1)).open()
            try await store.write { db in
                for _ in 0..<100 { try db.execute("INSERT INTO line VALUES (hex(randomblob(200)))") }
            }
            // A store that is released is closed.
            withExtendedLifetime(store) { _ = kill(getpid(), SIGKILL) }
        }
        let vault = Vault(directory.path(""), keys: .numbered(1))
        #expect(try await vault.lines().count == 100)
    }
}
