import Foundation
import Strongroom
import StrongroomTesting
import Testing
import XCTest

@Suite("Pinning and interrupting statements")
struct StatementTests {
    private func store() async throws -> TemporaryStore { try await TemporaryStore(tables: [Book.schema]) }

    @Test func theStatementsOfAClosureArePinned() async throws {
        let temporary = try await store()
        let id = try await temporary.store.expectSQL(
            "INSERT INTO `book` (`title`, `shelf`) VALUES (?2, ?3)",
            """
            UPDATE book
                SET shelf = ?
            """
        ) { db in
            let id = try Book.insert(Book(title: "Emma"), in: db)
            try db.execute("UPDATE book SET shelf = \("new")")
            return id
        }
        let found = try await temporary.store.read { db in
            try db.expectSQL("SELECT `id`, `title`, `shelf` FROM `book` WHERE `id` = ?1") { try Book.find(id, in: db) }
        }
        #expect(found?.shelf == "new")
    }

    @Test func otherStatementsAreToldAndNothingIsWritten() async throws {
        let temporary = try await store()
        // Within a macro the line is where that begins.
        let line = #line + 1
        let error = try await #require(throws: UnexpectedSQL.self) {
            try await temporary.store.expectSQL("SELECT 1", "DELETE FROM loan") { db in
                try db.execute("DELETE FROM book")
                _ = try Book.insert(Book(title: "Emma"), in: db)
            }
        }
        #expect(error.expected == ["SELECT 1", "DELETE FROM loan"])
        #expect(error.actual.first == "DELETE FROM book")
        #expect(error.description.hasPrefix("StrongroomTestingTests/StatementTests.swift:\(line): "))
        #expect(error.description.contains("statement 1, expected: SELECT 1\nstatement 1, ran:      DELETE FROM book"))
        #expect(try await temporary.store.table(Book.self).all().isEmpty)
    }

    @Test func aStatementThatIsMissingIsTold() async throws {
        let temporary = try await store()
        let error = try await #require(throws: UnexpectedSQL.self) {
            try await temporary.store.expectSQL("DELETE FROM book", "DELETE FROM book") { db in
                try db.execute("DELETE  FROM book")
            }
        }
        #expect(error.description.contains("expected: 2 statements; ran: 1"))
        #expect(error.description.contains("\"DELETE FROM book\","))
    }

    @Test(arguments: 0...4) func anInterruptedWriteLeavesNothing(count: Int) async throws {
        let temporary = try await store()
        let work: @Sendable (borrowing WriteTransaction) throws -> Void = { db in
            for title in ["Emma", "Persuasion", "Sanditon"] { _ = try Book.insert(Book(title: title), in: db) }
        }
        if count < 4 {
            await #expect(throws: Interruption(statements: count)) {
                try await temporary.store.withInterruption(after: count, work)
            }
        } else {
            try await temporary.store.withInterruption(after: count, work)
        }
        #expect(try await temporary.store.table(Book.self).all().count == (count < 4 ? 0 : 3))
    }

    @Test func anInterruptionThatIsCaughtIsThrownAllTheSame() async throws {
        let temporary = try await store()
        await #expect(throws: Interruption(statements: 1)) {
            try await temporary.store.withInterruption(after: 1) { db in
                _ = try? Book.insert(Book(title: "Emma"), in: db)
                _ = try? Book.insert(Book(title: "Persuasion"), in: db)
            }
        }
        #expect(try await temporary.store.table(Book.self).all().isEmpty)
    }

    /// The statements of a rebuild are the library's own; an error in each of them leaves the table as it was.
    @Test(arguments: 0..<6) func anInterruptedRebuildLeavesTheTableAsItWas(count: Int) async throws {
        let temporary = try await store()
        try await temporary.store.write { db in _ = try Book.insert(Book(title: "Emma"), in: db) }
        let before = try await temporary.store.read { db in try db.columns(of: "book") }
        let isDone: Bool
        do {
            try await temporary.store.withInterruption(after: count) { db in
                try db.changeColumn(Column<String?>("shelf", unique: true), in: "book")
            }
            isDone = true
        } catch is Interruption {
            isDone = false
        }
        let after = try await temporary.store.read { db in try db.columns(of: "book") }
        #expect((after == before) == !isDone)
        #expect(try await temporary.store.table(Book.self).all().map(\.title) == ["Emma"])
    }
}

@Suite("Proving migrations of full-text indexes")
struct FullTextProofTests {
    @Table("essay", fullText: [FullTextIndex(on: "title")])
    struct Essay: Equatable {
        var id: Int64?
        var title: String
    }

    private struct Essays: Configuration {
        static let target = "essays"

