import Strongroom

struct AddressBook: Configuration {
    static let target = "addressbook"
    let directory: String

    func filePath(for database: DatabaseName) -> String? {
        "\(directory)/\(database.fileName)"
    }

    func keyChain(for database: DatabaseName) throws -> KeyChain {
        try KeyChain(.passphrase("first secret"))
    }
}
