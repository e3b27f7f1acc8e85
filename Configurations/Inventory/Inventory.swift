import Foundation
public import Strongroom

/// The software on a machine: `inventory.sqlite`, and `inventory_<host>.sqlite` for other machines.
///
/// Its keys come from a key file. With the trait `Macros`, `Stores.shared` discovers it.
#if Macros
@Configuration("inventory")
#endif
public struct Inventory: Configuration {
    public static let target = "inventory"

    /// The file with the keys, oldest first.
    public let keyFile: KeyFile

    /// The directory of the files; nil for the platform's data directory.
    public let directory: String?

    private static var defaultKeyPath: String {
        let environment = ProcessInfo.processInfo.environment
        func directory(_ variable: String) -> String? {
            environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let home = directory("HOME") ?? FileManager.default.homeDirectoryForCurrentUser.path(percentEncoded: false)
        return "\(directory("XDG_CONFIG_HOME") ?? "\(home)/.config")/strongroom/inventory.keys"
    }

    /// Creates an inventory configuration; without arguments, that of the current user.
    ///
    /// - Parameters:
    ///   - keyFile: The file with the keys, created with one random key if it does not exist; nil for
    ///     `strongroom/inventory.keys` in the configuration directory, which is `$XDG_CONFIG_HOME` or `~/.config`.
    ///   - directory: The directory of the files; nil for the platform's data directory.
    public init(keyFile: KeyFile? = nil, directory: String? = nil) {
        self.keyFile = keyFile ?? KeyFile(Self.defaultKeyPath)
        self.directory = directory
    }

    public func filePath(for database: DatabaseName) -> String? {
        directory.map { "\($0)/\(database.fileName)" }
    }

    public func keyChain(for database: DatabaseName) throws -> KeyChain {
        try keyFile.keyChain(creating: true)
    }

    public func migrator(for database: DatabaseName) -> Migrator? {
        Migrator(tables: [InstalledPackage.schema, Dependency.schema]) {
            Migration("1") { db in
                let package = InstalledPackage.schema
                try db.createTable(TableSchema(package.name, columns: package.columns, indexes: package.indexes))
                try db.createTable(Dependency.schema)
            }
            Migration("2") { db in
                try db.keepFullText(of: InstalledPackage.schema)
            } down: { db in
                try db.stopFullText(of: InstalledPackage.schema.name)
            }
        }
    }
}
