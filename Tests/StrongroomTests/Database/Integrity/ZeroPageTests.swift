import Foundation
// Internal: the size of a page, and a connection without the library's settings.
@testable import Strongroom
import StrongroomTesting
import Testing

/// A disk that gives back zeros for a page, which SQLCipher 3 takes for a sound one, and version 4 in a file with
/// `auto_vacuum`.
@Suite("A page of zeros", .ending)
struct ZeroPageTests {
    @Test func isNotCopiedIntoAMigrationBackup() async throws {
        let directory = try TemporaryDirectory()
        let size = try CipherSettings.engineDefault().pageSize
        let vault = Vault(directory.path(""), keys: .numbered(1))
            .with(\.migrator, Vault.lines).with(\.settings.migrationBackups, .newest(2))
        for number in 0..<4 { try await vault.keep(String(repeating: "line \(number) ", count: size / 3)) }
        let whole = try Data(contentsOf: URL(filePath: vault.path))
        let newer = vault.with(
            \.migrator,
            Migrator {
                Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
                Migration("2") { db in try db.execute("CREATE TABLE other (text TEXT)") }
            })
        // The table that the step does not touch, and the pages behind it.
        for index in stride(from: whole.count - 4 * size, to: whole.count, by: size) {
            var bytes = whole
            bytes.replaceSubrange(index..<index + size, with: Data(count: size))
            for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: vault.path + ending) }
            try bytes.write(to: URL(filePath: vault.path))
            try await expectFailure(.damaged) { try await newer.open() }
            #expect(try Stores(newer).migrationBackups(of: "vault.sqlite") == [])
        }
        try whole.write(to: URL(filePath: vault.path))
        #expect(try await newer.lines().count == 4)
        #expect(try Stores(newer).migrationBackups(of: "vault.sqlite").count == 1)
    }

    @Test func neverGivesWrongRowsInAFileWithAutoVacuum() async throws {
        let directory = try TemporaryDirectory()
        let size = try CipherSettings.engineDefault().pageSize
        let vault = Vault(directory.path(""), keys: .numbered(1))
        let connection = try vault.connection(.create)
        try connection.run("PRAGMA auto_vacuum = FULL")
        try connection.run("CREATE TABLE seed (a)")
        connection.close()
        let lines = (0..<6).map { number in
            String(repeating: "line \(number) ", count: size / (number.isMultiple(of: 2) ? 2 : 90))
        }
        for line in lines { try await vault.keep(line) }
        let whole = try Data(contentsOf: URL(filePath: vault.path))
        var told = 0
        for index in stride(from: size, to: whole.count, by: size) {
            var bytes = whole
            bytes.replaceSubrange(index..<index + size, with: Data(count: size))
            for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: vault.path + ending) }
            try bytes.write(to: URL(filePath: vault.path))
            do {
                #expect(try await vault.lines() == lines, "page \(index / size + 1)")
            } catch let error as StrongroomError {
                #expect(error.code == .damaged, "\(error)")
                told += 1
            }
        }
        #expect(told > 5)
    }

    /// While a store is open the log's checksums are not looked at any more.
    @Test(arguments: PageDamage.allCases) func neverGivesWrongRowsInTheLog(damage: PageDamage) async throws {
        let vault = Vault(keys: .numbered(1))
        try await vault.keep("first")
        let pageSize = try CipherSettings.engineDefault().pageSize
        let line = String(repeating: "0123456789", count: pageSize / 2)
        try await vault.using { store in
            try await store.write { db in try db.execute("INSERT INTO line VALUES (\(line))") }
            let log = vault.path + "-wal"
            let whole = try Data(contentsOf: URL(filePath: log))
            var told = 0
            for index in stride(from: 32, to: whole.count, by: 24 + pageSize) {
                // Without the table's own page every read is refused.
                let page = whole[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
                guard page > 2 else { continue }
                let handle = try FileHandle(forWritingTo: URL(filePath: log))
                defer { try? handle.close() }
                try handle.seek(toOffset: UInt64(index + 24))
                let frame = index + 24..<index + 24 + pageSize
                try handle.write(contentsOf: damage.applied(to: frame, of: whole)[frame])
                do {
                    let found = try await store.value("SELECT text FROM line WHERE rowid = 2", as: String.self)
                    #expect(found == line, "page \(page)")
                } catch let error as StrongroomError {
                    #expect(error.code == .damaged, "\(error)")
                    told += 1
                }
                try handle.seek(toOffset: UInt64(index))
                try handle.write(contentsOf: whole[index..<index + 24 + pageSize])
                try await store.releaseMemory()
            }
            #expect(told >= 4)
            #expect(try await store.lineCount() == 2)
        }
    }

    /// Pages that nobody uses may never have been written: a copy, and a rotation in place, take them over.
    @Test func isNoDamageWhereNoPageHasEverBeenWritten() async throws {
        let directory = try TemporaryDirectory()
        let size = try CipherSettings.engineDefault().pageSize
        let vault = Vault(directory.path(""), keys: .numbered(1))
        let connection = try vault.connection(.create)
        try connection.run("PRAGMA secure_delete = OFF")
        try connection.run("CREATE TABLE large (content)")
        try connection.inTransaction(.immediate) {
            for _ in 0..<6 { try connection.run("INSERT INTO large VALUES (randomblob(20000))") }
            try connection.run("DELETE FROM large WHERE rowid IN (2, 4)")
        }
        connection.close()
        let content = try Data(contentsOf: URL(filePath: vault.path))
        let pages = stride(from: 0, to: content.count, by: size).map { content[$0..<$0 + size] }
        #expect(pages.contains { $0.allSatisfy { $0 == 0 } }, "the engine leaves no holes any more: drop the rule")
        try await vault.using { store in
            #expect(try await store.verify().isIntact)
            try await store.write { db in
                for _ in 0..<3 { try db.execute("INSERT INTO large VALUES (randomblob(20000))") }
            }
            #expect(try await store.value("SELECT sum(length(content)) FROM large", as: Int.self) == 140_000)
        }
    }
}
