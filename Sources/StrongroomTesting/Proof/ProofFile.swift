import Foundation
import Strongroom

/// A database file in a separate directory, which can be copied while it is closed.
struct ProofFile: Sendable {
    /// The configuration and database that are tested.
    let subject: ProofSubject
    let directory: TemporaryDirectory

    init(_ subject: ProofSubject) throws {
        self.subject = subject
        directory = try TemporaryDirectory(in: Self.parent)
    }

    /// An in-memory file system if there is one with enough space: a proof opens hundreds of files, each of which would
    /// wait for the disk many times.
    private static var parent: URL {
        let memory = "/dev/shm"
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: memory)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        let hasRoom = free >= leastRoom && FileManager.default.isWritableFile(atPath: memory)
        return hasRoom ? URL(filePath: memory) : FileManager.default.temporaryDirectory
    }

    /// Bytes.
    private static let leastRoom: Int64 = 256 * 1_024 * 1_024

    /// Creates the file as a copy of another.
    init(_ subject: ProofSubject, copying path: String) throws {
        try self.init(subject)
        try FileCopy.make(of: path, at: self.path)
    }

    /// Accepts a copy of a file that records another database's name.
    func adopt(_ keys: [Key]) async throws {
        _ = try await using(nil, keys: keys, rotation: .manual) { store in
            try await store.write { db in try db.execute("DROP VIEW IF EXISTS strongroom_database") }
        }
    }

    var path: String { directory.path(ProofConfiguration.fileName) }

    /// Copies the file and the files that belong to it in their current state. In the middle of a transaction, the copy
    /// is what a process that is killed at that moment would leave.
    ///
    /// Reading a file that this process has open drops its locks on it, which only matter to the proof.
    func copy() throws -> ProofFile {
        let copy = try ProofFile(subject)
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path("")) {
            // The WAL index is shared memory, which does not outlive its processes; nor does the lock.
            guard !name.hasSuffix("-shm"), !name.hasSuffix(".lock") else { continue }
            try FileCopy.make(of: directory.path(name), at: copy.directory.path(name))
        }
        return copy
    }

    /// Opens the file with some migrations, runs work and closes the file.
    func using<T: Sendable>(
        _ migrations: [Migration]?, tables: [TableSchema]? = nil, keys: [Key] = [.numbered(1)],
        rotation: RotationPolicy? = nil, protection: KeyProtection? = nil, changes: ChangedMigrations = .ignore,
        _ work: (Store) async throws -> T
    ) async throws -> T {
        let migrator = migrations.map { migrations in Migrator(tables: tables) { migrations }.whenChanged(changes) }
        return try await using(
            migrator: migrator, keys: keys, rotation: rotation, protection: protection, work)
    }

    /// Opens the file with a migrator, or with none, runs work and closes the file.
    func using<T: Sendable>(
        migrator: Migrator?, keys: [Key], rotation: RotationPolicy? = nil, protection: KeyProtection? = nil,
        _ work: (Store) async throws -> T
    ) async throws -> T {
        let configuration = ProofConfiguration(
            subject: subject, directory: directory, migrator: migrator, keys: keys, rotation: rotation,
            protection: protection)
        let store = try await Stores(configuration).open(ProofConfiguration.fileName)
        do {
            let result = try await work(store)
            try await store.close()
            return result
        } catch {
            // The first error is reported.
            try? await store.close()
            throw error
        }
    }
}

/// The subject of a proof: a configuration and a database.
struct ProofSubject: Sendable {
    let configuration: any Configuration
    let name: DatabaseName

    init(_ proof: MigrationProof) throws {
        configuration = proof.configuration
        name = try DatabaseName(proof.database ?? "\(type(of: proof.configuration).target).sqlite")
    }

    /// The configuration's migrator.
    ///
    /// - Throws: `StrongroomError` with `notDeclared` if there is none, or one with nothing to prove.
    func migrator() throws -> Migrator {
        let migrator = try configuration.migrator(for: name)
        if let migrator, migrator.isAutomatic || !migrator.migrations.isEmpty { return migrator }
        throw StrongroomError(
            .notDeclared,
            "The configuration gives no migrator, or one without a migration; there is nothing to prove.",
            database: name.fileName)
    }
}

/// The tested configuration, with other files and other keys.
private struct ProofConfiguration: Configuration {
    static let target = "proof"
    static let fileName = "proof.sqlite"

    let subject: ProofSubject
    let directory: TemporaryDirectory
    let migrator: Migrator?
    let keys: [Key]
    let rotation: RotationPolicy?
    let protection: KeyProtection?

    func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }

    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(keys) }

    func keyProtection(for database: DatabaseName) -> KeyProtection {
        protection ?? subject.configuration.keyProtection(for: subject.name)
    }

    func cipherSettings(for database: DatabaseName) throws -> [CipherSettings] {
        try subject.configuration.cipherSettings(for: subject.name)
    }

    func migrator(for database: DatabaseName) -> Migrator? { migrator }

    func functions(for database: DatabaseName) -> [any DatabaseFunction] {
        subject.configuration.functions(for: subject.name)
    }

    func collations(for database: DatabaseName) -> [Collation] { subject.configuration.collations(for: subject.name) }

    func tokenizers(for database: DatabaseName) -> [TextTokenizer] {
        subject.configuration.tokenizers(for: subject.name)
    }

    func settings(for database: DatabaseName) -> StoreSettings {
        var settings = subject.configuration.settings(for: subject.name)
        // The subject is the migration of files, which runs when the proof opens them.
        settings.storage = .disk
        settings.isReadOnly = false
        settings.migration = .onOpen
        if let rotation { settings.rotation = rotation }
        return settings
    }
}

extension Key {
    /// A raw key, which needs no key derivation.
    static func numbered(_ number: UInt8) -> Key { .raw(Array(repeating: number, count: 32)) }
}
