/// Source with a mark on every line that the compiler must refuse: `// error: ` and a part of what it says.
struct Snippet: Sendable, CustomStringConvertible {
    let description: String
    let source: String

    init(_ description: String, _ source: String) {
        self.description = description
        self.source = "import Strongroom\n\n\(source)\n"
    }

    /// What the compiler must say, by the number of the line.
    var marks: [Int: String] {
        source.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .reduce(into: [:]) { marks, line in
                let parts = line.element.split(separator: "// error: ")
                if parts.count == 2 { marks[line.offset + 1] = String(parts[1]) }
            }
    }
}

extension Snippet {
    /// What a user writes; everything that the other snippets refuse has its permitted counterpart here.
    static let permitted = Snippet(
        "what is permitted",
        """
        func count(_ db: borrowing some Reading & ~Copyable) throws -> Int {
            try db.value("SELECT count(*) FROM line") ?? 0
        }
        func add(_ number: Int, _ db: borrowing some Writing & ~Copyable) throws {
            try db.execute("INSERT INTO line VALUES (\\(number))")
        }
        func use(_ store: Store) async throws -> [Int] {
            let before = try await store.read { db in try count(db) }
            let numbers = try await store.write { db in
                try add(1, db)
                try db.savepoint { db in try add(2, db) }
                Task { try await store.write { db in try add(3, db) } }
                var numbers: [Int] = []
                try db.forEachRow("SELECT number FROM line") { row in numbers.append(try row[0]) }
                return numbers
            }
            return [before] + numbers
        }
        func useVariables(_ store: Store) async throws -> Int {
            var number = 3
            number += 1
            try await store.write { db in try add(number, db) }
            var sum = number
            try await store.write(&sum) { db, sum in sum += try count(db) }
            try await store.write { [sum] db in try add(sum, db) }
            sum += 1
            return sum
        }
        func useBlocking(_ store: Store) throws -> Int {
            var kept = 0
            try store.write { db in try add(1, db) }
            try store.read { db in kept = try count(db) }
            return kept
        }
        """
    )

    static let refused = [
        article, writing, types, ownership, handle, task, made, outerJoins, pages, columns, variables, isolated,
        loading,
    ]

    /// The example of "Reading and writing".
    private static let article = Snippet(
        "what the article shows",
        """
        @Table("contact")
        struct Contact {
            var id: Int64?
            var name: String
        }
        func example(_ store: Store, _ contact: Contact) async throws {
            try await store.read { db in
                try Contact.insert(contact, in: db)  // error: requires that 'ReadTransaction' conform to 'Writing'
            }
        }
        """
    )

    private static let columns = Snippet(
        "what no column can store, and dates that are compared with texts",
        """
        import Foundation
        enum Level: Int, Sendable, Codable { case low, high }
        struct Tag: Codable, Sendable { var name: String }
        struct Handle: Sendable {}
        enum Stored: Int, ColumnValue, Codable { case low, high }
        func types() {
            ColumnDefinition._requireColumnValue(Stored.self)
            ColumnDefinition._requireColumnValue(Level.self) // error: as in 'enum Level: Int, ColumnValue'
            ColumnDefinition._requireColumnValue(Tag.self) // error: store it as JSON
            ColumnDefinition._requireColumnValue(Handle.self) // error: mark the property @Ignored
        }
        @Table("list")
        struct List {
            var id: Int64?
            var tags: [Int] // error: is an array, which is no column value; store it with @Column(as: .json)
        }
        @Table("person")
        struct Person {
            var id: Int64?
            var born: Date
        }
        func dates(_ db: borrowing ReadTransaction) throws {
            _ = try Person.where { $0.born == "2026-01-01" }.count(in: db) // error: expected argument type 'Date'
            _ = try Person.where { $0.born < "2026-01-01" }.count(in: db) // error: expected argument type 'Date'
        }
        """
    )

