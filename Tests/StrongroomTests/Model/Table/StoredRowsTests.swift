import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Rows as they are stored")
struct StoredRowsTests {
    @Table("parcel")
    struct Parcel: Equatable {
        var id: Int64?
        @Column(unique: true) var code: String
        var weight: Int
        @Column(default: "new") var state: String?

        static let hooks: RecordHooks<Parcel>? = RecordHooks()
            .willSave { parcel, db in if parcel.weight < 0 { parcel.weight = 0 } }
            .didSave { parcel, db in
                try db.execute("UPDATE parcel SET hooked = 'after ' || weight WHERE id = \(parcel.id ?? 0)")
            }
    }

    /// What the file has of it: also what a trigger, a hook and a generated column write.
    @Record
    struct Stored: Equatable {
        var id: Int64
        var code: String
        var state: String?
        var route: String?
        var hooked: String?
        var grams: Int

        init(_ id: Int64, _ code: String, _ state: String?, _ route: String?, _ hooked: String?, _ grams: Int) {
            (self.id, self.code, self.state, self.route, self.hooked, self.grams) =
                (id, code, state, route, hooked, grams)
        }
    }

    private func store() async throws -> TemporaryStore { try await Self.store(of: "parcel") }

    /// Grams are a generated column where the engine has those, and a trigger's otherwise.
    static func store(of table: String) async throws -> TemporaryStore {
        let temporary = try await TemporaryStore()
        let isGenerated = try EngineFeatures.current().hasGeneratedColumns
        try await temporary.store.write { db throws in
            let grams = isGenerated ? "GENERATED ALWAYS AS (weight * 1000) VIRTUAL" : "INTEGER"
            try db.execute(
                SQL(
                    verbatim: """
                        CREATE TABLE \(table) (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE,
                        weight INTEGER NOT NULL, state TEXT DEFAULT 'new', route TEXT, hooked TEXT, grams \(grams))
                        """))
            try db.execute(
                """
                CREATE TRIGGER routed AFTER INSERT ON \(name: table) BEGIN
                UPDATE \(name: table) SET route = 'by ' || new.code WHERE id = new.id;
                DELETE FROM \(name: table) WHERE id = new.id AND code = 'gone';
                UPDATE \(name: table) SET id = id + 100 WHERE id = new.id AND code = 'moved'; END
                """)
            guard !isGenerated else { return }
            for event in ["INSERT", "UPDATE OF weight"] {
                try db.execute(
                    SQL(
                        verbatim: """
                            CREATE TRIGGER `grams \(event)` AFTER \(event) ON \(table) BEGIN
                            UPDATE \(table) SET grams = new.weight * 1000 WHERE id = new.id; END
                            """))
            }
        }
        return temporary
    }

