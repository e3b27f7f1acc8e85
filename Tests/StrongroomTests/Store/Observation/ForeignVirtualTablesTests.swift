import StrongroomTesting
import Testing

// Internal: the tables that a read is known to have read, and an observer of these.
@testable import Strongroom

/// Reads that do not name every table that they read, and commits that do not name every table that they write.
@Suite("Virtual tables that other processes change", .ending)
struct ForeignVirtualTablesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let read: String
        let write: String
        var isReported = true
        var needsFTS5 = false
        var testDescription: String { "\(read); \(write)" }
    }

    private static let cases = [
        Case(read: "SELECT count(x) FROM four WHERE four MATCH 'one'", write: "UPDATE content SET x = x || ' more'"),
        Case(
            read: "SELECT count(x) FROM five WHERE five MATCH 'one'", write: "UPDATE content SET x = x || ' more'",
            needsFTS5: true),
        Case(
            read: "SELECT count(term) FROM terms",
            write: "INSERT INTO four (docid, x) VALUES (abs(random()) % 1000000, 'three')"),
        Case(read: "SELECT count(c0x) FROM whole_content", write: "INSERT INTO whole (x) VALUES ('two')"),
        Case(read: "SELECT count(seq) FROM sqlite_sequence", write: "INSERT INTO numbered DEFAULT VALUES"),
        Case(read: "SELECT count(x) FROM other", write: "INSERT INTO whole (x) VALUES ('two')", isReported: false),
        Case(read: "SELECT count(x) FROM four_teen", write: "INSERT INTO other VALUES (1)"),
        Case(read: "SELECT count(x) FROM fourteen", write: "INSERT INTO other VALUES (1)", isReported: false),
    ]

    private static let migrator = Migrator {
        Migration("1") { db in
            try db.execute("CREATE TABLE content (id INTEGER PRIMARY KEY, x)")
            for table in ["other", "own", "four_teen", "fourteen"] {
                try db.execute(SQL(verbatim: "CREATE TABLE \(table) (x)"))
            }
            try db.execute("CREATE TABLE numbered (id INTEGER PRIMARY KEY AUTOINCREMENT)")
            try db.execute("INSERT INTO numbered VALUES (1)")
            try db.execute("INSERT INTO content VALUES (1, 'one')")
            try db.execute("CREATE VIRTUAL TABLE four USING fts4(x, content=\"content\")")
            try db.execute("INSERT INTO four (four) VALUES ('rebuild')")
            try db.execute("CREATE VIRTUAL TABLE terms USING fts4aux(four)")
            try db.execute("CREATE VIRTUAL TABLE whole USING fts4(x)")
            if try EngineFeatures.current().hasFTS5 {
                try db.execute("CREATE VIRTUAL TABLE five USING fts5(x, content='content', content_rowid='id')")
                try db.execute("INSERT INTO five (five) VALUES ('rebuild')")
            }
        }
    }

    private static func vault(_ root: String) -> Vault {
        let settings = StoreSettings(
            readers: 1, busyTimeout: .seconds(120), openTimeout: .seconds(120), rotation: .manual)
        return Vault(root, keys: .numbered(1)).with(\.settings, settings).with(\.migrator, migrator)
    }

    /// Observes what a read has read.
    private func watch<T: Sendable>(
        _ observer: ChangeObserver, in store: Store, _ read: @escaping @Sendable (borrowing ReadTransaction) throws -> T
    ) async throws -> Set<String> {
        try await check(store)
        observer.begin()
        let tables = try await store.pool.perform(.read, OperationLimits()) { connection in
            try connection.inSnapshot { try connection.watchingReads { try read(ReadTransaction(connection)) } }.tables
        }
        observer.watch(tables)
        return tables
    }

    /// A write looks for commits of others when it begins.
    private func check(_ store: Store) async throws {
        try await store.write { db in try db.execute("INSERT INTO own VALUES (1)") }
    }

    @Test(arguments: cases)
    func observersAreToldOfWhatIsNotNamed(_ tested: Case) async throws {
        guard try !tested.needsFTS5 || EngineFeatures.current().hasFTS5 else { return }
        let directory = try TemporaryDirectory()
        let root = directory.path("files")
        let store = try await Self.vault(root).open()
        let observer = ChangeObserver(store.pool.broadcaster, tables: nil) { _ in }
        // The first statements of each connection prepare those by which a virtual table reads and writes others, and
        // name these. Later ones do not.
        _ = try await watch(observer, in: store) { db in
            try db.value(SQL(verbatim: "\(tested.read) -- first"), as: Int.self)
        }
        let other = try OtherConnection(Self.vault(root), of: store)
        defer { other.connection.close() }
        try other.write("\(tested.write) -- first")
        let tables = try await watch(observer, in: store) { db in try db.value(SQL(verbatim: tested.read), as: Int.self)
        }
        #expect(observer.unfinishedRead == nil)
        try other.write(tested.write)
        try await check(store)
        #expect((observer.unfinishedRead != nil) == tested.isReported, "\(tables)")
        try await store.close()
    }

    /// A connection that records its commits, as another process has one.
    private struct OtherConnection {
        let connection: Connection

        init(_ vault: Vault, of store: Store) throws {
            connection = try Connection(path: vault.path, mode: .existing, database: "a")
            connection.setBusyTimeout(milliseconds: 120_000)
            let digits = String(repeating: "01", count: 32)
            try Array("x'\(digits)'".utf8).withUnsafeBytes { try connection.setKey($0) }
            let ring = RecordRing(vault.beside("changes"), of: vault.path)
            CommitRecords(ring) { try store.file.commitRecordKey() }.attach(to: connection)
        }

        func write(_ sql: String) throws {
            try connection.inTransaction(.immediate) {
                connection.transaction.isFullyRecorded = true
                try WriteTransaction(connection).execute(SQL(verbatim: sql))
            }
        }
    }

    #if Macros
    private static func library(_ root: String) -> Vault {
        vault(root).with(
            \.migrator,
            Migrator {
                Migration("1") { db in
                    try db.execute("CREATE TABLE own (x)")
                    try db.execute("CREATE TABLE other (x)")
                    try db.createTable(Library.Note.schema)
                    try db.createTable(Library.Page.schema)
                }
            })
    }

    /// Each commit that changes what a search finds names the index: a trigger writes it.
    @Test(arguments: [true, false])
    func aSearchIsToldOfItsTableOnly(_ isOfOther: Bool) async throws {
        let directory = try TemporaryDirectory()
        let root = directory.path("files")
        let store = try await Self.library(root).open()
        let observer = ChangeObserver(store.pool.broadcaster, tables: nil) { _ in }
        let read: @Sendable (borrowing ReadTransaction) throws -> Int? = { db in
            try Library.Note.search("one").count(in: db) + Library.Page.search("one").count(in: db)
        }
        for _ in 0..<2 { _ = try await watch(observer, in: store, read) }
        await #expect(processExitsWith: .success) { [root = root as String, isOfOther = isOfOther as Bool] in
            let store = try await Self.library(root).open()
            for _ in 0..<2 {
                try await store.write { db in
                    if isOfOther {
                        try db.execute("INSERT INTO other VALUES (1)")
                    } else {
                        try db.execute("INSERT INTO page (book, position, title) VALUES ('one', 1, 'one')")
                        try db.execute("DELETE FROM page")
                    }
                }
            }
            try await store.close()
        }
        try await check(store)
        #expect((observer.unfinishedRead != nil) == !isOfOther)
        try await store.close()
    }
    #endif
}
