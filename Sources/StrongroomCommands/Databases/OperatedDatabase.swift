package import Strongroom

/// A database that a command works on.
package struct OperatedDatabase: Sendable {
    /// Its name.
    package let name: DatabaseName
    /// Its file's path from the root.
    package let path: String
    /// Whether its name has a configuration; otherwise nothing is known of it but the path and the keys.
    package var isConfigured: Bool { configuration.base != nil }

    let configuration: OperatedConfiguration
    /// The key file that the options name.
    private(set) var keyFile: String?
    private let stores: Stores
    /// Why it could not be found, where it is one of several.
    private(set) var obstacle: (any Error)?

    /// Finds a database.
    ///
    /// - Parameters:
    ///   - argument: A name, or a path with a "/" in it; nil for the path alone.
    ///   - path: The file in place of the one that the configuration says.
    ///   - keys: The keys; nil for those of the configuration.
    package init(_ argument: String?, path: String?, keys: KeyChain?) throws {
        if let argument, !FilePath.isPath(argument) {
            let name = try DatabaseName(argument)
            let stores = CommandSession.current.stores
            let base = try Self.configuration(of: name, in: stores)
            let path = try path.map(FilePath.absolute) ?? stores.path(of: name)
            self.init(name, OperatedConfiguration(base: base, path: path, keys: keys), path: path)
        } else {
            let path = FilePath.absolute(path ?? argument ?? "")
            self.init(try Self.name(of: path), OperatedConfiguration(base: nil, path: path, keys: keys), path: path)
        }
    }

    /// Finds a database, and asks for its key if neither the options nor a configuration has it.
    ///
    /// - Parameter isNewKey: Whether the file is to get the key, which is asked for twice then.
    package static func resolve(
        _ argument: String?, path: String?, keys: KeyOptions, isNewKey: Bool = false
    ) throws -> OperatedDatabase {
        let isConfigured = argument.map { !FilePath.isPath($0) } ?? false
        let file = path ?? argument ?? ""
        if !isConfigured { try checkFile(FilePath.absolute(file)) }
        let chain = try keys.keyChain(asking: isConfigured ? nil : "Key of \(file)", isNew: isNewKey)
        var database = try OperatedDatabase(argument, path: path, keys: chain)
        database.keyFile = keys.keyFile
        return database
    }

    /// One of several that could not be found; each use of it throws why.
    init(missing argument: String, _ obstacle: any Error) throws {
        let isPath = FilePath.isPath(argument)
        let path = isPath ? FilePath.absolute(argument) : argument
        let name = try isPath ? Self.name(of: path) : (try? DatabaseName(argument)) ?? DatabaseName("file")
        self.init(name, OperatedConfiguration(base: nil, path: path, keys: nil), path: path)
        self.obstacle = obstacle
    }

    private init(_ name: DatabaseName, _ configuration: OperatedConfiguration, path: String) {
        self.name = name
        self.path = path
        self.configuration = configuration
        stores = Stores(answering: name.target, with: configuration)
    }

    /// The same database, whose file may also be plaintext, or encrypted as an older engine does it by itself.
    package func openingEveryForm() -> OperatedDatabase {
        var configuration = configuration
        configuration.opensEveryForm = true
        return OperatedDatabase(name, configuration, path: path)
    }

    private static func configuration(of name: DatabaseName, in stores: Stores) throws -> any Configuration {
        do {
            return try stores.registeredConfiguration(of: name)
        } catch let error as StrongroomError where error.code == .noConfiguration {
            guard try Stores.hasFile(at: FilePath.absolute(name.fileName)) else { throw error }
            throw CommandFailure(
                "noConfiguration",
                "\(error.message) If the file in this directory is meant, write \"./\(name.fileName)\".",
                .configuration)
        }
    }

    /// A file's own name where a database may be called so, otherwise another one: it only stands in messages.
    private static func name(of path: String) throws -> DatabaseName {
        let own = FilePath.name(of: path)
        do { return try DatabaseName(own) } catch { return try DatabaseName("file") }
    }

    /// The same database; opened read-only, and left as it is, where it cannot be written. Elsewhere others are kept
    /// from writing while its pages are checked.
    package func readOnlyIfItMust() -> OperatedDatabase {
        Stores.mayWriteFile(at: path) ? self : readOnly()
    }

    /// The same database, opened read-only and left as it is.
    package func readOnly() -> OperatedDatabase {
        var configuration = configuration
        configuration.isReadOnly = true
        var database = OperatedDatabase(name, configuration, path: path)
        database.keyFile = keyFile
        return database
    }

    /// Opens the store, without rotating or migrating it; works with it; closes it, also when the work fails.
    ///
    /// - Parameters:
    ///   - creating: Whether a database that is not there is made.
    ///   - body: Works with it.
    /// - Returns: What the closure returns.
    /// - Throws: ``StrongroomError`` with `fileMissing` when there is no file, as `Stores.open`; what the closure
    ///   throws.
    package func using<T>(creating: Bool = false, _ body: (Store) async throws -> T) async throws -> T {
        let store = try await open(creating: creating)
        let result: T
        do {
            result = try await body(store)
        } catch {
            // The first failure is the one to tell.
            try? await store.close()
            throw error
        }
        try await store.close()
        if let failure = store.closing?.failure { Self.warn(of: failure, path) }
        return result
    }

    /// Reports a checkpoint that failed, by which nothing else has.
    private static func warn(of failure: StrongroomError, _ path: String) {
        CommandSession.current.console.write(
            lead: "\("Warning:", .yellow) ",
            paragraph: """
                All is committed, but the write-ahead log "\(path)-wal" could not be checkpointed: \(failure.message) \
                Keep both files together; the next program that opens the database finds what is in it.
                """,
            indent: 0, to: .errors)
    }

    /// Opens the store, without rotating or migrating it; to be closed by whoever asked for it.
    package func open(creating: Bool = false) async throws -> Store {
        if !creating { try Self.checkFile(path) }
        return try await stores.open(name)
    }

    /// Looks at the file without opening it as a store.
    package func diagnose(
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> FileDiagnosis {
        try await stores.diagnose(name.fileName, progress: progress)
    }

    /// How many keys the chain has; 0 when it stands for plaintext.
    package func keyCount() async throws -> Int {
        // A configuration may make its key file when it is asked for the keys.
        try Self.checkFile(path)
        return try await configuration.keyChain(for: name).count
    }

    /// Looks what stands in the file, without changing it.
    ///
    /// - Parameters:
    ///   - countsTables: Whether rows are counted, which reads the whole file.
    ///   - progress: Told how many tables are counted, and how many there are.
    package func survey(
        countsTables: Bool = true, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> FileSurvey {
        try Self.checkFile(path)
        return try await stores.survey(name, countsTables: countsTables, progress: progress)
    }

    static func checkFile(_ path: String) throws {
        guard try !Stores.hasFile(at: path) else { return }
        throw StrongroomError(.fileMissing, "There is no file at \"\(path)\". Check the name or the path.")
    }
}
