import Foundation
import StrongroomTesting
import Testing

// Internal: the page of an index.
@testable import Strongroom

@Suite("Rotation of files that are not whole")
struct RotationOfDamagedFilesTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var old: Vault { Vault(directory.path(""), keys: .numbered(1)) }
    private var both: Vault { Vault(directory.path(""), keys: .numbered(1), .numbered(2)) }
    private static let content = String(repeating: "0123456789", count: 4_000)

    /// Another page size: the rows are copied in place of the pages.
    private func rewriting() throws -> Vault {
        var newer = try CipherSettings.engineDefault()
        newer.pageSize = 8_192
        return old.with(\.ciphers, [try CipherSettings.engineDefault(), newer])
    }

    @Test(arguments: [false, true])
    func aDamagedPageIsNeverCopiedAsZeros(copiesRows: Bool) async throws {
        try await old.keep(Self.content)
        let file = URL(filePath: old.path)
        let whole = try Data(contentsOf: file)
        let pageSize = try CipherSettings.engineDefault().pageSize
        let vault = copiesRows ? try rewriting() : both
        for page in 2...whole.count / pageSize {
            var bytes = whole
            bytes[(page - 1) * pageSize + pageSize / 2] ^= 0x10
            try bytes.write(to: file)
            do {
                let content = try await vault.lines()
                // One that is not used may be damaged.
                #expect(content == [Self.content], "page \(page)")
            } catch let error as StrongroomError {
                #expect(error.code == .damaged, "page \(page): \(error)")
            }
            try whole.write(to: file)
            #expect(try await old.lines() == [Self.content])
            let names = try DirectorySnapshot(directory.path("")).names
            #expect(names == ["vault.sqlite"], "\(names)")
        }
    }

    @Test func anIndexThatDoesNotFitItsTableIsCarriedOver() async throws {
        try await old.write { db in
            try db.execute("CREATE INDEX line_text ON line (text)")
            try db.execute("INSERT INTO line VALUES ('a'), ('b'), ('c')")
        }
        // The schema says of the index that it is in another order than it is.
        try await SourceFile.rewriteSchema(old, "sql = replace(sql, '(text)', '(text DESC)')", of: "line_text")
        let report = try await both.using { $0.openReport }
        #expect(report.rotation?.method == .copy && report.rotationFailure == nil)
        #expect(try await Vault(directory.path(""), keys: .numbered(2)).lines() == ["a", "b", "c"])
    }

    /// A row that the index lacks is found by the engine's check of the copy; the index is built anew, unless the rows
    /// do not fit it.
    @Test(arguments: [true, false])
    func anIndexThatLacksRowsIsBuiltAnewWithOtherSettings(fitsItsRows: Bool) async throws {
        try await old.write { db in
            try db.execute("INSERT INTO line (rowid, text) VALUES (3, 'a'), (70, 'b'), (500, 'c')")
            if !fitsItsRows { try db.execute("INSERT INTO line (rowid, text) VALUES (2, 'b')") }
            try db.execute("CREATE UNIQUE INDEX line_text ON line (text) WHERE rowid > 5")
        }
        try await SourceFile.rewriteSchema(old, "sql = replace(sql, ' WHERE rowid > 5', '')", of: "line_text")
        let report = try await rewriting().using { $0.openReport }
        #expect(report.rotation?.method == .copy && report.rotationFailure == nil)
        try await rewriting().using { store in
            #expect(try await store.verify(checkingStructure: true).isIntact == fitsItsRows)
            let rows = try await store.value("SELECT group_concat(rowid) FROM line NOT INDEXED", as: String.self)
            #expect(rows == (fitsItsRows ? "3,70,500" : "2,3,70,500"))
        }
    }

    /// Its entries cannot be read, but all rows can.
    @Test func aFileWithABrokenIndexIsEncryptedFromItsRows() async throws {
        let statements = [
            "CREATE TABLE line (text TEXT NOT NULL)", "CREATE INDEX line_text ON line (text)",
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) "
                + "INSERT INTO line (rowid, text) SELECT 5 * i, 'line ' || i FROM n",
        ]
        _ = try SourceFile(old, key: nil, statements: statements)
        let file = DatabaseFile(path: old.path, name: "source", busyTimeout: 0, log: nil)
        let connection = try file.connect(.readOnly, key: nil)
        let root = try connection.ownNumber("SELECT rootpage FROM sqlite_master WHERE name = 'line_text'")
        let size = try connection.ownNumber("PRAGMA page_size")
        connection.close()
        var bytes = try Data(contentsOf: URL(filePath: old.path))
        let page = Int((root - 1) * size)
        // No kind of page has this number.
        bytes[page] = 7
        try bytes.write(to: URL(filePath: old.path))
        let vault = Vault(directory.path("")) { _ in try KeyChain([.plaintext, .numbered(1)]) }.with(\.migrator, nil)
        try await vault.using { store in
            #expect(store.openReport.rotation?.method == .copy)
            let report = try await store.verify(checkingStructure: true)
            #expect(report.isIntact)
            #expect(try await store.value("SELECT sum(rowid) FROM line", as: Int.self) == 5 * 450 * 901)
        }
    }

    /// The declared type of the column would change it, if the row were written anew.
    @Test func aValueOfAnotherClassThanItsColumnIsCopiedAsItIs() async throws {
        try await old.write { db in
            try db.execute("CREATE TABLE number (id INTEGER PRIMARY KEY, value TEXT)")
            try db.execute("INSERT INTO number VALUES (1, '12')")
        }
        try await SourceFile.rewriteSchema(old, "sql = replace(sql, 'value TEXT', 'value INTEGER')", of: "number")
        try await rewriting().using { store in
            #expect(store.openReport.rotation?.method == .copy)
            let type = try await store.value("SELECT typeof(value) FROM number", as: String.self)
            #expect(type == "text")
        }
    }
}
