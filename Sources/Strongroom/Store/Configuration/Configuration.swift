public import Logging

/// Where a family of databases lies, which keys open it, and how its schema moves.
///
/// One configuration serves every database whose name has its target; each question tells it the full name.
///
/// ```swift
/// struct AddressBook: Configuration {
///     static let target = "addressbook"
///
///     func keyChain(for database: DatabaseName) async throws -> KeyChain {
///         try KeyChain(.passphrase(oldSecret), .passphrase(currentSecret))
///     }
///     func migrator(for database: DatabaseName) -> Migrator? {
///         Migrator(tables: [Contact.schema]) {
///             Migration("1") { db in try db.createTable(Contact.schema) }
///         }
///     }
/// }
/// ```
public protocol Configuration: Sendable {
    /// The part of a database's name before its first `_` or `.`.
    static var target: String { get }

    /// Where a database's file lies.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The path, or nil for the default: the platform's data directory, the program's name, the database's
    ///   name.
    /// - Throws: What tells your program why there is no place for it.
    func filePath(for database: DatabaseName) throws -> String?

    /// The keys of a database.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The keys, oldest first, or ``KeyChain/plaintext``.
    /// - Throws: What tells your program why there is no key.
    func keyChain(for database: DatabaseName) async throws -> KeyChain

    /// What the keys do for a database's file: encrypt it, or wrap the random key that does.
    ///
    /// A file without an envelope gets one as ``StoreSettings/rotation`` says, once ``KeyProtection/envelope`` is asked
    /// for. An envelope that is there is used in any case; a file never goes back to ``KeyProtection/direct``.
    ///
    /// - Parameter database: The full name.
    /// - Returns: ``KeyProtection/direct``, the default, or ``KeyProtection/envelope``.
    func keyProtection(for database: DatabaseName) -> KeyProtection

    /// How a database's file is encrypted: its cipher settings over the years, oldest first.
    ///
    /// A new file gets the last ones. A file with others of the list is opened with them, and rewritten with the last
    /// ones as ``StoreSettings/rotation`` says. Each older entry costs a wrong key another derivation a key.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The settings, at least one.
    /// - Throws: What tells your program why there are none.
    func cipherSettings(for database: DatabaseName) throws -> [CipherSettings]

    /// How a database's schema moves.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The migrator, or nil when versions are not checked.
    /// - Throws: What tells your program why there is none.
    func migrator(for database: DatabaseName) throws -> Migrator?

    /// How a database's connections behave.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The settings.
    func settings(for database: DatabaseName) -> StoreSettings

    /// Who is told what a database does: at `info` that it was opened and closed, at `debug` each statement with its
    /// time and its rows, at `warning` what takes longer than ``StoreSettings/slowStatement``; never a key, nor a value
    /// that SQL can tell from a name.
    ///
    /// Its level is asked for when the database is opened; while nothing is to be told a statement costs nothing more.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The logger, or nil for silence.
    func logger(for database: DatabaseName) -> Logger?
}

extension Configuration {
    /// The default path.
    public func filePath(for database: DatabaseName) throws -> String? { nil }

    /// The keys encrypt the file.
    public func keyProtection(for database: DatabaseName) -> KeyProtection { .direct }

    /// SQLCipher 3's settings, and the linked engine's own, which new files get, so that any SQLCipher tool of its
    /// version opens them with the passphrase alone.
    public func cipherSettings(for database: DatabaseName) throws -> [CipherSettings] { try CipherSettings.known() }

    /// No migrator: versions are not checked.
    public func migrator(for database: DatabaseName) throws -> Migrator? { nil }

    /// The default settings.
    public func settings(for database: DatabaseName) -> StoreSettings { StoreSettings() }

    /// No logger.
    public func logger(for database: DatabaseName) -> Logger? { nil }
}
