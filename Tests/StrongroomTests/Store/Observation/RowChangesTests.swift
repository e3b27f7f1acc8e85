import StrongroomTesting
import Testing

// Internal: whether rows are recorded.
@testable import Strongroom

@Suite("Keys of changed rows", .ending)
struct RowChangesTests {
    @Table("item", in: "items.sqlite")
    struct Item {
        var id: Int64?
        @Column(unique: true) var name: String
    }

    @Table("part", in: "items.sqlite")
    struct Part {
        var id: Int?
        @Column(references: Reference("item", onDelete: .cascade)) var item: Int64
    }

    /// Neither refers to another table nor is referred to.
    @Table("plain", in: "items.sqlite")
    struct Plain {
        var id: Int64?
        var name: String
    }

    private func fixture() async throws -> TemporaryStore {
        let temporary = try await TemporaryStore(tables: [Item.schema, Part.schema, Plain.schema])
        try await temporary.store.write { db in
            for number in 1...3 {
                _ = try Item.insert(Item(id: Int64(number), name: "\(number)"), in: db)
                _ = try Part.insert(Part(id: 10 * number, item: Int64(number)), in: db)
            }
            _ = try Item.insert(Item(id: 4, name: "4"), in: db)
        }
        return temporary
    }

    private typealias Rows = ChangedRows<Int64>

    @Table("kept", in: "items.sqlite", history: .keep())
    struct Kept {
        var id: Int64?
        var name: String
    }

    /// The row with the author of the changes is deleted before the commit, with a report of the engine.
    @Test func aTableWithAHistoryReportsItsRows() async throws {
        let store = try await TemporaryStore(tables: [Kept.schema]).store
        var rows = store.rowChanges(in: Kept.self).makeAsyncIterator()
        for number in 1...2 {
            try await store.write { db in _ = try Kept.insert(Kept(id: nil, name: "a"), in: db) }
            #expect(try await rows.next() == .keys([Int64(number)]))
        }
        try await store.write { db in try Kept.update(Kept(id: 1, name: "b"), in: db) }
        #expect(try await rows.next() == .keys([1]))
    }

    @Test func eachWayOfWritingReportsItsRows() async throws {
        let store = try await fixture().store
        var items = store.rowChanges(in: Item.self).makeAsyncIterator()
        try await store.write { db in _ = try Item.insert(Item(id: nil, name: "5"), in: db) }
        #expect(try await items.next() == .keys([5]))
        try await store.write { db in try Item.update(Item(id: 2, name: "two"), in: db) }
        #expect(try await items.next() == .keys([2]))
        try await store.write { db in _ = try Item.where { $0.name == "3" }.update(in: db) { [$0.name.set("x")] } }
        #expect(try await items.next() == .keys([3]))
        var both = [Item(id: 3, name: "three"), Item(id: 4, name: "four")]
        try await store.write { [both] db in try Item.update(contentsOf: both, in: db) }
        #expect(try await items.next() == .keys([3, 4]))
        both[0].name = "upserted"
        try await store.write { [both] db in _ = try Item.upsert(both[0], in: db) }
        #expect(try await items.next() == .keys([3]))
        try await store.write { db in try Item.delete(4, in: db) }
        #expect(try await items.next() == .keys([4]))
    }

    @Test func changesOfSeveralCommitsAreCombinedAndCascadesCount() async throws {
        let store = try await fixture().store
        var items = store.rowChanges(in: Item.self).makeAsyncIterator()
        var parts = store.rowChanges(in: Part.self).makeAsyncIterator()
        try await store.write { db in try db.execute("UPDATE item SET name = 'x' WHERE id = 1") }
        try await store.write(as: .immediate) { db in try db.execute("DELETE FROM item WHERE id = 3") }
        #expect(try await items.next() == .keys([1, 3]))
        #expect(try await parts.next() == .keys([30]))
        // No row, no report: neither a statement without effect, nor a part that was rolled back.
        try await store.write { db in
            try db.execute("UPDATE item SET name = 'y' WHERE id = 99")
            do {
                try db.savepoint { db in
                    try db.execute("DELETE FROM item WHERE id = 1")
                    throw Refusal(number: 1)
                }
            } catch is Refusal {}
            try db.execute("UPDATE part SET item = 2 WHERE id = 10")
        }
        #expect(try await parts.next() == .keys([10]))
        try await store.close()
        #expect(try await items.next() == nil)
        #expect(try await parts.next() == nil)
    }

