import CPlatform
public import Logging

/// The location, the keys, and the schema migrations of a family of databases.
///
/// One configuration serves every database whose name has its target; each method receives the full name.
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

    /// The path of a database's file.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The path, or nil for the default: the platform's data directory, the program's name, the database's
    ///   name.
    /// - Throws: Your program's error if there is no path.
    func filePath(for database: DatabaseName) throws -> String?

    /// The keys of a database.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The keys, oldest first, or ``KeyChain/plaintext``.
    /// - Throws: Your program's error if there is no key.
    func keyChain(for database: DatabaseName) async throws -> KeyChain

    /// How the keys protect a database's file: they encrypt it, or wrap the random key that encrypts it.
    ///
    /// With ``KeyProtection/envelope``, a file without an envelope gets one as ``StoreSettings/rotation`` says. An
    /// existing envelope is used in any case; a file never returns to ``KeyProtection/direct``.
    ///
    /// - Parameter database: The full name.
    /// - Returns: ``KeyProtection/direct``, the default, or ``KeyProtection/envelope``.
    func keyProtection(for database: DatabaseName) -> KeyProtection

    /// The cipher settings of a database's file over time, oldest first.
    ///
    /// A new file gets the last ones. A file with older settings of the list is opened with them, and rewritten with
    /// the last ones as ``StoreSettings/rotation`` says. With a wrong key, each older entry costs one more derivation
    /// per key.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The settings, at least one.
    /// - Throws: Your program's error if there are none.
    func cipherSettings(for database: DatabaseName) throws -> [CipherSettings]

    /// The migrator of a database's schema.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The migrator, or nil if versions are not checked.
    /// - Throws: Your program's error if there is none.
    func migrator(for database: DatabaseName) throws -> Migrator?

    /// The settings of a database's store.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The settings.
    func settings(for database: DatabaseName) -> StoreSettings

    /// The functions in Swift that every connection of a database has.
    ///
    /// Called when the database is opened. A file whose indexes, checks, triggers or views call one of them needs it
    /// in every program that uses these; statements without it throw `missingFunction`.
    ///
    /// ```swift
    /// func functions(for database: DatabaseName) -> [any DatabaseFunction] { [slug, median] }
    /// ```
    ///
    /// - Parameter database: The full name.
    /// - Returns: The functions; two of one name have different numbers of arguments.
    func functions(for database: DatabaseName) -> [any DatabaseFunction]

    /// The collations in Swift that every connection of a database has; those of the engine and of locales need not be
    /// listed.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The collations.
    func collations(for database: DatabaseName) -> [Collation]

    /// The tokenizers of full-text indexes that every connection of a database has; those of ``TextTokenizer`` itself
    /// need not be listed.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The tokenizers; their names differ.
    func tokenizers(for database: DatabaseName) -> [TextTokenizer]

    /// What other modules add to the stores of a database, such as a replica that is kept up to date while a store is
    /// open.
    ///
    /// Called when the database is opened.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The extensions; they are started in this order, and ended in the reverse order.
    /// - Throws: Your program's error if there are none.
    func extensions(for database: DatabaseName) throws -> [any StoreExtension]

    /// The logger of a database: at `info` it logs opening and closing, at `debug` each statement with its time and its
    /// rows, at `warning` statements that take longer than ``StoreSettings/slowStatement``; never a key, nor a value
    /// that SQL can tell from a name.
    ///
    /// Its level is read when the database is opened; while nothing is logged, statements have no extra cost.
    ///
    /// - Parameter database: The full name.
    /// - Returns: The logger, or nil for no logging.
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

    /// No functions.
    public func functions(for database: DatabaseName) -> [any DatabaseFunction] { [] }

    /// No collations besides those of the engine and of locales.
    public func collations(for database: DatabaseName) -> [Collation] { [] }

    /// No tokenizers besides those of ``TextTokenizer``.
    public func tokenizers(for database: DatabaseName) -> [TextTokenizer] { [] }

    /// No extensions.
    public func extensions(for database: DatabaseName) throws -> [any StoreExtension] { [] }

    /// No logger.
    public func logger(for database: DatabaseName) -> Logger? { nil }
}

