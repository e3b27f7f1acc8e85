import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Histories and schemas")
struct HistorySchemaTests {
    /// A table as three versions of a program declare it.
    @Table("item")
    struct Plain {
        var id: Int64?
        var name: String
    }

    @Table("item", history: .keep())
    struct Kept {
        var id: Int64?
        var name: String
    }

    @Table("item", history: .keep(changes: 10))
    struct Wider {
        var id: Int64?
        @Column(previously: "name") var title: String
        var size: Int?
    }

    private let vault = Vault(keys: .numbered(1))

    private func open(_ migrator: Migrator) async throws -> Store {
        try await vault.with(\.migrator, migrator).open()
    }

    @Test func `an automatic migrator adds, adapts and ends a history`() async throws {
        var store = try await open(.automatic(tables: [Plain.schema]))
        try await store.write { db in _ = try Plain.insert(Plain(name: "a"), in: db) }
        try await store.close()

        store = try await open(.automatic(tables: [Kept.schema]))
        #expect(store.openReport.migration?.schemaChanges.isEmpty == false)
        try await store.write { db throws in
            try Kept.update(1, in: db) { [$0.name.set("b")] }
            #expect(try Kept.changes(of: 1, in: db).map(\.before?.name) == ["a"])
        }
        try await store.close()
        store = try await open(.automatic(tables: [Kept.schema]))
        #expect(store.openReport.migration?.schemaChanges.isEmpty ?? true)
        try await store.close()

        store = try await open(.automatic(tables: [Wider.schema]))
        try await store.write { db throws in
            try Wider.update(1, in: db) { [$0.size.set(4)] }
            let changes = try Wider.changes(of: 1, in: db)
            #expect(changes.map(\.before?.title) == ["a", "b"])
            #expect(changes.map(\.after?.title) == ["b", "b"])
            #expect(changes.map(\.columns) == [["title"], ["size"]])
        }
        try await store.close()

        store = try await open(.automatic(tables: [Wider.withoutHistory]))
        try await store.write { db throws in
            try db.execute("UPDATE item SET size = 5")
            #expect(try Wider.changes(of: 1, in: db).count == 2)
            #expect(try db.value("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'", as: Int.self) == 0)
        }
        try await store.close()
    }

    @Test func `a step of a migrator gives the same schema as a new file`() async throws {
        let steps = [
            Migration("1") { db in try db.createTable(Plain.schema) },
            Migration("2") { db in try db.keepHistory(of: Kept.schema) },
        ]
        let one = try await open(Migrator { steps })
        let other = try await Vault(keys: .numbered(1)).with(\.migrator, Migrator(tables: [Kept.schema]) { steps })
            .open()
        func schema(_ store: Store) async throws -> [String] {
            try await store.read { db throws in
                var texts: [String] = []
                try db.forEachRow(
                    """
                    SELECT sql FROM sqlite_master
                    WHERE sql IS NOT NULL AND name NOT IN ('strongroom_migrations', 'strongroom_database')
                    """
                ) {
                    texts.append(try $0[0])
                }
                return texts.sorted()
            }
        }
        let texts = try await schema(one)
        #expect(texts.count == 11)
        #expect(try await schema(other) == texts)
        try await one.close()
        try await other.close()
    }

    @Test func `names that are taken, and declarations that cannot be kept`() async throws {
        let temporary = try await TemporaryStore()
        func code(_ schema: TableSchema) async -> StrongroomError.Code? {
            do {
                try await temporary.store.write { db in try db.createTable(schema) }
                return nil
            } catch {
                return (error as? StrongroomError)?.code
            }
        }
        let (id, name) = (Column<Int64?>("id", primaryKey: true), Column<String>("name"))
        func declared(_ history: History, _ columns: [ColumnDefinition]) -> TableSchema {
            TableSchema("thing", columns: columns, history: history)
        }
        let both = [id.definition, name.definition]
        #expect(await code(declared(.keep(), [name.definition])) == .notDeclared)
        #expect(await code(declared(.keep(days: 0), both)) == .invalidDeclaration)
        #expect(await code(declared(.keep(changes: -1), both)) == .invalidDeclaration)
        #expect(await code(declared(.keep(omitting: ["other"]), both)) == .invalidDeclaration)
        #expect(await code(declared(.keep(omitting: ["name"]), both)) == .invalidDeclaration)
        #expect(await code(declared(.keep(omitting: ["id"]), both)) == .invalidDeclaration)
        try await temporary.store.write { db throws in
            try db.execute("CREATE TABLE thing_history (id INTEGER PRIMARY KEY, what TEXT)")
        }
        #expect(await code(declared(.keep(), both)) == .schemaChange)
        let hasTable = try await temporary.store.read { db in try db.hasTable("thing") }
        #expect(!hasTable)

        let taken = TableSchema("item_history", id)
        try await expectFailure(.invalidMigrator) {
            try await self.open(.automatic(tables: [Kept.schema, taken]))
        }
    }

