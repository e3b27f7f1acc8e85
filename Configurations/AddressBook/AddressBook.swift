import Foundation
public import Strongroom

/// A user's contacts: `addressbook.sqlite`, and `addressbook_<user>.sqlite` for each of several users.
///
/// The schema has four versions, whose migrations are examples of typical schema changes.
#if Macros
@Configuration("addressbook")
#endif
public struct AddressBook: Configuration {
    public static let target = "addressbook"

    /// The file with the keys, oldest first.
    public let keyFile: KeyFile

    /// The directory of the files; nil for the platform's data directory.
    public let directory: String?

    /// Creates an address book configuration; without arguments, that of the current user.
    ///
    /// - Parameters:
    ///   - keyFile: The file with the keys, created with one random key if it does not exist; nil for
    ///     `strongroom/addressbook.keys` in the configuration directory, which is `$XDG_CONFIG_HOME` or `~/.config`.
    ///   - directory: The directory of the files; nil for the platform's data directory.
    public init(keyFile: KeyFile? = nil, directory: String? = nil) {
        self.keyFile = keyFile ?? KeyFile(Self.defaultKeyPath)
        self.directory = directory
    }

    private static var defaultKeyPath: String {
        let environment = ProcessInfo.processInfo.environment
        func directory(_ variable: String) -> String? {
            environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let home = directory("HOME") ?? FileManager.default.homeDirectoryForCurrentUser.path(percentEncoded: false)
        return "\(directory("XDG_CONFIG_HOME") ?? "\(home)/.config")/strongroom/addressbook.keys"
    }

    public func filePath(for database: DatabaseName) -> String? {
        directory.map { "\($0)/\(database.fileName)" }
    }

    public func keyChain(for database: DatabaseName) throws -> KeyChain {
        try keyFile.keyChain(creating: true)
    }

    public func migrator(for database: DatabaseName) -> Migrator? {
        Migrator(tables: [Contact.schema, PhoneNumber.schema]) { AddressBookMigrations.all }
    }
}
