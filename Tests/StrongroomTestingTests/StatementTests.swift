import Strongroom
import StrongroomTesting
import Testing

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

    @Test func theStoreGoesOnAfterwards() async throws {
        let temporary = try await store()
        _ = try? await temporary.store.withInterruption(after: 0) { db in try db.execute("DELETE FROM book") }
        try await temporary.store.write { db in _ = try Book.insert(Book(title: "Emma"), in: db) }
        #expect(try await temporary.store.table(Book.self).all().count == 1)
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