    @Test func anInsertedRowHasItsDefaultsAndWhatTriggersAndHooksWrite() async throws {
        try await store().store.write { db throws in
            let first = try Parcel.stored(Parcel.insert(Parcel(code: "a", weight: 2), in: db), as: Stored.self, in: db)
            #expect(first == Stored(1, "a", "new", "by a", "after 2", 2000))
            let own = try Parcel.stored(Parcel.insert(Parcel(code: "b", weight: -1), in: db), as: Parcel.self, in: db)
            #expect(own == Parcel(id: 2, code: "b", weight: 0, state: "new"))
            let list = [Parcel(code: "c", weight: 3), Parcel(id: 9, code: "d", weight: 4, state: "old")]
            #expect(
                try Parcel.stored(Parcel.insert(contentsOf: list, in: db), as: Stored.self, in: db) == [
                    Stored(3, "c", "new", "by c", "after 3", 3000), Stored(9, "d", "old", "by d", "after 4", 4000),
                ])
            #expect(try Parcel.stored(Parcel.insert(contentsOf: [], in: db), as: Stored.self, in: db) == [])
            let single = try Parcel.stored(
                Parcel.insert(in: db) { [$0.code.set("e"), $0.weight.set(5)] }, as: Stored.self, in: db)
            #expect(single == Stored(10, "e", "new", "by e", nil, 5000))
            #expect(try Parcel.stored([10, 9, 10], as: Stored.self, in: db).map(\.code) == ["e", "d", "e"])
        }
    }

    @Test func anUpsertedRowHasTheValuesThatItKeeps() async throws {
        try await store().store.write { db throws in
            try Parcel.insert(Parcel(code: "a", weight: 1, state: "sent"), in: db)
            let kept = try Parcel.stored(
                Parcel.upsert(Parcel(code: "a", weight: 2), .by(\.code, nils: .keep), in: db).key, as: Stored.self,
                in: db)
            #expect(kept == Stored(1, "a", "sent", "by a", "after 2", 2000))
            let new = try Parcel.stored(
                Parcel.upsert(Parcel(code: "b", weight: 3), .by(\.code), in: db).key, as: Stored.self, in: db)
            #expect(new == Stored(2, "b", "new", "by b", "after 3", 3000))
            let byKey = try Parcel.stored(
                Parcel.upsert(Parcel(id: 2, code: "c", weight: 4), in: db).key, as: Stored.self, in: db)
            #expect(byKey == Stored(2, "c", nil, "by b", "after 4", 4000))
            // Two records of the list are one row, which is returned as it is after both.
            let list = [Parcel(code: "d", weight: 5), Parcel(code: "d", weight: 6), Parcel(code: "a", weight: 7)]
            let stored = try Parcel.stored(
                Parcel.upsert(contentsOf: list, .by(\.code), in: db).map(\.key), as: Stored.self, in: db)
            #expect(stored.map(\.id) == [3, 3, 1] && stored.map(\.grams) == [6000, 6000, 7000])
            let keyed = [Parcel(id: 1, code: "a", weight: 8), Parcel(code: "e", weight: 9)]
            #expect(
                try Parcel.stored(Parcel.upsert(contentsOf: keyed, in: db).map(\.key), as: Stored.self, in: db).map(
                    \.grams) == [8000, 9000])
            let chosen = Parcel(id: 9, code: "e", weight: 11, state: "new")
            let some = try Parcel.stored(
                Parcel.upsert(chosen, .by(\.code, only: { [$0.weight] }), in: db).key, as: Stored.self, in: db)
            #expect(some == Stored(4, "e", "new", "by e", "after 9", 11_000))
            let more = try Parcel.stored(
                Parcel.upsert(Parcel(id: 4, code: "f", weight: 12), .key(only: { [$0.code] }), in: db).key,
                as: Stored.self,
                in: db)
            #expect(more == Stored(4, "f", "new", "by e", "after 9", 11_000))
            try db.execute("UPDATE parcel SET state = 'lost' WHERE id < 3")
            let several = try Parcel.stored(
                Parcel.upsert(Parcel(code: "x", weight: 10, state: "found"), .matching(\.state), in: db).keys,
                as: Parcel.self, in: db)
            #expect(several == [Parcel(id: 5, code: "x", weight: 10, state: "found")])
        }
    }

    @Test("A row that is gone after the insert, and a wrong column undo the savepoint")
    func failures() async throws {
        try await store().store.write { db throws in
            for code in ["gone", "moved"] {
                let list = [Parcel(code: "a", weight: 1), Parcel(code: code, weight: 1)]
                try expectFailure(.noSuchRow, saying: "a trigger or a hook") {
                    try db.savepoint { db in
                        try Parcel.stored(Parcel.insert(contentsOf: list, in: db), as: Stored.self, in: db)
                    }
                }
                try expectFailure(.noSuchRow) {
                    try db.savepoint { db in
                        let key = try Parcel.insert(in: db) { [$0.code.set(code), $0.weight.set(1)] }
                        return try Parcel.stored(key, as: Stored.self, in: db)
                    }
                }
            }
            try expectFailure(.sql) {
                try db.savepoint { db in
                    try Parcel.stored(Parcel.insert(Parcel(code: "a", weight: 1), in: db), as: Contact.self, in: db)
                }
            }
            #expect(try Parcel.count(in: db) == 0)
        }
    }

    @Table("fare")
    struct Fare: Equatable {
        @Column(primaryKey: true) var country: String
        @Column(scale: 2, primaryKey: true) var amount: Decimal
        @Column(default: 1) var zone: Int?
    }

    @Table("ticket")
    struct Ticket: Equatable {
        var id: UUID?
        @Column(default: "single") var kind: String?
    }

    /// The same statements with every engine.
    @Test func keysOfEachForm() async throws {
        try await TemporaryStore(tables: [Fare.schema, Ticket.schema]).store.write { db throws in
            let fare = Fare(country: "A", amount: Decimal(string: "1.5")!)
            let stored = try db.expectSQL(
                "INSERT INTO `fare` (`country`, `amount`, `zone`) VALUES (?1, ?2, ?3)",
                "SELECT `country`, `amount`, `zone` FROM `fare` WHERE ((`country` = ?) AND (`amount` = ?))"
            ) {
                try Fare.stored(Fare.insert(fare, in: db), as: Fare.self, in: db)
            }
            #expect(stored == Fare(country: "A", amount: Decimal(string: "1.50")!, zone: 1))
            let assigned = try Fare.insert(in: db) {
                [$0.country.set("B"), $0.amount.set(2), $0.country.set("C")]
            }
            #expect(try Fare.stored(assigned, as: Fare.self, in: db) == Fare(country: "B", amount: 2, zone: 1))
            let ticket = try Ticket.stored(Ticket.insert(Ticket(), in: db), as: Ticket.self, in: db)
            #expect(ticket.kind == "single")
            #expect(try Ticket.find(try #require(ticket.id), in: db) == ticket)
            try db.execute("CREATE TABLE made (code TEXT PRIMARY KEY DEFAULT 'x', n INTEGER)")
            let made = try Made.stored(Made.insert(in: db) { [$0.n.set(4)] }, as: Made.self, in: db)
            #expect(made == Made(code: "x", n: 4))
        }
    }

    @Table("made")
    struct Made: Equatable {
        @Column(primaryKey: true) var code: String
        var n: Int
    }
}

