import Strongroom
import StrongroomTesting
import Testing

/// Some failures make the engine roll the whole transaction back; whatever came after would be committed statement by
/// statement.
struct EndedTransactionTests {
    /// A store with one contact in it and a trigger that rolls everything back.
    private static func makeStore() async throws -> TemporaryStore {
        let temporary = try await TemporaryStore(tables: [Contact.schema])
        try await temporary.store.write { db in
            try Contact.insert(Contact(email: "first"), in: db)
            try db.execute(
                """
                CREATE TRIGGER refuse BEFORE INSERT ON contact WHEN new.name = 'refused'
                BEGIN SELECT RAISE(ROLLBACK, 'refused'); END
                """)
        }
        return temporary
    }

    /// Makes the engine roll back.
    fileprivate static func provoke(_ way: Way, _ db: borrowing some Writing & ~Copyable) throws {
        switch way {
        case .conflict:
            try db.execute("INSERT OR ROLLBACK INTO contact (name, email, photo) VALUES ('x', 'first', x'')")
        case .trigger:
            try Contact.insert(Contact(name: "refused", email: "second"), in: db)
        case .bulk:
            try Contact.insert(contentsOf: [Contact(email: "3"), Contact(name: "refused", email: "4")], in: db)
        case .update:
            try Contact.insert(Contact(email: "fifth"), in: db)
            try db.execute("UPDATE OR ROLLBACK contact SET email = 'first'")
        }
    }

    enum Way: CaseIterable {
        case conflict, trigger, bulk, update
    }

    private static func expectOnlyFirst(_ store: Store, sourceLocation: SourceLocation = #_sourceLocation) async throws
    {
        let emails = try await store.table(Contact.self).all().map(\.email)
        #expect(emails == ["first"], sourceLocation: sourceLocation)
        // The store goes on working, on the same connection.
        try await store.write { db in
            let key = try db.savepoint { db in try Contact.insert(Contact(email: "later"), in: db) }
            try Contact.delete(key, in: db)
        }
    }

    @Test(arguments: Way.allCases)
    func theEnginesRollbackEndsTheTransaction(way: Way) async throws {
        let temporary = try await Self.makeStore()
        let error = try await expectFailure(.constraint) {
            try await temporary.store.write { db in
                try Contact.insert(Contact(email: "second"), in: db)
                try Self.provoke(way, db)
            }
        }
        #expect(!error.message.isEmpty)
        try await Self.expectOnlyFirst(temporary.store)
    }

    @Test(arguments: Way.allCases)
    func everyLaterStatementOfAnEndedTransactionIsRefused(way: Way) async throws {
        let temporary = try await Self.makeStore()
        try await expectFailure(.transactionEnded) {
            try await temporary.store.write { db in
                try Contact.insert(Contact(email: "lost"), in: db)
                try expectFailure(.constraint) { try Self.provoke(way, db) }
                for _ in 1...2 {
                    try expectFailure(.transactionEnded) { try Contact.insert(Contact(email: "late"), in: db) }
                    try expectFailure(.transactionEnded) { try db.execute("DELETE FROM contact") }
                    try expectFailure(.transactionEnded) { try db.value("SELECT 1", as: Int.self) }
                    try expectFailure(.transactionEnded) { try Contact.find(1, in: db) }
                    try expectFailure(.transactionEnded) { try Contact.upsert(Contact(), .by(\.email), in: db) }
                    try expectFailure(.transactionEnded) { try Contact.insert(contentsOf: [], in: db) }
                    try expectFailure(.transactionEnded) { try db.savepoint { _ in } }
                    try expectFailure(.transactionEnded) { try db.createTable(Cell<Int64>.schema) }
                }
            }
        }
        try await Self.expectOnlyFirst(temporary.store)
    }

    /// Whether the error is swallowed, and where.
    enum Depth: CaseIterable {
        case transaction, savepoint, betweenSavepoints

        func provoke(_ way: Way, _ db: borrowing WriteTransaction) throws {
            switch self {
            case .transaction: try? EndedTransactionTests.provoke(way, db)
            case .savepoint:
                try expectFailure(.transactionEnded) {
                    try db.savepoint { db in
                        try expectFailure(.transactionEnded) {
                            try db.savepoint { db in try? EndedTransactionTests.provoke(way, db) }
                        }
                    }
                }
            case .betweenSavepoints:
                try expectFailure(.constraint) {
                    try db.savepoint { db in
                        try db.savepoint { db in try EndedTransactionTests.provoke(way, db) }
                    }
                }
                try expectFailure(.transactionEnded) { try Contact.insert(Contact(email: "late"), in: db) }
            }
        }
    }

    @Test(arguments: Way.allCases, Depth.allCases)
    func aSwallowedErrorDoesNotCommitTheRest(way: Way, depth: Depth) async throws {
        let temporary = try await Self.makeStore()
        try await expectFailure(.transactionEnded) {
            try await temporary.store.write { db in
                try Contact.insert(Contact(email: "lost"), in: db)
                try depth.provoke(way, db)
                _ = try? db.execute("DELETE FROM contact")
            }
        }
        try await Self.expectOnlyFirst(temporary.store)
    }

    @Test func rowsThatAreBeingReadEndWithTheTransaction() async throws {
        let temporary = try await Self.makeStore()
        try await temporary.store.write { db in try Contact.insert(contentsOf: Contact.samples(3), in: db) }
        try await expectFailure(.transactionEnded) {
            try await temporary.store.write { db in
                try db.forEachRow("SELECT id FROM contact") { _ in
                    try? Self.provoke(.conflict, db)
                    _ = try? db.execute("DELETE FROM contact")
                }
            }
        }
        #expect(try await temporary.store.table(Contact.self).count() == 4)
    }
}