        var migrator: Migrator
        var tokenizers: [TextTokenizer] = []

        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.passphrase("essays")) }
        func migrator(for database: DatabaseName) -> Migrator? { migrator }
        func tokenizers(for database: DatabaseName) -> [TextTokenizer] { tokenizers }
    }

    private static let plain = TableSchema("essay", columns: Essay._columnDefinitions)

    @Test func `a step that creates the declared index is proved`() async throws {
        let essays = Essays(
            migrator: Migrator(tables: [Essay.schema]) {
                Migration("1") { db in try db.createTable(Self.plain) }
                Migration("2") { db in try db.keepFullText(of: Essay.schema) }
            })
        let report = try await MigrationProof(essays)
            .planting(at: "1") { db in
                try db.execute("INSERT INTO essay (title) VALUES ('On growth')")
            } expecting: { db, version in
                guard version == "2" else { return true }
                return try Essay.search("growth").count(in: db) == 1
            }
            .records(of: Essay.self, Essay(title: "On form"))
            .verify()
        #expect(report.faults.isEmpty)
    }

    @Test func `a missing index is a fault`() async throws {
        let essays = Essays(
            migrator: Migrator(tables: [Essay.schema]) {
                Migration("1") { db in try db.createTable(Self.plain) }
                Migration("2") { db in try db.execute("UPDATE essay SET title = title") }
            })
        let report = try await MigrationProof(essays).report()
        #expect(report.faults.contains { $0.message.contains("strongroom_search_essay.text") }, "\(report.faults)")
    }

    @Test func `the program's own tokenizers are used`() async throws {
        let letters = TextTokenizer("letters") { text in
            text.indices.map { TextToken(String(text[$0]), $0..<text.index(after: $0)) }
        }
        let schema = TableSchema(
            "essay", columns: Essay._columnDefinitions, fullText: [FullTextIndex(on: "title", tokenizer: letters)])
        let proof = MigrationProof(Essays(migrator: .automatic(tables: [schema]), tokenizers: [letters]))
            .release("1", tables: [Self.plain])
            .planting(at: "1") { db in
                try db.execute("INSERT INTO essay (title) VALUES ('On growth')")
            } expecting: { db, _ in
                try db.value("SELECT title FROM essay") == "On growth"
            }
        #expect(try await proof.report().faults.map(\.description) == [])
    }
}

@Suite("A program's configuration in a temporary directory")
struct TemporaryStoresTests {
    private struct Ledger: Configuration {
        static let target = "ledger"

        struct NeverAsked: Error {}

        func filePath(for database: DatabaseName) throws -> String? { "/nowhere/\(database)" }
        func keyChain(for database: DatabaseName) throws -> KeyChain { throw NeverAsked() }
        func migrator(for database: DatabaseName) -> Migrator? {
            Migrator { Migration("1") { db in try db.execute("CREATE TABLE payment (amount INTEGER)") } }
        }
        func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(readers: 7, groupSize: 3) }
        func extensions(for database: DatabaseName) throws -> [any StoreExtension] { throw NeverAsked() }
    }

    @Test func `it has the program's migrations, and files, keys and settings of the test`() async throws {
        let temporary = try TemporaryStores(Ledger()) { settings in settings.groupSize = 5 }
        let store = try await temporary.stores.open("ledger_a.sqlite")
        #expect(store.openReport.outcome == .created)
        #expect(
            store.path.hasSuffix(
                temporary.directory.path("ledger_a.sqlite").split(separator: "/").suffix(2).joined(separator: "/")))
        try await store.write { db in try db.execute("INSERT INTO payment VALUES (1)") }
        try await temporary.stores.closeAll()
        // The key is the same each time.
        let again = try await temporary.stores.open("ledger_a.sqlite")
        #expect(try await again.read { db in try db.value("SELECT count(*) FROM payment", as: Int.self) } == 1)
        try await temporary.stores.closeAll()
    }

    @Test func `keys can be given, and a rotation be tested`() async throws {
        let (old, new) = (Key.random(), Key.random())
        let first = try TemporaryStores(Ledger(), keys: KeyChain(old))
        try await first.stores.open("ledger_a.sqlite").close()
        let second = try TemporaryStores(Ledger(), keys: KeyChain(old, new))
        try FileManager.default.copyItem(
            atPath: first.directory.path("ledger_a.sqlite"), toPath: second.directory.path("ledger_a.sqlite"))
        let store = try await second.stores.open("ledger_a.sqlite")
        #expect(store.openReport.rotation != nil)
        try await store.close()
    }
}

/// The kit under XCTest, which shows the text of the error that a test throws.
final class XCTestTests: XCTestCase {
    func testAFaultIsToldWithTheCallersLine() async throws {
        let line = #line + 2
        do {
            try await Library.with("3") { _ in }.quickProof().verify()
            XCTFail("the fault was not noticed")
        } catch let failure as MigrationProof.Failure {
            XCTAssertTrue("\(failure)".hasPrefix("StrongroomTestingTests/StatementTests.swift:\(line): "), "\(failure)")
        }
    }
}