/// Tables that another program has created.
@Suite("Keys of rows with single values, whose key is not the row id")
struct KeysOfInsertedValuesTests {
    @Table("part")
    struct Part: Equatable {
        var id: Int64?
        var name: String
    }

    @Table("word")
    struct Word: Equatable {
        @Column(primaryKey: true) var text: String?
        var count: Int
    }

    /// A row whose key may be NULL.
    @Record
    struct Loose: Equatable {
        var text: String?
        var count: Int

        init(_ text: String?, _ count: Int) { (self.text, self.count) = (text, count) }
    }

    @Table("pair")
    struct Pair: Equatable {
        @Column(primaryKey: true) var group: String
        @Column(primaryKey: true) var number: Int
        var note: String?
    }

    private func store(_ statements: SQL...) async throws -> TemporaryStore {
        let temporary = try await TemporaryStore()
        try await temporary.store.write { db throws in for statement in statements { try db.execute(statement) } }
        return temporary
    }

    @Test(arguments: ["INTEGER PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID", "INT PRIMARY KEY, name TEXT NOT NULL)"])
    func `an assigned integer identifies the row, and no row id`(declaration: String) async throws {
        try await store(SQL(verbatim: "CREATE TABLE part (id \(declaration)")).store.write { db throws in
            // One that a row id might be taken for.
            try db.execute("INSERT INTO part VALUES (1, 'first'), (0, 'zero'), (2, 'second')")
            for id in [Int64(70), 71] {
                let stored = try Part.stored(
                    Part.insert(in: db) { [$0.id.set(id), $0.name.set("new")] }, as: Part.self, in: db)
                #expect(stored == Part(id: id, name: "new"))
            }
            #expect(try Part.count(in: db) == 5)
        }
    }

