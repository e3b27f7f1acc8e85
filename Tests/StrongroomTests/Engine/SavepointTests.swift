import Strongroom
import StrongroomTesting
import Testing

private struct Stop: Error, Equatable {
    var number = 0
}

struct SavepointTests {
    private static func emails(_ store: Store) async throws -> [String] {
        try await store.read { db in try Contact.order { $0.email.ascending }.fetch(in: db).map(\.email) }
    }

    @Test func anErrorUndoesTheSavepointsWorkAndNothingElse() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in
            try Contact.insert(Contact(email: "1"), in: db)
            #expect(throws: Stop(number: 1)) {
                try db.savepoint { db in
                    try Contact.insert(Contact(email: "2"), in: db)
                    try db.execute("DELETE FROM contact")
                    try db.execute("CREATE TABLE gone (a)")
                    throw Stop(number: 1)
                }
            }
            #expect(try Contact.count(in: db) == 1)
            #expect(try db.tableNames() == ["contact"])
            try Contact.insert(Contact(email: "3"), in: db)
        }
        #expect(try await Self.emails(store) == ["1", "3"])
    }

    @Test func savepointsNest() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in
            try db.savepoint { db in
                try Contact.insert(Contact(email: "outer"), in: db)
                #expect(throws: Stop.self) {
                    try db.savepoint { db in
                        try Contact.insert(Contact(email: "middle"), in: db)
                        try db.savepoint { db in try Contact.insert(Contact(email: "innermost"), in: db) }
                        #expect(try Contact.count(in: db) == 3)
                        throw Stop()
                    }
                }
                #expect(try Contact.count(in: db) == 1)
                try db.savepoint { db in try Contact.insert(Contact(email: "second"), in: db) }
            }
        }
        #expect(try await Self.emails(store) == ["outer", "second"])
    }

    @Test func manySavepointsCanBeOpenAtOnce() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in try Self.descend(60, db) }
        #expect(try await store.table(Contact.self).count() == 30)
    }

    /// Inserts at every depth; the work of every odd depth is undone, what lies deeper with it already kept or undone.
    private static func descend(_ depth: Int, _ db: borrowing some Writing & ~Copyable) throws {
        guard depth > 0 else { return }
        try descend(depth - 1, db)
        do {
            try db.savepoint { db in
                try Contact.insert(Contact(email: "\(depth)"), in: db)
                if !depth.isMultiple(of: 2) { throw Stop() }
            }
        } catch is Stop {}
    }

    @Test func aFailedStatementInASavepointCanBeSwallowed() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in
            try Contact.insert(Contact(email: "1"), in: db)
            try db.savepoint { db in
                try expectFailure(.constraint) { try Contact.insert(Contact(email: "1"), in: db) }
                try Contact.insert(Contact(email: "2"), in: db)
            }
        }
        #expect(try await Self.emails(store) == ["1", "2"])
    }

    /// Of a statement that fails at its third row, the first two are undone.
    @Test func aFailedStatementLeavesNothingOfItself() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(contentsOf: Contact.samples(5), in: db)
            try expectFailure(.constraint) {
                try db.execute("UPDATE contact SET email = CASE WHEN id < 3 THEN 'new' || id ELSE 'same' END")
            }
            #expect(try Contact.all(in: db).map(\.email) == Contact.samples(5).map(\.email))
        }
    }
}