    /// Two names move on by one column, and the key has another name.
    @Table("item", history: .keep())
    struct Moved {
        @Column(primaryKey: true, previously: "id") var number: Int64?
        @Column(previously: "name") var title: String
        var name: String = "new"
    }

    @Test func `former values follow renamed columns, also the key`() async throws {
        var store = try await open(.automatic(tables: [Kept.schema]))
        try await store.write { db throws in
            _ = try Kept.insert(Kept(name: "a"), in: db)
            try Kept.update(1, in: db) { [$0.name.set("b")] }
        }
        try await store.close()
        store = try await open(.automatic(tables: [Moved.schema]))
        try await store.write { db throws in
            let change = try #require(try Moved.changes(of: 1, in: db).last)
            #expect(change.before?.title == "a")
            #expect(change.before?.name == "new")
            #expect(change.after?.title == "b")
            try Moved.update(1, in: db) { [$0.title.set("c")] }
            let number = try #require(try db.transactionNumber)
            #expect(try db.undo(transaction: number).count == 1)
            #expect(try Moved.find(1, in: db)?.title == "b")
            // A history whose triggers are still there.
            try db.renameColumn("title", to: "label", in: "item")
            try db.execute("UPDATE item SET label = 'd'")
            #expect(try db.value("SELECT old_label FROM item_history ORDER BY change DESC", as: String.self) == "b")
            #expect(try db.undo(transaction: number).count == 1)
        }
        try await store.close()
    }

    @Table("item", history: .keep())
    struct Numbered {
        var id: Int64?
        var name: Double
    }

    @Test func `values of another type are not known, and cannot be put back`() async throws {
        var store = try await open(.automatic(tables: [Kept.schema]))
        let number = try await store.transaction { db throws in
            _ = try Kept.insert(Kept(name: "1.0"), in: db)
            try Kept.update(1, in: db) { [$0.name.set("2.0")] }
        }
        try await store.close()
        store = try await open(.automatic(tables: [Numbered.schema]))
        try await store.write { db throws in
            let changes = try Numbered.changes(of: 1, in: db)
            #expect(changes.map(\.isBeforeKnown) == [true, false])
            #expect(changes.map(\.isAfterKnown) == [false, true])
            #expect(changes.last?.after?.name == 2)
            try expectFailure(.notUndoable) { try db.undo(transaction: number) }
        }
        try await store.close()
    }

    @Table("item", history: .keep())
    struct Versioned {
        var id: Int64?
        var name: String
        @Column(kept: .version) var version = 0
    }

    @Table("item", history: .keep())
    struct Counted {
        var id: Int64?
        var name: String
        var version = 0
    }

    @Table("item", history: .keep())
    struct VersionedAndWider {
        var id: Int64?
        var name: String
        @Column(kept: .version) var version = 0
        var size: Int?
    }

    /// Undoes both transactions; a record that was read before is stale then.
    private static func expectVersionsGoOn(_ numbers: [Int64], _ store: Store) async throws {
        let read = try #require(try await store.table(Versioned.self).find(1))
        try await store.write { db throws in
            #expect(try db.undo(transaction: numbers[1]).count == 2)
            let found = try Versioned.all(in: db)
            #expect(found.map(\.name) == ["a", "b"])
            // An updated row has the next version, and one that is put back one that it never had.
            #expect(found.map(\.version) == [1, 1])
            try expectFailure(.staleRecord, saying: "item") { try Versioned.update(read, in: db) }
        }
    }