    @Test func `the engine generates a key that is assigned as NULL`() async throws {
        try await store("CREATE TABLE part (id INTEGER PRIMARY KEY, name TEXT NOT NULL)").store.write { db throws in
            let stored = try Part.stored(
                Part.insert(in: db) { [$0.id.set(nil), $0.name.set("a")] }, as: Part.self, in: db)
            #expect(stored == Part(id: 1, name: "a"))
            let other = try Part.stored(Part.insert(in: db) { [$0.name.set("b")] }, as: Part.self, in: db)
            #expect(other == Part(id: 2, name: "b"))
        }
    }

    @Test func `a row that has no key is refused, and one with a default is found by its row id`() async throws {
        let temporary = try await store(
            "CREATE TABLE word (text TEXT PRIMARY KEY, count INTEGER)", "INSERT INTO word VALUES (NULL, 1), (NULL, 2)")
        try await temporary.store.write { db throws in
            try expectFailure(.missingKey) { try Word.insert(in: db) { [$0.count.set(3)] } }
            try expectFailure(.missingKey) { try Word.insert(in: db) { [$0.text.set(nil), $0.count.set(4)] } }
            #expect(try Word.count(in: db) == 2)
            // A column that a row id's name is taken from.
            try db.execute("DROP TABLE word")
            try db.execute("CREATE TABLE word (text TEXT PRIMARY KEY DEFAULT 'x', count INTEGER, rowid TEXT)")
            try db.execute("INSERT INTO word (text, count, rowid) VALUES ('y', 9, 2)")
            #expect(try Word.insert(in: db) { [$0.count.set(5)] } == "x")
            #expect(try Word.stored("x", as: Loose.self, in: db) == Loose("x", 5))
        }
    }

    @Test func `a key with a default is to be assigned where there is no row id`() async throws {
        let temporary = try await store(
            "CREATE TABLE word (text TEXT PRIMARY KEY DEFAULT 'x', count INTEGER) WITHOUT ROWID",
            """
            CREATE TABLE pair (`group` TEXT DEFAULT 'all', number INTEGER, note TEXT DEFAULT 'n',
            PRIMARY KEY (`group`, number)) WITHOUT ROWID
            """)
        try await temporary.store.write { db throws in
            // With a row id that is not one of the table.
            try db.execute("CREATE TABLE other (id INTEGER PRIMARY KEY)")
            try db.execute("INSERT INTO other DEFAULT VALUES")
            try expectFailure(.missingKey) { try Word.insert(in: db) { [$0.count.set(3)] } }
            try expectFailure(.missingKey) { try Pair.insert(in: db) { [$0.number.set(4)] } }
            #expect(try Word.count(in: db) == 0 && Pair.count(in: db) == 0)
            #expect(try Word.insert(in: db) { [$0.text.set("y"), $0.count.set(3)] } == "y")
            let pair = try Pair.stored(
                Pair.insert(in: db) { [$0.group.set("all"), $0.number.set(4)] }, as: Pair.self, in: db)
            #expect(pair == Pair(group: "all", number: 4, note: "n"))
        }
    }

    @Test func `a row that another one of the list replaces is named`() async throws {
        let temporary = try await store(
            "CREATE TABLE part (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE ON CONFLICT REPLACE)")
        try await temporary.store.write { db throws in
            let keys = try Part.insert(contentsOf: [Part(name: "a"), Part(name: "a")], in: db)
            let error = try expectFailure(.noSuchRow) { try Part.stored(keys, as: Part.self, in: db) }
            #expect(error.message.contains("ON CONFLICT REPLACE"))
        }
    }
}