    /// What the engine does not report row by row.
    @Test(arguments: [
        "UPDATE item SET id = 7 WHERE id = 4", "UPDATE item SET rowid = 8 WHERE id = 4",
        "INSERT OR REPLACE INTO item (id, name) VALUES (9, '4')", "REPLACE INTO item (id, name) VALUES (9, '4')",
        "UPDATE OR REPLACE item SET name = '4' WHERE id = 2", "CREATE INDEX other ON item (name, id)",
    ])
    func rowsThatAreNotReportedAreUnknown(_ sql: String) async throws {
        let store = try await fixture().store
        // Prepared before rows are recorded.
        await #expect(throws: Refusal.self) {
            try await store.write { db in
                try db.execute(SQL(verbatim: sql))
                throw Refusal(number: 1)
            }
        }
        var items = store.rowChanges(in: Item.self).makeAsyncIterator()
        try await store.write { db in
            try db.execute("UPDATE item SET name = '3' WHERE id = 3")
            try db.execute(SQL(verbatim: sql))
        }
        #expect(try await items.next() == .unknown)
        try await store.write { db in _ = try Item.insert(Item(id: 20, name: "20"), in: db) }
        #expect(try await items.next() == .keys([20]))
    }

    /// The engine does not look at the rows of a table without triggers and foreign keys.
    @Test func rowsThatAreDeletedAllAtOnceAreUnknown() async throws {
        let store = try await fixture().store
        try await store.write { db in
            for number in 1...3 { _ = try Plain.insert(Plain(id: Int64(number), name: "a"), in: db) }
        }
        var rows = store.rowChanges(in: Plain.self).makeAsyncIterator()
        try await store.write { db in
            try db.execute("UPDATE plain SET name = 'b' WHERE id = 2")
            _ = try Plain.truncate(in: db)
        }
        #expect(try await rows.next() == .unknown)
        try await store.write { db in _ = try Plain.insert(Plain(id: 5, name: "a"), in: db) }
        #expect(try await rows.next() == .keys([5]))
    }

    @Test func aSchemaWithREPLACEIsNotTrusted() async throws {
        let store = try await fixture().store
        var items = store.rowChanges(in: Item.self).makeAsyncIterator()
        try await store.write { db in
            try db.execute(
                "CREATE TRIGGER t AFTER INSERT ON part BEGIN INSERT OR REPLACE INTO item VALUES (50, '1'); END")
        }
        try await store.write { db in try db.execute("UPDATE item SET name = 'x' WHERE id = 2") }
        #expect(try await items.next() == .unknown)
        try await store.write { db in try db.execute("DROP TRIGGER t") }
        try await store.write { db in try db.execute("UPDATE item SET name = 'y' WHERE id = 2") }
        #expect(try await items.next() == .keys([2]))
    }

    @Test func aTableWhoseKeyIsNotItsRowIDIsRecordedByItsKey() async throws {
        let store = try await fixture().store
        try await store.write { db in
            try db.execute("DROP TABLE part")
            try db.execute("CREATE TABLE part (id INT PRIMARY KEY, item INTEGER)")
        }
        var parts = store.rowChanges(in: Part.self).makeAsyncIterator()
        try await store.write { db in try db.execute("INSERT INTO part VALUES (77, 1)") }
        #expect(try await parts.next() == .keys([77]))
    }

    /// A statement that fails after a row was reported, and one that deletes as many rows at once as were reported.
    @Test func missingAndSuperfluousReportsDoNotCancel() async throws {
        let store = try await fixture().store
        try await store.write { db in
            for number in 1...2 { try Plain.insert(Plain(id: Int64(number), name: "\(number)"), in: db) }
            try db.execute("CREATE TABLE once (id INTEGER PRIMARY KEY, name TEXT UNIQUE)")
            try db.execute("INSERT INTO once VALUES (1, 'a'), (2, 'b'), (3, 'c')")
        }
        var rows = store.rowChanges(in: Plain.self).makeAsyncIterator()
        try await store.write { db in
            try expectFailure(.constraint) {
                try db.execute("UPDATE once SET name = CASE id WHEN 3 THEN '1' ELSE id END")
            }
            try db.execute("DELETE FROM plain")
        }
        // Otherwise a mistake would be that nothing is reported.
        try await store.write { db in _ = try Plain.insert(Plain(id: 9, name: "a"), in: db) }
        #expect(try await rows.next() == .unknown)
    }

    @Test func aTransactionThatWasRunningIsUnknown() async throws {
        let store = try await fixture().store
        let (isInside, mayEnd) = (Moment(), Moment())
        let holder = Task {
            try await store.write { db in
                try db.execute("UPDATE item SET name = 'x' WHERE id = 2")
                isInside.come()
                try mayEnd.block()
            }
        }
        try await isInside.wait()
        var items = store.rowChanges(in: Item.self).makeAsyncIterator()
        mayEnd.come()
        try await holder.value
        #expect(try await items.next() == .unknown)
    }

    @Test func nothingIsRecordedWhenNobodyAsks() async throws {
        let store = try await fixture().store
        do {
            let items = store.rowChanges(in: Item.self).makeAsyncIterator()
            try await store.write { db in try db.execute("UPDATE item SET name = 'x' WHERE id = 2") }
            #expect(try await isRecording(store))
            withExtendedLifetime(items) {}
        }
        try await store.write { db in try db.execute("UPDATE item SET name = 'y' WHERE id = 2") }
        #expect(try await !isRecording(store))
    }

    private func isRecording(_ store: Store) async throws -> Bool {
        try await store.pool.perform(.ungroupedWrite) { $0.rowRecorder != nil }
    }
}