/// The validated values of a configuration.
extension Configuration {
    /// The path of the file; links in it are not resolved yet.
    ///
    /// - Throws: ``StrongroomError`` with `invalidName` for a relative path; what the configuration throws.
    func checkedPath(for name: DatabaseName) throws -> String {
        let path = try filePath(for: name) ?? name.defaultPath()
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw StrongroomError(
                .invalidName,
                "The configuration gives the path \"\(path)\"; give one that begins with \"/\".",
                database: name.fileName
            )
        }
        return path
    }

    /// The cipher settings that the file may have, oldest first.
    ///
    /// - Throws: ``StrongroomError`` with `invalidSetting` for an empty list, or invalid settings; what the
    ///   configuration throws.
    func checkedCiphers(for name: DatabaseName) throws -> [CipherSettings] {
        let ciphers = try cipherSettings(for: name)
        guard !ciphers.isEmpty else {
            throw StrongroomError(
                .invalidSetting,
                """
                The configuration gives no cipher settings; give at least one, such as `CipherSettings.engineDefault()`.
                """,
                database: name.fileName
            )
        }
        for (position, cipher) in ciphers.enumerated() {
            guard let defect = try cipher.defect() else { continue }
            throw StrongroomError(
                .invalidSetting,
                "Cipher settings \(position + 1) of the configuration cannot be used: \(defect).",
                database: name.fileName
            )
        }
        return ciphers
    }

    /// The functions and collations in Swift of its connections.
    ///
    /// - Throws: ``StrongroomError`` with `invalidName` for a name that cannot be used or is used twice, `limit` for
    ///   too many arguments.
    func checkedFunctions(for name: DatabaseName) throws -> ConnectionFunctions {
        let functions = functions(for: name)
        let collations = collations(for: name)
        let tokenizers = tokenizers(for: name)
        guard !functions.isEmpty || !collations.isEmpty || !tokenizers.isEmpty else { return ConnectionFunctions() }
        do {
            return try ConnectionFunctions(functions, collations, tokenizers)
        } catch let error as StrongroomError {
            throw error.naming(name.fileName)
        }
    }
}

#if Macros
/// Makes a type a configuration that `Stores.shared` finds without registration.
///
/// ```swift
/// @Configuration("addressbook")                   // serves addressbook.sqlite, addressbook_alice.sqlite, …
/// struct AddressBook {
///     func keyChain(for database: DatabaseName) async throws -> KeyChain { try KeyChain(.passphrase(secret)) }
/// }
///
/// let store = try await Stores.shared.open("addressbook_alice.sqlite")
/// ```
///
/// The type may be declared in any module that is linked into the program. It needs an `init()` in its own declaration,
/// or default values for all its properties. On platforms whose programs are neither ELF nor Mach-O files, discovery is
/// not available: register the configuration there. The same applies to a type in a dynamic library on ELF platforms,
/// unless Strongroom itself is linked into that library: each program and each library has its own list, and only
/// Strongroom's own is read.
///
/// - Parameter target: The part of a database's name before its first `_` or `.`; a string literal.
@attached(member, names: named(target), named(strongroomConfigurationEntry))
@attached(extension, conformances: Configuration)
public macro Configuration(_ target: String) =
    #externalMacro(module: "StrongroomMacros", type: "ConfigurationMacro")
#endif

/// A configuration embedded in the program by the macro `@Configuration`; do not use it directly.
public struct _ConfigurationEntry: Sendable {
    /// The function whose pointer is stored in the program's section.
    public typealias Writer = @convention(c) (UnsafeMutableRawPointer) -> Void

    let type: any Configuration.Type
    let make: @Sendable () -> any Configuration

    /// Writes an entry to memory that Strongroom provides.
    ///
    /// - Parameters:
    ///   - make: Creates the configuration.
    ///   - destination: Memory for one entry, which Strongroom passes to the function in the section.
    public static func write<C: Configuration>(
        _ make: @escaping @Sendable () -> C, to destination: UnsafeMutableRawPointer
    ) {
        destination.assumingMemoryBound(to: _ConfigurationEntry?.self).pointee = _ConfigurationEntry(
            type: C.self, make: make)
    }

    static func all() -> [_ConfigurationEntry] {
        var entries: [_ConfigurationEntry] = []
        withUnsafeMutablePointer(to: &entries) { list in
            strongroom_for_each_entry(list) { list, function in
                var entry: _ConfigurationEntry?
                withUnsafeMutablePointer(to: &entry) { function($0) }
                guard let entry else { return }
                list.assumingMemoryBound(to: [_ConfigurationEntry].self).pointee.append(entry)
            }
        }
        // The order must not depend on the linker.
        return entries.sorted { String(reflecting: $0.type) < String(reflecting: $1.type) }
    }
}