    /// Two rows are inserted; then one is changed, and the other deleted.
    private static func twoTransactions(_ store: Store) async throws -> [Int64] {
        let first = try await store.transaction { db throws in
            for name in ["a", "b"] { try db.execute("INSERT INTO item (name) VALUES (\(name))") }
        }
        let second = try await store.transaction { db throws in
            try db.execute("UPDATE item SET name = 'c' WHERE id = 1")
            try db.execute("DELETE FROM item WHERE id = 2")
        }
        return [first, second]
    }

    /// Also where the column was there, and was no version.
    @Test(arguments: [true, false], [true, false])
    func `transactions before a version is added can be undone`(isAutomatic: Bool, isThere: Bool) async throws {
        guard isAutomatic || !isThere else { return }
        let before = isThere ? Counted.schema : Kept.schema
        let create = Migration("1") { db in try db.createTable(Kept.schema) }
        let steps = Migrator {
            create
            Migration("2") { db in
                try db.addColumn(Versioned.columns.version, to: "item")
                try db.keepHistory(of: Versioned.schema)
            }
        }
        var store = try await open(isAutomatic ? .automatic(tables: [before]) : Migrator { create })
        let numbers = try await Self.twoTransactions(store)
        try await store.close()
        store = try await open(isAutomatic ? .automatic(tables: [Versioned.schema]) : steps)
        try await Self.expectVersionsGoOn(numbers, store)
        try await store.close()
        guard isAutomatic else { return }
        store = try await open(.automatic(tables: [Versioned.schema]))
        #expect(store.openReport.migration?.schemaChanges.isEmpty ?? true)
        try await store.close()
    }

    @Test func `a version that is added again goes on`() async throws {
        let create = Migration("1") { db in try db.createTable(Versioned.schema) }
        let drop = Migration("2") { db in
            try db.keepHistory(of: Kept.schema)
            try db.dropColumn("version", from: "item")
        }
        let add = Migration("3") { db in
            try db.addColumn(Versioned.columns.version, to: "item")
            try db.keepHistory(of: Versioned.schema)
        }
        var store = try await open(Migrator { create })
        // Its history has versions.
        try await store.write { db throws in
            let old = try Versioned.insert(Versioned(name: "old"), in: db)
            try Versioned.update(old, in: db) { [$0.name.set("older")] }
            try Versioned.delete(old, in: db)
        }
        try await store.close()
        store = try await open(Migrator { [create, drop] })
        let numbers = try await Self.twoTransactions(store)
        try await store.close()
        store = try await open(Migrator { [create, drop, add] })
        let read = try #require(try await store.table(Versioned.self).find(1))
        try await store.write { db throws in
            #expect(try db.undo(transaction: numbers[1]).count == 2)
            let found = try Versioned.all(in: db)
            #expect(found.map(\.name) == ["a", "b"])
            #expect(found.allSatisfy { $0.version > 0 })
            try expectFailure(.staleRecord) { try Versioned.update(read, in: db) }
        }
        try await store.close()
    }

