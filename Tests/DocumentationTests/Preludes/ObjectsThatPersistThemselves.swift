import StrongroomObjects

struct AddressBook: Configuration {
    static let target = "addressbook"

    init(in directory: String) {}
    func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
}

@Table("visit", in: "addressbook.sqlite")
struct Visit {
    var id: Int64?
    var contact: UUID?

    init(of contact: Contact) { self.contact = contact.id }
}

@Table("author", in: "library.sqlite")
struct Author {
    var id: Int64?
    var name: String
    @HasMany var books: [Book] = []

    static let relations: Relations<Author>? = Relations().hasMany(\.$books, by: \.author)
}

@Table("book", in: "library.sqlite")
struct Book {
    var id: Int64?
    var title: String
    var author: Int64?
}

var contacts: [Contact] {
    get { given() }
    set {}
}
let directory = "/srv/data"
let key = UUID()
