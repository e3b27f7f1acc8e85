#if Macros
import Strongroom
import StrongroomTesting
import Testing

@Suite("Lists of records that are saved in memory")
struct ListsInMemoryTests {
    @Table("shelf")
    struct Shelf: Equatable {
        var id: Int64?
        var name: String
        @HasMany var books: [Book] = []

        static let relations: Relations<Shelf>? = Relations().hasMany(\.$books, by: \.shelf)
    }

    @Table("book")
    struct Book: Equatable {
        var id: Int64?
        @Column(unique: true) var title: String
        @Column(references: Reference("shelf")) var shelf: Int64?
    }

    @Table("order")
    struct Order: Equatable {
        var id: Int64?
        var item: String
        @Ignored var isGone = false

        enum Refusal: Error { case item }

        static let hooks: RecordHooks<Order>? = RecordHooks()
            .willSave { order, db in try note("will save", order, db) }
            .didSave { order, db in
                try note("did save", order, db)
                if order.item == "refused" { throw Refusal.item }
            }
            .deletesOnSave { $0.isGone }

        private static func note(_ what: String, _ order: Order, _ db: borrowing WriteTransaction) throws {
            try db.execute("INSERT INTO trace VALUES (\("\(what) \(order.id ?? 0) \(order.item)"))")
        }
    }

    private func store() async throws -> TemporaryStore {
        let temporary = try await TemporaryStore(Shelf.self, Book.self, Order.self)
        try await temporary.store.write { db in try db.execute("CREATE TABLE trace (text TEXT)") }
        return temporary
    }

    private static func shelves() -> [Shelf] {
        [Shelf(name: "a", books: [Book(title: "1"), Book(title: "2")]), Shelf(name: "b", books: [Book(title: "3")])]
    }

    private static func rows(_ db: borrowing some Reading & ~Copyable) throws -> [Int] {
        try ["shelf", "book"].map { table in
            try db.value(SQL(verbatim: "SELECT count(*) FROM main.\(table)"), as: Int.self) ?? 0
        }
    }

    @Test func aListIsSavedInMemoryAndThenInTheFile() async throws {
        let temporary = try await store()
        var list = Self.shelves()
        let first = try await temporary.store.write(&list) { db, list in
            try Shelf.save(contentsOf: &list, persistence: .memory, in: db)
        }
        #expect(first == [.inserted, .inserted] && list.map(\.id) == [-1, -2])
        list[0].name = "c"
        let second = try await temporary.store.write(&list) { db, list in
            try Shelf.save(contentsOf: &list, persistence: .memory, in: db)
        }
        #expect(second == [.updated, .updated])
        try await temporary.store.read { db throws in
            #expect(try Self.rows(db) == [0, 0])
            #expect(try Shelf.all(in: db).map(\.name).sorted() == ["b", "c"])
        }
        // A copy follows its record to the file, and so does a child that was not loaded.
        try await temporary.store.write { [list] db throws in
            try Book.insert(Book(title: "4", shelf: -1), persistence: .memory, in: db)
            var copies = list + [Shelf(id: -1, name: "d"), Shelf(name: "e")]
            let saved = try Shelf.save(contentsOf: &copies, persistence: .disk, in: db)
            #expect(saved == [.updated, .updated, .updated, .inserted])
            #expect(copies.map(\.id) == [1, 2, 1, 3])
            #expect(try Shelf.all(in: db).map(\.name) == ["d", "b", "e"])
            #expect(try Book.all(in: db).map(\.shelf) == [1])
            #expect(try Self.rows(db) == [3, 1])
        }
    }

    @Test func aListIsSavedWithItsChildren() async throws {
        let temporary = try await store()
        try await temporary.store.write { db throws in
            var list = Self.shelves()
            try Shelf.save(contentsOf: &list, persistence: .memory, cascading: true, in: db)
            #expect(try Self.rows(db) == [0, 0] && Book.keysInMemory(in: db).count == 3)
            #expect(list.map { $0.books.map(\.shelf) } == [[-1, -1], [-2]])
            // A book changes its shelf on the way to the file.
            list[1].books.append(list[0].books.removeLast())
            try Shelf.save(contentsOf: &list, persistence: .disk, cascading: true, in: db)
            #expect(try Self.rows(db) == [2, 3] && Book.keysInMemory(in: db).isEmpty)
            #expect(list.map(\.id) == [1, 2])
            #expect(try Book.all(in: db).map(\.shelf).sorted { $0 ?? 0 < $1 ?? 0 } == [1, 2, 2])
        }
    }

    @Test(arguments: [false, true]) func allOrNoneAreSaved(cascading: Bool) async throws {
        let temporary = try await store()
        try await temporary.store.write { db throws in
            let key = try Shelf.insert(Shelf(name: "file"), in: db)
            var list = Self.shelves() + [Shelf(id: key, name: "file")]
            let before = list
            let error = try expectFailure(.constraint) {
                try Shelf.save(contentsOf: &list, persistence: .memory, cascading: cascading, in: db)
            }
            #expect(error.message.contains("`moveToMemory`") && list == before)
            #expect(try Shelf.keysInMemory(in: db).isEmpty && Book.keysInMemory(in: db).isEmpty)
            try Book.insert(Book(title: "3"), in: db)
            var books = [Book(title: "1"), Book(title: "3")]
            try expectFailure(.constraint) {
                try Book.save(contentsOf: &books, persistence: .memory, cascading: cascading, in: db)
            }
            #expect(books.map(\.id) == [nil, nil])
            #expect(try Book.keysInMemory(in: db).isEmpty)
        }
    }

