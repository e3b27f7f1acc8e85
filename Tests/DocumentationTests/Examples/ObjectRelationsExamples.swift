import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

@Suite("The relations of \"Children and parents\" and \"Objects that persist themselves\"")
struct ObjectRelationsExamples {
    @Table("author", in: "library.sqlite")
    struct Author {
        var id: Int64?
        var name: String
        @HasMany var books: [Book] = []

        static let relations: Relations<Author>? = Relations()
            .hasMany(\.$books, by: \.author, orphans: .delete, position: \.shelfPlace)
    }

    @Table("book", in: "library.sqlite")
    struct Book {
        var id: Int64?
        var title: String
        var shelfPlace = 0
        @Column(indexed: true, references: Reference("author")) var author: Int64?
        @BelongsTo var writer: Author? = nil

        static let relations: Relations<Book>? = Relations().belongsTo(\.$writer, by: \.author)
    }

    private struct Library: Configuration {
        static let target = "library"

        let directory: TemporaryDirectory
        let key = Key.random()

        func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(key) }
    }

    @Test func childrenAreSavedLoadedAndDeletedInATransaction() async throws {
        try await TemporaryStore(tables: [Author.schema, Book.schema]).store.write { db throws in
            var ada = Author(name: "Ada", books: [Book(title: "Notes"), Book(title: "Letters")])
            try Author.save(&ada, cascading: true, in: db)  // three rows; each book has its key, and Ada's
            #expect(ada.books.map(\.author) == [1, 1] && ada.books.map(\.id) == [1, 2])
            ada.books.removeFirst()
            try Author.save(&ada, cascading: true, in: db)  // the book is an orphan, and deleted
            #expect(try Book.all(in: db).map(\.title) == ["Letters"])

            var authors = try Author.all(in: db)
            try Author.load(\.$books, of: &authors, in: db)  // one statement, however many authors
            #expect(authors[0].books.map(\.title) == ["Letters"])
            try Author.delete(ada, cascading: true, in: db)  // her books, loaded or not, and what refers to those
            #expect(try Book.count(in: db) == 0 && Author.count(in: db) == 0)
        }
    }

    @Test func parentsAreLoadedInARead() async throws {
        let store = try await TemporaryStore(tables: [Author.schema, Book.schema]).store
        var books = [Book(title: "Notes", writer: Author(name: "Ada")), Book(title: "Anonymous")]
        try await store.write(&books) { db, books in try Book.save(contentsOf: &books, cascading: true, in: db) }
        books = try await store.table(Book.self).all()

        try await store.read(&books) { db, books in
            try Book.load(\.$writer, of: &books, in: db)
            books.removeAll { $0.writer == nil }
        }

        #expect(books.map(\.title) == ["Notes"] && books[0].writer?.name == "Ada")
    }

    @Test func childrenAreSavedLoadedAndDeleted() async throws {
        let stores = try Stores(Library(directory: try TemporaryDirectory()))
        try await Stores.$current.withValue(stores) {
            var ada = Author(name: "Ada", books: [Book(title: "Notes"), Book(title: "Letters")])
            try await ada.save(cascading: true)  // three rows; each book has its key, and Ada's
            #expect(ada.books.map(\.author) == [1, 1] && ada.books.map(\.id) == [1, 2])
            ada.books.removeFirst()
            try await ada.save(cascading: true)  // the book is an orphan, and deleted
            #expect(try await Book.all().map(\.title) == ["Letters"])

            var authors = try await Author.all()
            try await authors.load(\.$books)  // one statement, however many authors
            #expect(authors[0].books.map(\.title) == ["Letters"])
            try await ada.delete(cascading: true)  // her books, loaded or not, and what refers to those
            #expect(try await Book.count() == 0)
            #expect(try await Author.count() == 0)
        }
        try await stores.closeAll()
    }
}