    private static let outerJoins = Snippet(
        "columns of a left join that cannot be nil",
        """
        @Table("contact")
        struct Contact {
            var id: Int64?
            var name: String
        }
        @Table("call")
        struct Call {
            var id: Int64?
            var contact: Int64
            var minutes: Int
        }
        func minutes(_ db: borrowing ReadTransaction) throws {
            let join = try Contact.leftJoin(Call.self) { contact, call in contact.id == call.contact }
            let idle = join.where { contact, call in call.minutes == nil }
            let rows: [(String, Int?)] = try idle.select { contact, call in (contact.name, call.minutes) }.fetch(in: db)
            let bad: [(String, Int)] = try idle.select { ($0.name, $1.minutes) }.fetch(in: db) // error: conflicting
            let inner = try Contact.join(Call.self) { contact, call in contact.id == call.contact }
            let right: [(String, Int)] = try inner.select { ($0.name, $1.minutes) }.fetch(in: db)
            print(rows.count, bad.count, right.count)
            let three = idle.join(Contact.self) { _, call, other in call.contact == other.id }
            _ = three.where { contact, call in contact.id == 1 } // error: expects 1 argument, but 2 were used
            _ = three.select { ($0.name, $2.minutes) } // error: has no dynamic member 'minutes'
            let typed: [(Contact, Call?, Contact)] = try three.fetch(in: db)
            let untyped: [(Contact, Call, Contact)] = try three.fetch(in: db) // error: cannot assign value
            print(typed.count, untyped.count)
        }
        """
    )

    private static let pages = Snippet(
        "a page behind nothing",
        """
        @Table("contact")
        struct Contact {
            var id: Int64?
            var name: String
        }
        func next(_ page: [Contact], _ db: borrowing ReadTransaction) throws {
            let query = Contact.order { $0.name.ascending }
            _ = try query.after(nil).fetch(in: db) // error: no exact matches
            if let last = page.last { _ = try query.after(last).after(query.cursor(after: last)).fetch(in: db) }
        }
        """
    )

    private static let writing = Snippet(
        "writing in a read",
        """
        func add(_ db: borrowing some Writing & ~Copyable) throws {}
        func byFunction(_ store: Store) async throws {
            try await store.read { db in try add(db) } // error: requires that 'ReadTransaction' conform to 'Writing'
        }
        func byBlockingFunction(_ store: Store) throws {
            try store.read { db in try add(db) } // error: requires that 'ReadTransaction' conform to 'Writing'
        }
        func byStatement(_ store: Store) async throws {
            try await store.read { db in
                try db.execute("DELETE FROM line") // error: value of type 'ReadTransaction' has no member 'execute'
            }
        }
        func bySavepoint(_ store: Store) throws {
            try store.read { db in
                try db.savepoint { _ in } // error: value of type 'ReadTransaction' has no member 'savepoint'
            }
        }
        func inAnyTransaction(_ db: borrowing some Reading & ~Copyable) throws {
            try db.execute("DELETE FROM line") // error: has no member 'execute'
        }
        """
    )

    private static let types = Snippet(
        "keeping a transaction where only copyable values fit",
        """
        func returned(_ store: Store) throws -> ReadTransaction {
            try store.read { db in return db } // error: requires that 'ReadTransaction' conform to 'Copyable'
        }
        func inAnArray(_ store: Store) throws {
            var kept: [WriteTransaction] = [] // error: 'WriteTransaction' does not conform to protocol 'Copyable'
            try store.write { db in kept.append(db) }
        }
        func inAnExistential(_ store: Store) throws {
            var kept: Any?
            try store.write { db in kept = db } // error: cannot assign value of type 'WriteTransaction' to type 'Any?'
        }
        func inAnOptional(_ store: Store) throws {
            var kept: WriteTransaction?
            try store.write { db in kept = db } // error: is consuming
        }
        func copied(_ store: Store) throws {
            try store.write { db in
                let other = copy db // error: 'copy' cannot be applied to noncopyable types
            }
        }
        """
    )

