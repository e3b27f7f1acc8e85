import Strongroom
import StrongroomTesting
import Testing

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

    @Test func threeTablesAreGroupedInOneExpression() async throws {
        try await temporary.store.read { db in
            let rows = try Reader.leftJoin(Loan.self) { reader, loan in reader.id == loan.reader }
                .leftJoin(Review.self) { _, loan, review in loan.id == review.loan }
                .group { reader, _, _ in reader.id }
                .order { reader, _, _ in reader.id.ascending }
                .select { reader, loan, review in (reader.name, loan.id.count(), review.id.count()) }
                .fetch(in: db)
            #expect(rows.map(\.0) == ["Ada", "Bo", "Cy"])
            #expect(rows.map(\.1) == [2, 2, 0] && rows.map(\.2) == [1, 1, 0])
        }
    }

    @Test func fiveTablesTwoOfThemOuter() async throws {
        try await temporary.store.read { db in
            let rows = try db.expectSQL(
                """
                SELECT t0.`id`, t0.`reader`, t0.`book`, t0.`days`, t1.`id`, t1.`name`, t1.`city`,
                t2.`id`, t2.`title`, t2.`shelf`, t3.`id`, t3.`room`, t4.`id`, t4.`loan`, t4.`stars`
                FROM `loan` AS t0 JOIN `reader` AS t1 ON (t0.`reader` = t1.`id`)
                JOIN `book` AS t2 ON (t0.`book` = t2.`id`) LEFT JOIN `shelf` AS t3 ON (t2.`shelf` = t3.`id`)
                LEFT JOIN `review` AS t4 ON (t0.`id` = t4.`loan`) ORDER BY t0.`id` ASC
                """
            ) {
                try Self.loans().order { loan, _, _, _, _ in loan.id.ascending }.fetch(in: db)
            }
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
            let rows = try db.expectSQL(
                """
                SELECT t0.`id`, t0.`reader`, t0.`book`, t0.`days`, t1.`id`, t1.`name`, t1.`city`,
                t2.`id`, t2.`title`, t2.`shelf`, t3.`id`, t3.`room`, t4.`id`, t4.`loan`, t4.`stars`,
                t5.`id`, t5.`name` FROM `loan` AS t0 JOIN `reader` AS t1 ON (t0.`reader` = t1.`id`)
                JOIN `book` AS t2 ON (t0.`book` = t2.`id`) LEFT JOIN `shelf` AS t3 ON (t2.`shelf` = t3.`id`)
                LEFT JOIN `review` AS t4 ON (t0.`id` = t4.`loan`) JOIN `city` AS t5 ON (t1.`city` = t5.`id`)
                WHERE (t4.`stars` IS NULL) ORDER BY t5.`name` DESC LIMIT ? OFFSET ?
                """
            ) {
                try unrated.limit(1, offset: 1).fetch(in: db)
            }
            #expect(rows.map(\.0.id) == [2] && rows.map(\.5.name) == ["Bonn"] && rows[0].3 == nil && rows[0].4 == nil)
            #expect(try unrated.first(in: db)?.5 == City(id: 2, name: "Mainz"))

            let values: [(String, String?, Int?, String)] = try db.expectSQL(
                """
                SELECT t2.`title`, t3.`room`, t4.`stars`, t5.`name`
                FROM `loan` AS t0 JOIN `reader` AS t1 ON (t0.`reader` = t1.`id`)
                JOIN `book` AS t2 ON (t0.`book` = t2.`id`) LEFT JOIN `shelf` AS t3 ON (t2.`shelf` = t3.`id`)
                LEFT JOIN `review` AS t4 ON (t0.`id` = t4.`loan`) JOIN `city` AS t5 ON (t1.`city` = t5.`id`)
                WHERE (t0.`days` > ?)
                """
            ) {
                try six.where { loan, _, _, _, _, _ in loan.days > 6 }
                    .select { _, _, book, shelf, review, city in (book.title, shelf.room, review.stars, city.name) }
                    .fetch(in: db)
            }
            #expect(values.map(\.0).sorted() == ["Algebra", "Algebra", "Botany"])
            #expect(values.compactMap(\.1) == ["hall", "hall"] && values.compactMap(\.2) == [5])
            let sums = try six.group { _, _, _, _, _, city in city.id }.select { loan, _, _, _, review, city in
                (city.name, loan.days.sum(), review.stars.average())
            }
            .fetch(in: db)
            #expect(sums.map(\.0) == ["Bonn", "Mainz"] && sums.map(\.1) == [21, 24] && sums.map(\.2) == [5, 2])
        }
    }

    @Test("A table that is outer in a join of seven is joined on by the next")
    func sevenTables() async throws {
        try await temporary.store.read { db in
            let seven = try Self.loans()
                .leftJoin(Shelf.self) { _, _, _, shelf, _, next in next.id > shelf.id }
                .join(Reader.self) { _, reader, _, _, _, _, neighbour in
                    neighbour.city == reader.city && neighbour.id != reader.id
                }
                .order { loan, _, _, _, _, _, _ in loan.id.ascending }
            let rows: [(Loan, Reader, Book, Shelf?, Review?, Shelf?, Reader)] = try seven.fetch(in: db)
            #expect(rows.map(\.0.id) == [1, 2])
            #expect(rows.map { $0.5?.room } == ["attic", nil])
            #expect(rows.map(\.6.name) == ["Cy", "Cy"])
        }
    }

    @Test func whetherThereIsARowOfAJoin() async throws {
        try await temporary.store.read { db in
            let loans = try Self.loans()
            let found = try db.expectSQL(
                """
                SELECT 1 FROM `loan` AS t0 JOIN `reader` AS t1 ON (t0.`reader` = t1.`id`)
                JOIN `book` AS t2 ON (t0.`book` = t2.`id`) LEFT JOIN `shelf` AS t3 ON (t2.`shelf` = t3.`id`)
                LEFT JOIN `review` AS t4 ON (t0.`id` = t4.`loan`) WHERE (t4.`stars` = ?) LIMIT ?
                """
            ) {
                try loans.where { _, _, _, _, review in review.stars == 5 }.exists(in: db)
            }
            #expect(found)
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
