import Foundation
// Internal: the size of a page and what its reserve has, which depend on the engine.
@testable import Strongroom
import StrongroomTesting
import Testing

/// A small file with everything that damage can hit: long values, an index, a table without row ids, unused pages, a
/// view, a trigger.
struct DamageSpecimen {
    let directory: TemporaryDirectory
    let vault: Vault
    let whole: Data
    let layout: PageLayout

    /// Rows as texts, by table.
    typealias Rows = [String: [String]]
    let rows: Rows

    static let migrator = Migrator {
        Migration("1") { db in
            try db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body BLOB)")
            try db.execute("CREATE INDEX note_title ON note (title)")
            try db.execute("CREATE TABLE word (a TEXT, b INT, c, PRIMARY KEY (b, a)) WITHOUT ROWID")
            try db.execute("CREATE TABLE loose (value REAL, text TEXT)")
            try db.execute("CREATE TABLE numbered (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT)")
            try db.execute("CREATE VIEW titles AS SELECT title FROM note")
            try db.execute("CREATE TABLE counter (notes)")
            // So that the schema has pages besides the first, whatever a page's size.
            for number in 0..<60 {
                try db.execute(
                    "CREATE VIEW \(name: "filler_\(number)_\(String(repeating: "x", count: 100))") AS SELECT 1")
            }
            try db.execute(
                "CREATE TRIGGER note_counted AFTER INSERT ON note BEGIN UPDATE counter SET notes = notes + 1; END")
        }
    }

    init() async throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path("source"), keys: .numbered(1)).with(\.migrator, Self.migrator)
        layout = try CipherSettings.engineDefault().layout
        try await vault.using { store in
            try await store.write { db in try Self.fill(db) }
            // Deleted for good, so that there are unused pages.
            try await store.write { db in
                try db.execute("DELETE FROM note WHERE id > 1000")
                try db.execute("DELETE FROM numbered WHERE id > 5")
            }
        }
        rows = try await vault.using { store in try await store.read { db in try Self.rows(db) } }
        whole = try Data(contentsOf: URL(filePath: vault.path))
    }

    private static func fill(_ db: borrowing WriteTransaction) throws {
        var generator = SeededGenerator(7)
        try db.execute("INSERT INTO counter VALUES (0)")
        for number in 1...40 {
            // Every eighth fills pages of its own.
            let length = number.isMultiple(of: 8) ? 9_000 + number : 150
            let body = (0..<length).map { _ in UInt8.random(in: 1...255, using: &generator) }
            try db.execute("INSERT INTO note VALUES (\(number * 3), \("title \(number * 7 % 61)"), \(body))")
            try db.execute(
                "INSERT INTO loose VALUES (\(Double(number)), \(String(repeating: "loose \(number) ", count: 8)))")
            let long = String(repeating: "word \(number) ", count: number.isMultiple(of: 20) ? 900 : 30)
            try db.execute("INSERT INTO word VALUES (\("word \(number % 9)"), \(number), \(long))")
        }
        for number in 1001...1004 {
            try db.execute("INSERT INTO note VALUES (\(number), 'gone', zeroblob(5000))")
        }
        for number in 1...9 { try db.execute("INSERT INTO numbered (text) VALUES (\("number \(number)"))") }
    }

    /// The queries that read every row without an index that is not the table itself.
    static let queries: [String: SQL] = [
        "note": "SELECT id || '|' || title || '|' || hex(body) FROM note NOT INDEXED ORDER BY id",
        "word": "SELECT a || '|' || typeof(b) || b || '|' || c FROM word ORDER BY b, a",
        "loose": "SELECT rowid || '|' || typeof(value) || value || '|' || text FROM loose ORDER BY rowid",
        "numbered": "SELECT id || '|' || text FROM numbered ORDER BY id",
        "counter": "SELECT notes FROM counter",
    ]

    static func rows(_ db: borrowing some Reading & ~Copyable, of table: String) throws -> [String] {
        var rows: [String] = []
        try db.forEachRow(queries[table] ?? "") { row in
            if case .integer(let number) = try row.value(at: 0) {
                rows.append("\(number)")
            } else {
                rows.append(try row[0])
            }
        }
        return rows
    }

    static func rows(_ db: borrowing some Reading & ~Copyable) throws -> Rows {
        var rows: Rows = [:]
        for table in queries.keys { rows[table] = try self.rows(db, of: table) }
        return rows
    }

    // MARK: Damage

    var pages: Int { whole.count / layout.pageSize }

    /// Whether a byte of a page is protected; the padding at a page's end is not.
    func isProtected(_ offset: Int) -> Bool {
        offset % layout.pageSize < layout.usable + PageLayout.vectorLength + layout.codeLength
    }

    /// The file with a byte changed.
    func flipped(at offset: Int, by change: UInt8 = 0x10) -> Data {
        var bytes = whole
        bytes[offset] ^= change
        return bytes
    }

    /// The file with a byte in a page's middle changed.
    func damaged(page: Int) -> Data { flipped(at: (page - 1) * layout.pageSize + layout.pageSize / 2) }

    /// Puts bytes in the file's place; what an earlier case left beside it goes away.
    func put(_ bytes: Data) throws {
        for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: vault.path + ending) }
        try bytes.write(to: URL(filePath: vault.path))
    }

    /// Opens the file and checks it; nil when it cannot be opened, for which the error must be of damage.
    func verification() async throws -> VerificationReport? {
        do {
            return try await vault.using { store in try await store.verify() }
        } catch let error as StrongroomError {
            #expect([.damaged, .truncated, .wrongKey].contains(error.code), "\(error)")
            return nil
        }
    }
}

extension DamageSpecimen {
    /// Damages one page after the other, does work with each damaged file, and reads all rows where it was not refused.
    ///
    /// - Parameters:
    ///   - step: Which pages: each costs an opening.
    ///   - isZeroed: Whether a page is made all zeros, or has one flipped bit.
    ///   - whenRefused: Looks at what is left then.
    /// - Returns: How often it was refused.
    func refusals(
        atEvery step: Int, isZeroed: Bool, _ work: (Store) async throws -> Void, whenRefused: () throws -> Void = {}
    ) async throws -> Int {
        let size = layout.pageSize
        var refused = 0
        for page in stride(from: 2, through: whole.count / size, by: step) {
            var bytes = whole
            let place = (page - 1) * size
            if isZeroed {
                bytes.replaceSubrange(place..<place + size, with: Data(count: size))
            } else {
                bytes[place + 50] ^= 4
            }
            try put(bytes)
            do {
                refused += try await vault.using { store in
                    do {
                        try await work(store)
                        // A page that nobody needs.
                        let found = try await store.read { db in try Self.rows(db) }
                        #expect(found == rows)
                        return 0
                    } catch let error as StrongroomError {
                        #expect(error.code == .damaged, "page \(page): \(error)")
                        try whenRefused()
                        return 1
                    }
                }
            } catch let error as StrongroomError where error.code == .damaged {
                continue
            }
        }
        return refused
    }
}
