import StrongroomTesting
import Testing

@Table("contact")
struct Contact: Equatable {
    var id: Int64?
    var name: String
}

@Table("phone")
struct Phone {
    var id: Int64?
    var number: String
}

struct Contacts: Configuration {
    static let target = "contacts"

    func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
}

func rename(_ contact: Contact, to name: String, in store: Store) async throws {}
