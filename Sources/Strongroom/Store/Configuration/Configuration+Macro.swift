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
