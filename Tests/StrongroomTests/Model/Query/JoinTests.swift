import Strongroom
import StrongroomTesting
import Testing

/// A record that comes from two tables.
@Record
private struct Line: Equatable {
    var name: String
    var article: String
    var total: Int
}

@Suite("Joins")
struct JoinTests {
    private let temporary: TemporaryStore

    init() async throws {
        temporary = try await TemporaryStore(tables: [Contact.schema, Purchase.schema])
        try await temporary.store.write { db in
            try Contact.insert(contentsOf: Contact.samples(4), in: db)
            for (buyer, article, total) in [(1, "pen", 3), (1, "ink", 8), (2, "pen", 4), (4, "cup", 9)] {
                try Purchase.insert(Purchase(buyer: Int64(buyer), article: article, total: total), in: db)
            }
        }
    }

    @Test func aPairOfRecordsForEachMatch() async throws {
        try await temporary.store.read { db in
            let join = try Contact.join(Purchase.self) { contact, purchase in contact.id == purchase.buyer }
            let pairs = try join.order { _, purchase in purchase.total.descending }.fetch(in: db)
            #expect(pairs.map(\.0.id) == [4, 1, 2, 1])
            #expect(pairs.map(\.1.article) == ["cup", "ink", "pen", "pen"])
            #expect(pairs.first?.0 == (try Contact.find(4, in: db)))
            #expect(try join.count(in: db) == 4)
            #expect(try join.distinct().count(in: db) == 4)
            let narrow = join.where { contact, purchase in contact.name == "Contact 1" && purchase.total < 5 }
            #expect(try narrow.first(in: db)?.1.article == "pen")
            #expect(try narrow.count(in: db) == 1)
            let last = try join.order { contact, _ in contact.id.ascending }.limit(1, offset: 3).fetch(in: db)
            #expect(last.map(\.0.id) == [4])
        }
    }

    @Test("The columns of a left join's other table are nil where it found none")
    func columnsOfAnOuterPartAreOptional() async throws {
        try await temporary.store.read { db in
            let join = try Contact.leftJoin(Purchase.self) { contact, purchase in contact.id == purchase.buyer }
                .order { contact, purchase in contact.id.ascending }
            let rows: [(Int64?, String?, Int?, Int64?)] = try join.select { contact, purchase in
                (contact.id, purchase.article, purchase.total, purchase.id)
            }
            .fetch(in: db)
            #expect(rows.map(\.1) == ["pen", "ink", "pen", nil, "cup"])
            #expect(rows.map(\.2) == [3, 8, 4, nil, 9])
            #expect(rows.map { $0.3 == nil } == [false, false, false, true, false])

            #expect(try join.where { _, purchase in purchase.total == nil }.fetch(in: db).map(\.0.id) == [3])
            #expect(try join.where { _, purchase in purchase.total != nil }.count(in: db) == 4)
            #expect(try join.where { _, purchase in purchase.total == 4 }.fetch(in: db).map(\.0.id) == [2])
            #expect(try join.where { _, purchase in purchase.total > 3 }.fetch(in: db).map(\.0.id) == [1, 2, 4])
            // As in SQL: nothing is known of the row without a purchase.
            #expect(try join.where { _, purchase in purchase.total != 4 }.fetch(in: db).map(\.0.id) == [1, 1, 4])
            #expect(
                try join.where { _, purchase in purchase.total.isIn([8, nil]) }.fetch(in: db).map(\.0.id) == [1, 3])
            #expect(try join.where { _, purchase in purchase.article.hasPrefix("c") }.fetch(in: db).map(\.0.id) == [4])
            let byTotal = try Contact.leftJoin(Purchase.self) { contact, purchase in contact.id == purchase.buyer }
                .order { _, purchase in purchase.total.ascending.nullsLast }
            #expect(try byTotal.fetch(in: db).map(\.0.id) == [1, 2, 1, 4, 3])

            let computed: [(Int64?, Int, Int?, String?, Int?)] = try join.select { contact, purchase in
                (
                    contact.id, purchase.total ?? 0, purchase.total * 10 + purchase.total,
                    purchase.article.uppercased(),
                    purchase.total % 3
                )
            }
            .fetch(in: db)
            #expect(computed.map(\.1) == [3, 8, 4, 0, 9])
            #expect(computed.map(\.2) == [33, 88, 44, nil, 99])
            #expect(computed.map(\.3) == ["PEN", "INK", "PEN", nil, "CUP"])
            #expect(computed.map(\.4) == [0, 2, 1, nil, 0])
            let sums = try join.group { contact, _ in contact.id }.select { contact, purchase in
                (contact.id, purchase.total.sum(), purchase.id.count())
            }
            .fetch(in: db)
            #expect(sums.map(\.1) == [11, 4, nil, 9])
            #expect(sums.map(\.2) == [2, 1, 0, 1])
        }
    }

    @Test func aQueryIsJoinedAsItIs() async throws {
        try await temporary.store.read { db in
            let rich = try Purchase.order { $0.total.descending }.limit(2)
                .join(Contact.self) { purchase, contact in purchase.buyer == contact.id }
            #expect(Set(try rich.fetch(in: db).map(\.1.id)) == [1, 4])
        }
    }

    @Test("Records across tables: a record filled from two tables")
    func aRecordFromTwoTables() async throws {
        try await temporary.store.read { db in
            let join = try Contact.join(Purchase.self) { contact, purchase in contact.id == purchase.buyer }
                .order { _, purchase in purchase.id.ascending }.limit(1)
            let chosen = try join.fetch(as: Line.self, in: db) { contact, purchase in
                [contact.email, purchase.article.uppercased(), purchase.total * 100]
            }
            #expect(chosen == [Line(name: "contact1@example.org", article: "PEN", total: 300)])
            try expectFailure(.invalidArgument, saying: "3 columns; chosen for them: 1") {
                try join.fetch(as: Line.self, in: db) { contact, _ in [contact.name] }
            }
        }
    }
}

