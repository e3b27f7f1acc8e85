import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

@Suite("Schema", .ending)
struct SchemaTests {
    private static let statements = [
        "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE)",
        """
        CREATE TABLE book (isbn TEXT PRIMARY KEY, author INTEGER NOT NULL REFERENCES author(id), editor INTEGER \
        REFERENCES author)
        """,
        "CREATE TABLE cover (book TEXT PRIMARY KEY NOT NULL REFERENCES book(isbn), picture BLOB)",
        "CREATE TABLE node (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES node(id))",
        "CREATE TABLE `we\"ird & <b>` (`a b` TEXT, `x\u{1B}` INTEGER, c)",
        "CREATE INDEX book_author ON book (author)", "CREATE VIEW titles AS SELECT isbn FROM book",
        "CREATE TRIGGER no_delete BEFORE DELETE ON author BEGIN SELECT raise(ABORT, 'no; never'); END",
        "CREATE TRIGGER a_title INSTEAD OF INSERT ON titles BEGIN SELECT 1; END",
    ]

    private func store() async throws -> TemporaryStore {
        let temporary = try await TemporaryStore()
        try await temporary.store.write { db in
            for statement in Self.statements { try db.execute(SQL(stringLiteral: statement)) }
        }
        return temporary
    }

    @Test func theStatementsMakeTheSameSchemaAgain() async throws {
        let entries = try await store().store.read { db in try SchemaText.entries(in: db) }
        #expect(entries.map(\.name).prefix(3) == ["author", "book", "book_author"])
        #expect(entries.map(\.name).suffix(3) == ["titles", "no_delete", "a_title"] && entries.count == 9)
        let other = try await TemporaryStore()
        try await other.store.write { db in
            for entry in entries { try db.execute(SQL(stringLiteral: entry.sql)) }
        }
        #expect(try await other.store.read { db in try SchemaText.entries(in: db) } == entries)
        #expect(SchemaText.sql(entries).contains("no; never'); END;\n"))
    }

    @Test func oneTableIsShownWithWhatBelongsToIt() async throws {
        let temporary = try await store()
        #expect(
            try await temporary.store.read { db in try SchemaText.entries(of: "BOOK", in: db).map(\.name) } == [
                "book", "book_author",
            ])
        await #expect(throws: CommandFailure.self) {
            try await temporary.store.read { db in try SchemaText.entries(of: "'; --", in: db) }
        }
    }

    @Test func mermaidHasEachTableAndEachForeignKey() async throws {
        let model = try await store().store.read { db in try SchemaModel(in: db) }
        #expect(
            SchemaMermaid.text(model) == """
                erDiagram
                    author {
                        INTEGER id PK
                        TEXT name "not null"
                        TEXT email UK
                    }
                    book {
                        TEXT isbn PK
                        INTEGER author FK "not null"
                        INTEGER editor FK
                    }
                    cover {
                        TEXT book PK, FK
                        BLOB picture
                    }
                    node {
                        INTEGER id PK
                        INTEGER parent FK
                    }
                    "we'ird & <b>" {
                        TEXT a_b "a b"
                        INTEGER x_ "x_u{1B}"
                        any c
                    }
                    author ||--o{ book : "author"
                    author |o--o{ book : "editor"
                    book ||--o| cover : "book"
                    node |o--o{ node : "parent"

                """)
    }

    @Test func thePictureIsXMLAndTheSameEachTime() async throws {
        let model = try await store().store.read { db in try SchemaModel(in: db) }
        let picture = SchemaSVG.text(model)
        #expect(picture == SchemaSVG.text(model))
        #expect(picture.contains("prefers-color-scheme: dark"))
        #expect(picture.contains(">we&quot;ird &amp; &lt;b&gt;</text>"))
        #expect(picture.components(separatedBy: "<path class=\"link\"").count == 5)
        #expect(picture.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
        #expect(XML.isWhole(picture))
    }

    @Test func tablesOfAPictureLieApart() {
        var generator = SeededGenerator(3)
        for count in [0, 1, 2, 7, 40] {
            let tables = (0..<count).map { number in
                SchemaModel.Table(
                    name: "table\(number)",
                    columns: (0..<Int.random(in: 1...12, using: &generator)).map { .init(name: "c\($0)", type: "TEXT") }
                )
            }
            let references = (0..<count).map { number in
                SchemaModel.Reference(
                    table: "table\(number)", columns: ["c0"],
                    parent: "table\(Int.random(in: 0..<count, using: &generator))",
                    parentColumns: ["c0"])
            }
            let picture = SchemaSVG.text(SchemaModel(tables: tables, references: references))
            let boxes = XML.boxes(picture)
            #expect(boxes.count == count)
            for (index, box) in boxes.enumerated() {
                #expect(boxes[(index + 1)...].allSatisfy { !$0.intersects(box) })
            }
        }
    }

    @Test func theListOfTablesCountsRows() async throws {
        let temporary = try await store()
        try await temporary.store.write { db in _ = try db.execute("INSERT INTO author (name) VALUES ('a'), ('b')") }
        let list = try await temporary.store.read { db in try TableList(in: db) }
        #expect(list.tables.map(\.name) == ["author", "book", "cover", "node", "we\"ird & <b>", "titles"])
        #expect(list.tables.first == .init(name: "author", kind: "table", columns: 3, rows: 2))
        #expect(list.tables.last == .init(name: "titles", kind: "view", columns: 1))
    }

    @Test func aViewThatCannotBeReadDoesNotHideTheOthers() async throws {
        let temporary = try await store()
        try await temporary.store.write { db in try db.execute("CREATE VIEW broken AS SELECT a FROM nowhere") }
        let list = try await temporary.store.read { db in try TableList(in: db) }
        let broken = list.tables.first { $0.name == "broken" }
        #expect(broken == .init(name: "broken", kind: "view", columns: nil, error: "sql"))
        #expect(list.tables.contains { $0.name == "titles" && $0.columns == 1 })
        let lines = list.table.lines(fitting: nil).map(\.plain)
        #expect(lines.contains { $0.contains("broken") && $0.contains("unreadable") })
    }
}

/// What the tests need to know of a picture.
private enum XML {
    struct Box {
        let x: Int, y: Int, width: Int, height: Int

        func intersects(_ other: Box) -> Bool {
            x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
        }
    }

    static func boxes(_ text: String) -> [Box] {
        text.matches(of: /<rect class="box" x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/).compactMap { match in
            guard let x = Int(match.1), let y = Int(match.2), let width = Int(match.3), let height = Int(match.4) else {
                return nil
            }
            return Box(x: x, y: y, width: width, height: height)
        }
    }

    /// Whether each tag is closed in its order.
    static func isWhole(_ text: String) -> Bool {
        var open: [Substring] = []
        for match in text.matches(of: /<(\/?)([a-z]+)[^<>]*?(\/?)>/) {
            if match.1 == "/" {
                guard open.popLast() == match.2 else { return false }
            } else if match.3 != "/" {
                open.append(match.2)
            }
        }
        return open.isEmpty
    }
}