    /// A program's own table, whose version may be NULL.
    @Test func `a version never becomes NULL`() async throws {
        let store = try await TemporaryStore().store
        try await store.write { db throws in
            try db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, version INTEGER)")
            try db.keepHistory(of: Versioned.schema)
        }
        let numbers = try await Self.twoTransactions(store)
        try await store.write { db throws in
            #expect(try db.undo(transaction: numbers[1]).count == 2)
            let found = try Versioned.all(in: db)
            #expect(found.map(\.name) == ["a", "b"])
            #expect(found.allSatisfy { $0.version > 0 })
        }
    }

    @Test func `a further new column ends the undoing`() async throws {
        var store = try await open(.automatic(tables: [Kept.schema]))
        let numbers = try await Self.twoTransactions(store)
        try await store.close()
        store = try await open(.automatic(tables: [VersionedAndWider.schema]))
        try await expectFailure(.notUndoable) { [store] in
            try await store.write { db in try db.undo(transaction: numbers[1]) }
        }
        try await store.close()
    }

    @Table("thing", history: .keep())
    struct Thing {
        var id: Int64?
        var name: String
    }

    @Test(arguments: [true, false])
    func `a table is renamed with its history`(isKept: Bool) async throws {
        let store = try await TemporaryStore(tables: [Kept.schema]).store
        let number = try await store.transaction { db throws in
            _ = try Kept.insert(Kept(name: "a"), in: db)
            try Kept.update(1, in: db) { [$0.name.set("b")] }
        }
        try await store.write { db throws in
            try expectFailure(.schemaChange) {
                try db.renameTable("item_history", to: "thing_history")
            }
            try db.execute("CREATE TABLE thing_history (id INTEGER)")
            try expectFailure(.schemaChange) { try db.renameTable("item", to: "thing") }
            try db.dropTable("thing_history")
            #expect(try Kept.changes(of: 1, in: db).count == 2)

            if !isKept { try db.stopHistory(of: "item") }
            try db.renameTable("item", to: "thing")
            #expect(try db.value("SELECT count(*) FROM sqlite_master WHERE sql LIKE '%item%'", as: Int.self) == 0)
            if !isKept { try db.keepHistory(of: Thing.schema) }
        }
        // As in a file that was created with the new name.
        let other = try await TemporaryStore(tables: [Thing.schema])
        let entries: SQL = "SELECT sql FROM sqlite_master WHERE name LIKE 'thing_%' ORDER BY name"
        let list: SQL = "SELECT replace(group_concat(sql), '\"', '`') FROM (\(entries))"
        func schema(_ store: Store) async throws -> String {
            try await store.read { db in try #require(try db.value(list, as: String.self)) }
        }
        #expect(try await schema(store) == schema(other.store))
        let later = try await store.transaction { db throws in
            #expect(try Thing.changes(of: 1, in: db).map(\.before?.name) == [nil, "a"])
            try Thing.update(1, in: db) { [$0.name.set("c")] }
        }
        try await store.write { db throws in
            #expect(try db.undo(transaction: later).count == 1)
            #expect(try Thing.changes(of: 1, in: db).map(\.before?.name) == [nil, "a", "b", "c"])
            #expect(try Thing.changes(of: 1, in: db).map(\.number) == [1, 2, 3, 4])
            if isKept { #expect(try PrunedFacts.newest("thing", db) == 0) }
            try expectFailure(.notUndoable) { try db.undo(transaction: number) }
        }
    }

    @Test func `the numbers of a dropped history are not used again`() async throws {
        try await TemporaryStore(tables: [Kept.schema]).store.write { db throws in
            for name in ["a", "b"] { _ = try Kept.insert(Kept(name: name), in: db) }
            try db.stopHistory(of: "item", dropping: true)
            #expect(try !db.hasTable("item_history"))
            try db.keepHistory(of: Kept.schema)
            _ = try Kept.insert(Kept(name: "c"), in: db)
            #expect(try Kept.changes(since: 0, in: db).map(\.number) == [3])
            // Nor by a table that gets the name.
            try db.dropTable("item")
            try db.dropTable("item_history")
            try db.createTable(Thing.schema)
            _ = try Thing.insert(Thing(name: "d"), in: db)
            try db.renameTable("thing", to: "item")
            _ = try Kept.insert(Kept(name: "e"), in: db)
            #expect(try Kept.changes(since: 0, in: db).map(\.number) == [1, 4])
        }
    }

    @Test func `a table without a migrator is created with its history`() async throws {
        let store = try await vault.with(\.migrator, nil).open()
        _ = try await store.write { db in try Kept.insert(Kept(name: "a"), in: db) }
        try await store.write { db throws in
            #expect(try Kept.changes(since: 0, in: db).count == 1)
            try db.stopHistory(of: "item")
            _ = try Kept.insert(Kept(name: "b"), in: db)
            #expect(try Kept.changes(since: 0, in: db).count == 1)
            try db.keepHistory(of: Kept.schema)
            _ = try Kept.insert(Kept(name: "c"), in: db)
            #expect(try Kept.changes(since: 0, in: db).count == 2)
            #expect(try Kept.changes(since: 0, in: db).last?.transaction != nil)
        }
        try await store.close()
    }
}

extension HistorySchemaTests.Wider {
    static let withoutHistory = TableSchema("item", columns.id, columns.title, columns.size)
}

private enum PrunedFacts {
    /// The newest transaction that cannot be undone.
    static func newest(_ table: String, _ db: borrowing some Reading & ~Copyable) throws -> Int {
        let sql: SQL = "SELECT max(pruned) FROM strongroom_history WHERE name = \(table + "_history")"
        return try db.value(sql, as: Int?.self).flatMap { $0 } ?? 0
    }
}
