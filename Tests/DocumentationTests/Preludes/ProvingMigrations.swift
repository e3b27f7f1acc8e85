import StrongroomTesting

@Table("contact")
struct Contact {
    var id: Int64?
    var name: String
    var phone: String?
}

@Table("guest")
struct Guest: Equatable {
    var id: Int64?
    var name: String
}

@Table("guest")
struct GuestOfRelease11 {
    var id: Int64?
    var name: String
}

struct AddressBook: Configuration {
    static let target = "addressbook"

    func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
}

struct GuestBook: Configuration {
    static let target = "guestbook"

    func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
}

let proof = MigrationProof(AddressBook())
let own: TemporaryDirectory = given()
let oldKey = Key.random()
let savings: Int64 = 1
let checking: Int64 = 2

func transfer(_ cents: Int, from source: Int64, to target: Int64, in db: borrowing WriteTransaction) throws {}
