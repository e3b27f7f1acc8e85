package import ArgumentParser
import Strongroom

/// The databases that a command processes, one or several.
package struct ManyDatabases: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Names of databases with a configuration, or paths of files, which contain a \"/\".",
            valueName: "database"))
    package var databases: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            All existing databases of a target, such as "addressbook" for addressbook.sqlite and \
            addressbook_alice.sqlite.
            """,
            valueName: "target"))
    package var family: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file: one without a configuration, or, with one name, instead of that of the configuration.",
            valueName: "file"))
    package var path: String?

    @OptionGroup(title: "Keys")
    package var keys: KeyOptions

    package init() {}

    package func validate() throws {
        guard !databases.isEmpty || !family.isEmpty || path != nil else {
            throw ValidationError("Name a database, or give --family TARGET or --path FILE.")
        }
    }

    /// Resolves the databases; asks for the key if necessary, once for all of them.
    ///
    /// - Parameter isNewKey: Whether the key is a new one for the files, which is asked for twice.
    /// - Throws: ``CommandFailure`` with `noDatabases` if a family has none.
    package func resolve(isNewKey: Bool = false) throws -> [OperatedDatabase] {
        if let path {
            guard family.isEmpty, databases.count < 2 else {
                throw ValidationError("--path goes with one name or none.")
            }
            return [try OperatedDatabase.resolve(databases.first, path: path, keys: keys, isNewKey: isNewKey)]
        }
        let stores = CommandSession.current.stores
        var found: [OperatedDatabase] = []
        let files = databases.filter(FilePath.isPath)
        // Before the user is asked for a key.
        try requireAny(of: files)
        let prompt = files.first.map { files.count == 1 ? "Key of \($0)" : "Key of the \(files.count) files" }
        let chain = try keys.keyChain(asking: prompt, isNew: isNewKey)
        // First, since a family is complete, also if one of its databases is named, too.
        for target in family {
            let names = try stores.databases(of: target)
            guard !names.isEmpty else {
                throw CommandFailure("noDatabases", "There is no database of the target \"\(target)\".", .noInput)
            }
            for name in names {
                found.append(try OperatedDatabase(name.fileName, path: nil, keys: chain))
                found[found.count - 1].family = target
            }
        }
        for database in databases { found.append(try operated(database, chain)) }
        var seen: Set<String> = []
        return found.filter { seen.insert($0.path).inserted }
    }

    /// Throws if none of the files exists, and no other database is given.
    private func requireAny(of files: [String]) throws {
        var missing: (any Error)?
        for file in files {
            do { return try OperatedDatabase.checkFile(FilePath.absolute(file)) } catch { missing = missing ?? error }
        }
        if let missing, files.count == databases.count, family.isEmpty { throw missing }
    }

    /// A database that cannot be found does not prevent the others from being processed.
    private func operated(_ database: String, _ chain: KeyChain?) throws -> OperatedDatabase {
        do {
            return try OperatedDatabase(database, path: nil, keys: chain)
        } catch  where databases.count > 1 || !family.isEmpty {
            return try OperatedDatabase(missing: database, error)
        }
    }
}
