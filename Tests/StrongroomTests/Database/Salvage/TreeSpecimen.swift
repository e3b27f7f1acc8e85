import Foundation
// Internal: which page of a file is which, that nothing public tells.
@testable import Strongroom
import StrongroomTesting
import Testing

/// A file with trees of several levels, and what each of its pages is for.
struct TreeSpecimen {
    /// What a page is.
    enum Role: Hashable {
        case root, inner, leaf, overflow, trunk, unused, other
    }

    struct Page {
        let table: String
        var role: Role
        /// The rows that lie on it, as ``rowKeys`` tells them; of an inner page none.
        var rows: Set<String> = []
    }

    let directory: TemporaryDirectory
    let vault: Vault
    let whole: Data
    let layout: PageLayout
    let rows: [String: Set<String>]
    private(set) var pages: [Int: Page] = [:]

    static let tables: [(name: String, query: SQL)] = [
        (
            "person",
            "SELECT id || '|' || name || '|' || coalesce(age, 'none') || '|' || quote(score) FROM person NOT INDEXED"
        ),
        ("event", "SELECT id || '|' || at || '|' || kind || '|' || hex(payload) FROM event"),
        ("loose", "SELECT rowid || '|' || quote(value) || '|' || text || '|' || added FROM loose NOT INDEXED"),
        ("pair", "SELECT a || '|' || b || '|' || quote(c) FROM pair NOT INDEXED"),
        ("wide", "SELECT id || '|' || hex(filling) FROM wide"),
    ]