@Table("city")
private struct City: Equatable {
    var id: Int64?
    var name: String
}

@Table("reader")
private struct Reader: Equatable {
    var id: Int64?
    var name: String
    var city: Int64
}

@Table("shelf")
private struct Shelf: Equatable {
    var id: Int64?
    var room: String
}

@Table("book")
private struct Book: Equatable {
    var id: Int64?
    var title: String
    var shelf: Int64?
}

@Table("loan")
private struct Loan: Equatable {
    var id: Int64?
    var reader: Int64
    var book: Int64
    var days: Int
}

@Table("review")
private struct Review: Equatable {
    var id: Int64?
    var loan: Int64
    var stars: Int
}

@Suite("Joins of five tables and more")
struct JoinOfManyTablesTests {
    private let temporary: TemporaryStore

    init() async throws {
        temporary = try await TemporaryStore(
            tables: [City.schema, Reader.schema, Shelf.schema, Book.schema, Loan.schema, Review.schema])
        try await temporary.store.write { db in
            try City.insert(contentsOf: ["Bonn", "Mainz"].map { City(name: $0) }, in: db)
            for (name, city) in [("Ada", 1), ("Bo", 2), ("Cy", 1)] {
                try Reader.insert(Reader(name: name, city: Int64(city)), in: db)
            }
            try Shelf.insert(contentsOf: ["hall", "attic"].map { Shelf(room: $0) }, in: db)
            for (title, shelf) in [("Algebra", 1), ("Botany", nil), ("Chess", 2)] as [(String, Int64?)] {
                try Book.insert(Book(title: title, shelf: shelf), in: db)
            }
            for (reader, book, days) in [(1, 1, 7), (1, 2, 14), (2, 3, 3), (2, 1, 21)] {
                try Loan.insert(Loan(reader: Int64(reader), book: Int64(book), days: days), in: db)
            }
            for (loan, stars) in [(1, 5), (3, 2)] { try Review.insert(Review(loan: Int64(loan), stars: stars), in: db) }
        }
    }

    /// Each loan, its reader and book, and where there are such, the book's shelf and the loan's review.
    private static func loans() throws -> Join<
        (JoinedColumns<Loan>, JoinedColumns<Reader>, JoinedColumns<Book>, OuterColumns<Shelf>, OuterColumns<Review>),
        (Loan, Reader, Book, Shelf?, Review?)
    > {
        try Loan.join(Reader.self) { loan, reader in loan.reader == reader.id }
            .join(Book.self) { loan, _, book in loan.book == book.id }
            .leftJoin(Shelf.self) { _, _, book, shelf in book.shelf == shelf.id }
            .leftJoin(Review.self) { loan, _, _, _, review in loan.id == review.loan }
    }