    @Test func hooksRunForTheListAsForEveryOther() async throws {
        let temporary = try await store()
        try await temporary.store.write { db throws in
            var orders = [Order(item: "a"), Order(item: "b", isGone: true), Order(item: "c")]
            #expect(
                try Order.save(contentsOf: &orders, persistence: .memory, in: db) == [.inserted, .deleted, .inserted])
            orders[2].isGone = true
            #expect(try Order.save(contentsOf: &orders, persistence: .disk, in: db) == [.updated, .deleted, .deleted])
            #expect(
                try db.texts("SELECT text FROM trace") == [
                    "will save 0 a", "will save 0 c", "did save -1 a", "did save -2 c", "will save -1 a",
                    "did save 1 a",
                ])
            #expect(try Order.all(in: db).map(\.item) == ["a"])
            var refused = [Order(item: "x"), Order(item: "refused")]
            #expect(throws: Order.Refusal.self) {
                try Order.save(contentsOf: &refused, persistence: .memory, in: db)
            }
            #expect(refused.map(\.id) == [nil, nil])
            #expect(try Order.keysInMemory(in: db).isEmpty)
        }
    }

    @Table("note")
    struct Note: Equatable {
        var id: Int64?
        var text: String
        @Ignored var isGone = false
        @Ignored var next: Int64?
        @HasMany var lines: [Line] = []

        static let relations: Relations<Note>? = Relations().hasMany(\.$lines, by: \.note)
        static let hooks: RecordHooks<Note>? = RecordHooks()
            .willSave { note, db in if let next = note.next { note.id = next } }
            .didSave { note, db in
                try db.execute(
                    """
                    INSERT INTO trace VALUES (\("\(note.text): \(try Line.keysInMemory(in: db).count)"))
                    """)
            }
            .deletesOnSave { $0.isGone }
    }

    @Table("line")
    struct Line: Equatable {
        var id: Int64?
        @Column(references: Reference("note")) var note: Int64?
    }

    private func notes() async throws -> (TemporaryStore, Int64) {
        let temporary = try await TemporaryStore(Note.self, Line.self)
        let key = try await temporary.store.write { db throws in
            try db.execute("CREATE TABLE trace (text TEXT)")
            return try Note.insert(Note(text: "file"), in: db)
        }
        return (temporary, key)
    }

    @Test(arguments: [false, true], [false, true])
    func aKeyThatAHookSetsIsNotThatOfARowInTheFile(isList: Bool, cascading: Bool) async throws {
        let (temporary, key) = try await notes()
        try await temporary.store.write { db throws in
            var list = [Note(text: "draft", next: key)]
            let before = list
            try expectFailure(.constraint) {
                if isList {
                    try Note.save(contentsOf: &list, persistence: .memory, cascading: cascading, in: db)
                } else {
                    try Note.save(&list[0], persistence: .memory, cascading: cascading, in: db)
                }
            }
            #expect(list == before)
            #expect(try Note.find(key, in: db)?.text == "file")
        }
    }

    @Test(arguments: [false, true], [false, true])
    func aMarkedRecordIsDeletedFromTheFile(isList: Bool, cascading: Bool) async throws {
        let (temporary, key) = try await notes()
        try await temporary.store.write { db throws in
            var list = [Note(id: key, text: "file", isGone: true)]
            if isList {
                list.append(Note(text: "draft"))
                #expect(
                    try Note.save(contentsOf: &list, persistence: .memory, cascading: cascading, in: db)
                        == [.deleted, .inserted])
            } else {
                #expect(try Note.save(&list[0], persistence: .memory, cascading: cascading, in: db) == .deleted)
            }
            #expect(try Note.find(key, in: db) == nil)
            #expect(try Note.keysInMemory(in: db).count == (isList ? 1 : 0))
        }
    }

    @Test(arguments: [false, true]) func childrenAreInTheFileWhenHooksRun(isList: Bool) async throws {
        let (temporary, _) = try await notes()
        try await temporary.store.write { db throws in
            var list = [Note(text: "a")]
            try Note.save(contentsOf: &list, persistence: .memory, in: db)
            try Line.insert(Line(note: list[0].id), persistence: .memory, in: db)
            try db.execute("DELETE FROM trace")
            if isList {
                try Note.save(contentsOf: &list, persistence: .disk, in: db)
            } else {
                try Note.save(&list[0], persistence: .disk, in: db)
            }
            #expect(try db.texts("SELECT text FROM trace") == ["a: 0"])
            #expect(try Line.all(in: db).map(\.note) == [list[0].id])
        }
    }
}
#endif