    private static let ownership = Snippet(
        "keeping a transaction by taking it over",
        """
        struct Box: ~Copyable { var value: WriteTransaction }
        func inAVariable(_ store: Store, _ kept: inout WriteTransaction) throws {
            try store.write { db in kept = db } // error: 'db' is borrowed and cannot be consumed
        }
        func inABox(_ store: Store, _ box: inout Box) throws {
            try store.write { db in box.value = consume db } // error: 'db' is borrowed and cannot be consumed
        }
        func underAnotherName(_ store: Store) throws {
            try store.write { db in // error: 'db' is borrowed and cannot be consumed
                let other = db
                try other.execute("DELETE FROM line")
            }
        }
        func ofASavepoint(_ store: Store) throws {
            try store.write { db in
                try db.savepoint { inner in let other = inner } // error: 'inner' is borrowed and cannot be consumed
            }
        }
        func returned(_ db: borrowing ReadTransaction) -> ReadTransaction { db } // error: 'db' is borrowed
        func inAClosure(_ db: borrowing WriteTransaction) -> () throws -> Void { // error: captured by
            { try db.execute("DELETE FROM line") }
        }
        func inALaterClosure(_ store: Store) throws {
            var later: [() throws -> Void] = []
            try store.write { (db: borrowing WriteTransaction) in // error: captured by an escaping closure
                later.append { try db.execute("DELETE FROM line") }
            }
        }
        """
    )

    private static let handle = Snippet(
        "handing what a transaction works on to a type of one's own",
        """
        struct Own: Writing, ~Copyable { let _handle: _TransactionHandle }
        func ofARead(_ store: Store) throws {
            try store.read { db in // error: 'db' is borrowed and cannot be consumed
                let own = Own(_handle: db._handle)
                try own.execute("DELETE FROM line")
            }
        }
        func ofAnyTransaction(_ db: borrowing some Reading & ~Copyable) throws {
            let own = Own(_handle: db._handle) // error: 'db._handle' is borrowed and cannot be consumed
            try own.execute("DELETE FROM line")
        }
        func alone(_ db: borrowing ReadTransaction) -> _TransactionHandle { db._handle } // error: 'db' is borrowed
        """
    )

    /// Apart, since the check of data races that refuses it comes before the others and hides them.
    private static let task = Snippet(
        "taking a transaction into a task",
        """
        func inATask(_ db: borrowing WriteTransaction) { // error: captured by an escaping closure
            Task { try db.execute("DELETE FROM line") } // error: risks causing data races
        }
        """
    )

    private static let variables = Snippet(
        "changing a variable while a closure uses it",
        """
        func changedLater(_ store: Store) async throws {
            var number = 1
            try await store.write { db in try db.execute("DELETE FROM line LIMIT \\(number)") } // error: data races
            number += 1
        }
        func changedInside(_ store: Store) async throws -> Int {
            var number = 1
            try await store.write { db in number += 1 } // error: data races
            return number
        }
        """
    )

    private static let isolated = Snippet(
        "using the state of an actor on another thread",
        """
        actor Counter {
            var count = 0
            func add(_ store: Store) async throws {
                try await store.write { db in self.count += 1 } // error: can not be mutated from a nonisolated context
            }
        }
        """
    )

    private static let loading = Snippet(
        "loading with a transaction of its own inside another",
        """
        @Table("contact")
        struct Contact {
            var id: Int64?
            @HasMany var phones: [Phone] = []
            static let relations: Relations<Contact>? = Relations().hasMany(\\.$phones, by: \\.contact)
        }
        @Table("phone")
        struct Phone {
            var id: Int64?
            var contact: Int64
        }
        func load(_ store: Store) async throws {
            var all = try await store.table(Contact.self).all()
            try await store.read(&all) { db, all in
                try Contact.load(\\.$phones, of: &all, in: db)
                try Contact.load(\\.$phones, of: &all[0], in: db)
                try store.table(Contact.self).all() // error: 'async' call
            }
        }
        """
    )

    private static let made = Snippet(
        "making what a transaction works on, and an extension of a store",
        """
        struct Own: StoreExtension {} // error: does not conform to protocol 'StoreExtension'
        func make() -> _TransactionHandle {
            _TransactionHandle() // error: '_TransactionHandle' initializer is inaccessible
        }
        """
    )
}