    @Test func fiveTablesTwoOfThemOuter() async throws {
        try await temporary.store.read { db in
            let rows = try Self.loans().order { loan, _, _, _, _ in loan.id.ascending }.fetch(in: db)
            #expect(rows.map(\.0.id) == [1, 2, 3, 4])
            #expect(rows.map(\.1.name) == ["Ada", "Ada", "Bo", "Bo"])
            #expect(rows.map(\.2.title) == ["Algebra", "Botany", "Chess", "Algebra"])
            #expect(rows.map { $0.3?.room } == ["hall", nil, "attic", "hall"])
            #expect(rows.map { $0.4?.stars } == [5, nil, 2, nil])
            for (loan, reader, book, shelf, review) in rows {
                #expect(loan == (try Loan.find(#require(loan.id), in: db)))
                #expect(reader == (try Reader.find(loan.reader, in: db)))
                #expect(book == (try Book.find(loan.book, in: db)))
                #expect(shelf == (try book.shelf.flatMap { try Shelf.find($0, in: db) }))
                #expect(review == (try Review.where { $0.loan == (loan.id ?? 0) }.first(in: db)))
            }
        }
    }

    @Test("Conditions, orders, limits, counts and selections of six tables, two of them outer and one in between")
    func sixTables() async throws {
        try await temporary.store.read { db in
            let six = try Self.loans().join(City.self) { _, reader, _, _, _, city in reader.city == city.id }
            #expect(try six.count(in: db) == 4)
            let unrated = six.where { _, _, _, _, review, _ in review.stars == nil }
                .order { _, _, _, _, _, city in city.name.descending }
            let rows = try unrated.limit(1, offset: 1).fetch(in: db)
            #expect(rows.map(\.0.id) == [2] && rows.map(\.5.name) == ["Bonn"] && rows[0].3 == nil && rows[0].4 == nil)
            #expect(try unrated.first(in: db)?.5 == City(id: 2, name: "Mainz"))

            let values: [(String, String?, Int?, String)] = try six.where { loan, _, _, _, _, _ in loan.days > 6 }
                .select { _, _, book, shelf, review, city in (book.title, shelf.room, review.stars, city.name) }
                .fetch(in: db)
            #expect(values.map(\.0).sorted() == ["Algebra", "Algebra", "Botany"])
            #expect(values.compactMap(\.1) == ["hall", "hall"] && values.compactMap(\.2) == [5])
            let sums = try six.group { _, _, _, _, _, city in city.id }.select { loan, _, _, _, review, city in
                (city.name, loan.days.sum(), review.stars.average())
            }
            .fetch(in: db)
            #expect(sums.map(\.0) == ["Bonn", "Mainz"] && sums.map(\.1) == [21, 24] && sums.map(\.2) == [5, 2])
        }
    }

    @Test func whetherThereIsARowOfAJoin() async throws {
        try await temporary.store.read { db in
            let loans = try Self.loans()
            #expect(try loans.where { _, _, _, _, review in review.stars == 5 }.exists(in: db))
            #expect(try !loans.where { _, _, _, _, review in review.stars == 4 }.exists(in: db))
            #expect(try loans.limit(1, offset: 3).exists(in: db))
            #expect(try !loans.limit(1, offset: 4).exists(in: db))
            #expect(try !loans.limit(0).exists(in: db))
            // Four rows that differ, but only in what is read of them.
            #expect(try loans.distinct().limit(1, offset: 3).exists(in: db))
        }
    }

    @Test("A value that does not fit is named with the sixth table and the row, also of a part that is outer")
    func aMismatchIsLocated() async throws {
        try await temporary.store.write { db in
            let six = try Self.loans().join(City.self) { _, reader, _, _, _, city in reader.city == city.id }
                .order { loan, _, _, _, _, _ in loan.id.ascending }
            try db.execute("UPDATE city SET name = x'00' WHERE id = 2")
            var mismatch = try expectFailure(.typeMismatch) { try six.fetch(in: db) }.mismatch
            #expect(mismatch?.table == "city" && mismatch?.column == "name" && mismatch?.rowID == 2)
            try db.execute("UPDATE review SET stars = 'many' WHERE loan = 1")
            mismatch = try expectFailure(.typeMismatch) { try six.fetch(in: db) }.mismatch
            #expect(mismatch?.table == "review" && mismatch?.column == "stars" && mismatch?.rowID == 1)
        }
    }
}