    /// - Parameters:
    ///   - change: What is done to the file last, such as to delete rows.
    init(_ change: @Sendable @escaping (borrowing WriteTransaction) throws -> Void = { _ in }) async throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path("source"), keys: .numbered(1))
        let layout = try CipherSettings.engineDefault().layout
        self.layout = layout
        rows = try await vault.using { store in
            try await store.write { db in try Self.make(db, layout) }
            // Rows from before a column was there end before it.
            try await store.write { db in try db.execute("ALTER TABLE loose ADD COLUMN added TEXT DEFAULT 'later'") }
            try await store.write { db in
                for number in 400..<420 { try db.execute("INSERT INTO loose VALUES (\(number), 'new', 'own')") }
                try db.execute("DELETE FROM gone")
                try change(db)
            }
            return try await store.read { db in try Self.rows(db) }
        }
        whole = try Data(contentsOf: URL(filePath: vault.path))
        pages = try describe()
    }

    private static func make(_ db: borrowing WriteTransaction, _ layout: PageLayout) throws {
        try db.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, score REAL)")
        try db.execute("CREATE INDEX person_name ON person (name)")
        try db.execute("CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL, kind TEXT, payload BLOB)")
        try db.execute("CREATE TABLE loose (value, text TEXT)")
        try db.execute("CREATE INDEX loose_text ON loose (text) WHERE value > 100")
        try db.execute("CREATE TABLE pair (a TEXT, b INTEGER, c, PRIMARY KEY (b, a)) WITHOUT ROWID")
        try db.execute("CREATE TABLE wide (id INTEGER PRIMARY KEY, filling BLOB)")
        try db.execute("CREATE TABLE gone (id INTEGER PRIMARY KEY, text TEXT)")
        var generator = SeededGenerator(5)
        // No generic code of the standard library: under the thread sanitizer, tests that make specimens at the same
        // time would wait for each other in the runtime, for each byte.
        func bytes(_ count: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 1, count: count)
            var index = 0
            while index < count {
                bytes[index] = UInt8(truncatingIfNeeded: generator.next()) | 1
                index += 1
            }
            return bytes
        }
        let filler = String(repeating: "x", count: layout.usable / 16)
        for number in 1...400 {
            let age: Int? = number.isMultiple(of: 5) ? nil : number % 90
            let name = "name \(number * 7 % 401) \(filler)"
            try db.execute("INSERT INTO person VALUES (\(number * 2), \(name), \(age), \(Double(number) / 2))")
            // Every twentieth fills pages of its own.
            let payload = bytes(number.isMultiple(of: 20) ? layout.usable * 2 : layout.usable / 12)
            try db.execute(
                "INSERT INTO event (at, kind, payload) VALUES (\(Double(number)), \("kind \(number % 3)"), \(payload))")
            try db.execute("INSERT INTO loose (value, text) VALUES (\(number), \("loose \(number) \(filler)"))")
            try db.execute("INSERT INTO pair VALUES (\("a \(number % 9)"), \(number), \(filler))")
            try db.execute("INSERT INTO gone VALUES (\(number), \("gone \(number) \(filler)"))")
        }
        // Two in a page, and more pages than one page has room to name.
        for number in 1...(2 * (layout.usable / 8 + 30)) {
            try db.execute("INSERT INTO wide VALUES (\(number * 3), \(bytes(layout.usable * 2 / 5)))")
        }
    }

    static func rows(_ db: borrowing some Reading & ~Copyable) throws -> [String: Set<String>] {
        var rows: [String: Set<String>] = [:]
        for (name, query) in tables {
            let found = try db.values(query, as: String.self)
            rows[name] = Set(found)
            #expect(found.count == rows[name]?.count)
        }
        return rows
    }

    // MARK: Pages

    /// What a table's row is known by: its row id, or its key.
    func keys(_ table: String, _ rows: Set<String>) -> Set<String> {
        Set(
            rows.map { row in
                let parts = row.split(separator: "|")
                return table == "pair" ? "\(parts[1])" : "\(parts[0])"
            })
    }

    private func describe() throws -> [Int: Page] {
        let file = DatabaseFile(path: vault.path, name: "vault.sqlite", busyTimeout: 5_000, log: nil)
        let settings = try CipherSettings.engineDefault()
        let key = try DerivedKey(.numbered(1), salt: Array(whole.prefix(16)), settings: settings)
        let connection = try file.connect(.existing, key: key)
        defer { connection.close() }
        let contents = PageContents(
            pages: DatabasePages(closed: try PlainFile(vault.path), pageSize: layout.pageSize, count: pageCount),
            cipher: try PageCipher(key))
        var pages: [Int: Page] = [:]
        for root in try connection.allSchemaEntries() where root.page > 0 {
            try describe(root, contents, &pages)
        }
        let free = try FreeList(contents)
        #expect(free.isComplete)
        for number in 1...pageCount where pages[number] == nil {
            let role: Role = free.trunks.contains(number) ? .trunk : free.leaves.contains(number) ? .unused : .other
            pages[number] = Page(table: "", role: role)
        }
        return pages
    }

    private func describe(_ root: SchemaEntry, _ contents: PageContents, _ pages: inout [Int: Page]) throws {
        var walk = TreeWalk(contents: contents)
        walk.rowContent = .everything
        // The page of the tree that is looked at, then the pages of the value that is.
        var (chain, depth): ([Int], Int) = ([], 0)
        var path: [Int] = []
        // The entries that are still to come of a leaf; those after them are of a page above.
        var (leaf, entries) = (0, 0)
        try walk.walk(root.page) { event in
            switch event {
            case .page(let number):
                pages[number] = Page(table: root.name, role: .overflow)
                chain.append(number)
            case .node(let level, let isLeaf):
                let number = try #require(chain.last)
                pages[number]?.role = level == 0 ? .root : isLeaf ? .leaf : .inner
                depth = level
                path = Array(path.prefix(level)) + [number]
                chain = []
                guard isLeaf, let content = try contents.content(of: number) else { return }
                leaf = number
                entries = TreePage(content, isFirst: number == 1)?.cellCount ?? 0
            case .row(let id?, _, _):
                for page in chain + [path[depth]] { pages[page]?.rows.insert("\(id)") }
                chain = []
            case .row(nil, let record, _):
                if root.kind == .table {
                    let fields = try #require(RecordFields(record, count: 1, encoding: .utf8)?.fields)
                    guard case .plain(.integer(let key)) = fields[0] else { return }
                    let page = entries > 0 ? [leaf] : []
                    entries -= 1
                    for page in chain + page { pages[page]?.rows.insert("\(key)") }
                }
                chain = []
            case .unreadable: Issue.record("The file is damaged from the start.")
            }
        }
    }

    var pageCount: Int { whole.count / layout.pageSize }

    /// The pages of a table in a role, in order.
    func pages(_ table: String, _ role: Role) -> [Int] {
        pages.filter { $0.value.table == table && $0.value.role == role }.keys.sorted()
    }

    /// Damages pages, and salvages the file.
    func salvage(damaging numbers: [Int], keepingUnattributed: Bool = true) async throws -> (SalvageReport, Vault) {
        var bytes = whole
        for number in numbers { bytes[(number - 1) * layout.pageSize + layout.pageSize / 3] ^= 0x20 }
        for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: vault.path + ending) }
        try bytes.write(to: URL(filePath: vault.path))
        let rescue = directory.path("rescue")
        try? FileManager.default.removeItem(atPath: rescue)
        let report = try await Stores(vault).salvage(
            "vault.sqlite", to: rescue + "/vault.sqlite", keepingUnattributed: keepingUnattributed)
        #expect(Set(report.damagedPages.map(\.number)) == Set(numbers))
        return (report, Vault(rescue, keys: .numbered(1)).with(\.migrator, nil))
    }

    /// Checks that every row came over that lies on sound pages, and that the report tells what did not.
    func expectAllBut(_ numbers: [Int], _ result: (SalvageReport, Vault), _ comment: Comment) async throws {
        let (report, rescued) = result
        let found = try await rescued.using { store in
            #expect(try await store.verify().isIntact, comment)
            return try await store.read { db in try Self.rows(db) }
        }
        for (name, all) in rows {
            let lost = numbers.reduce(into: Set<String>()) { lost, number in
                guard let page = pages[number], page.table == name else { return }
                lost.formUnion(page.rows)
            }
            let table = try #require(report.tables.first { $0.name == name })
            let copied = found[name] ?? []
            #expect(copied.isSubset(of: all), "\(comment) \(name): a row that never was")
            let expected = keys(name, all).subtracting(lost)
            // An entry directly above a damaged leaf: the engine looks into the leaf first, and cannot read it.
            let mayLose = name == "pair" && !lost.isEmpty ? 2 : 0
            #expect(keys(name, copied).isSubset(of: expected), "\(comment) \(name)")
            #expect(expected.count - copied.count <= mayLose, "\(comment) \(name)")
            #expect(table.rowsCopied == copied.count, "\(comment) \(name)")
            try expectTruth(table, missing: keys(name, all).subtracting(keys(name, copied)), comment)
        }
    }

    /// Checks what a report tells of a table.
    func expectTruth(_ table: SalvageReport.TableContent, missing: Set<String>, _ comment: Comment) throws {
        let name = table.name
        // Where a second damaged page may have been one with rows, nobody knows that none is missing.
        let isTrue = table.isComplete ? missing.isEmpty : !missing.isEmpty || table.unreadablePages > 0
        #expect(isTrue, "\(comment) \(name): \(table)")
        if table.isLossCounted { #expect(table.rowsLost == missing.count, "\(comment) \(name): \(table)") }
        #expect(table.rowsLost <= missing.count, "\(comment) \(name): \(table)")
        // Never does it say that nothing is lost where something is.
        #expect(missing.isEmpty || table.rowsLost > 0 || !table.isLossCounted, "\(comment) \(name): \(table)")
        guard name != "pair" else { return }
        for row in missing {
            let id = try #require(Int64(row))
            #expect(table.lostRowIDs.contains { $0.contains(id) }, "\(comment) \(name) \(id)")
        }
        for row in keys(name, rows[name] ?? []).subtracting(missing) {
            let id = try #require(Int64(row))
            #expect(!table.lostRowIDs.contains { $0.contains(id) }, "\(comment) \(name) \(id)")
        }
    }
}
