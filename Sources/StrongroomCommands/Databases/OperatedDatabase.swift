package import Strongroom
import StrongroomReplication

/// A database that a command processes.
package struct OperatedDatabase: Sendable {
    /// Its name.
    package let name: DatabaseName
    /// Its file's absolute path.
    package let path: String
    /// Whether its name has a configuration; otherwise only the path and the keys are known.
    package var isConfigured: Bool { configuration.base != nil }

    /// Whether its name is that of its configuration or of its file, and not a placeholder.
    var hasOwnName: Bool { isConfigured || name.fileName == FilePath.name(of: path) }

    let configuration: OperatedConfiguration
    /// The target by which it was given, if it was not given by its name.
    var family: String?
    /// The key file that the options name.
    private(set) var keyFile: String?
    private let stores: Stores
    /// Why it could not be found, if it is one of several.
    private(set) var obstacle: (any Error)?

    /// Resolves a database.
    ///
    /// - Parameters:
    ///   - argument: A name, or a path with a "/" in it; nil if only the path is given.
    ///   - path: The file in place of that of the configuration.
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

    /// Resolves a database, and asks for its key if neither the options nor a configuration provides one.
    ///
    /// - Parameter isNewKey: Whether the key is a new one for the file, which is asked for twice.
    package static func resolve(
        _ argument: String?, path: String?, keys: KeyOptions, isNewKey: Bool = false
    ) throws -> OperatedDatabase {
        let isConfigured = argument.map { !FilePath.isPath($0) } ?? false
        let file = path ?? argument ?? ""
        if !isConfigured { try checkFile(FilePath.absolute(file)) }
        let chain = try keys.keyChain(asking: isConfigured ? nil : "Key of \(file)", isNew: isNewKey)
        var database = try OperatedDatabase(argument, path: path, keys: chain)
        database.keyFile = keys.path
        return database
    }

    /// One of several that could not be found; each use throws the reason.
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

    /// The same database, whose file may also be plaintext, or encrypted with default settings of an older engine.
    ///
    /// - Parameter isEncrypting: Whether a plaintext file is encrypted while it is opened.
    package func openingEveryForm(isEncrypting: Bool = false) -> OperatedDatabase {
        var configuration = configuration
        configuration.opensEveryForm = true
        configuration.encryptsWhenOpened = isEncrypting
        return OperatedDatabase(name, configuration, path: path)
    }

    /// The same database, whose store ships its commits while it is open.
    func replicating(_ replica: any StoreExtension) -> OperatedDatabase {
        var configuration = configuration
        configuration.extensions = [replica]
        var database = OperatedDatabase(name, configuration, path: path)
        database.keyFile = keyFile
        database.obstacle = obstacle
        return database
    }

    /// The same database with other keys; nil for those that it has.
    func with(keys: KeyChain?) -> OperatedDatabase {
        var configuration = configuration
        configuration.keys = keys ?? configuration.keys
        return OperatedDatabase(name, configuration, path: path)
    }

    /// A database of which only the replica may exist. One without a configuration has the path of its name in the
    /// current directory.
    init(ofReplica argument: String) throws {
        guard !FilePath.isPath(argument), let name = try? DatabaseName(argument),
            let base = try? CommandSession.current.stores.configuration(of: name)
        else {
            try self.init(FilePath.isPath(argument) ? argument : "./\(argument)", path: nil, keys: nil)
            return
        }
        let path = try CommandSession.current.stores.path(of: name)
        self.init(name, OperatedConfiguration(base: base, path: path, keys: nil), path: path)
    }

    private static func configuration(of name: DatabaseName, in stores: Stores) throws -> any Configuration {
        do {
            return try stores.configuration(of: name)
        } catch let error as StrongroomError where error.code == .noConfiguration {
            guard try Stores.hasFile(at: FilePath.absolute(name.fileName)) else { throw error }
            throw CommandFailure(
                "noConfiguration",
                "\(error.message) If the file in this directory is meant, write \"./\(name.fileName)\".",
                .configuration)
        }
    }

    /// The file's name if it is a valid database name, otherwise a placeholder, which is only used in messages; see
    /// ``hasOwnName``.
    private static func name(of path: String) throws -> DatabaseName {
        let own = FilePath.name(of: path)
        do { return try DatabaseName(own) } catch { return try DatabaseName("file") }
    }

    /// The same database; opened read-only and not changed if it cannot be written. Otherwise full-text indexes can be
    /// compared with their tables.
    package func readOnlyIfItMust() -> OperatedDatabase {
        Stores.mayWriteFile(at: path) ? self : readOnly()
    }

    /// The same database, opened read-only and not changed.
    package func readOnly() -> OperatedDatabase {
        var configuration = configuration
        configuration.isReadOnly = true
        var database = OperatedDatabase(name, configuration, path: path)
        database.keyFile = keyFile
        return database
    }

    /// A new database in memory with the same functions, collations and tokenizers.
    ///
    /// - Parameter migrating: Whether it gets the tables of the configuration; otherwise it is empty.
    func inMemory(migrating: Bool) -> OperatedDatabase {
        var configuration = configuration
        (configuration.isInMemory, configuration.migratesInMemory) = (true, migrating)
        return OperatedDatabase(name, configuration, path: path)
    }

    /// Opens the store without rotation or migration, runs work, and closes it, also if the work fails.
    ///
    /// - Parameters:
    ///   - creating: Whether a missing database is created.
    ///   - body: The work.
    /// - Returns: The result of the work.
    /// - Throws: ``StrongroomError`` with `fileMissing` if there is no file, as `Stores.open`; errors of the work.
    package func using<T>(creating: Bool = false, _ body: (Store) async throws -> T) async throws -> T {
        let store = try await open(creating: creating)
        let result: T
        do {
            result = try await body(store)
        } catch {
            // The first error is reported.
            try? await store.close()
            throw error
        }
        try await store.close()
        if let failure = store.closeReport?.failure { Self.warn(of: failure, path) }
        return result
    }

    /// Reports a failed checkpoint, which does not make the command fail.
    private static func warn(of failure: StrongroomError, _ path: String) {
        let isTaken = failure.code == .fileMissing || failure.code == .fileChanged
        CommandSession.current.console.write(
            lead: "\("Warning:", .yellow) ",
            paragraph: isTaken
                ? failure.message
                : """
                Everything is committed, but the write-ahead log "\(SideFiles(of: path).log)" could not be \
                checkpointed: \(failure.message) Keep both files together; the next program that opens the database \
                reads the log.
                """,
            indent: 0, to: .errors)
    }

    /// Opens the store without rotation or migration; the caller closes it.
    package func open(creating: Bool = false) async throws -> Store {
        if !creating { try Self.checkFile(path) }
        return try await stores.open(name)
    }

    /// Diagnoses the file without opening it as a store.
    package func diagnose(
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> FileDiagnosis {
        try await stores.diagnose(name.fileName, progress: progress)
    }

    /// The number of keys in the chain; 0 for plaintext.
    package func keyCount() async throws -> Int {
        // A configuration may create its key file when its keys are requested.
        try Self.checkFile(path)
        return try await configuration.keyChain(for: name).count
    }

    /// Reads the properties of the file without changing it.
    ///
    /// - Parameters:
    ///   - countsTables: Whether rows are counted, which reads the whole file.
    ///   - progress: Called with the number of counted tables and the total.
    package func survey(
        countsTables: Bool = true, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> FileDiagnosis {
        try Self.checkFile(path)
        return try await stores.survey(name, countsTables: countsTables, progress: progress)
    }

    /// Replaces the file by a state of a replica, or creates it.
    func restoreReplica(
        _ replica: Replica, to point: RestorePoint, adoptingFrom previousName: String?,
        progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> ReplicaRestoreReport {
        try await stores.restore(
            name.fileName, from: replica, to: point, adoptingFrom: previousName, progress: progress)
    }

    /// The newest change of a replica, if the file has not changed since; nil if it may have.
    func unchangedSince(_ replica: Replica, by lists: ReplicaLists) async throws -> UInt64? {
        try await replica.unchangedSince(name, in: stores, by: lists)
    }

    static func checkFile(_ path: String) throws {
        guard try !Stores.hasFile(at: path) else { return }
        throw StrongroomError(.fileMissing, "There is no file at \"\(path)\". Check the name or the path.")
    }
}
