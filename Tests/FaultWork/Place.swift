import Foundation
package import Strongroom
import StrongroomReplication

/// The directory in which a database is worked on.
package struct Place: Sendable {
    /// The directory's path.
    package let directory: String
    /// What is done when the disk is full, so that it is not any more; nil for giving up.
    package let relieve: (@Sendable () throws -> Void)?
    private var protection = KeyProtection.direct
    private var migrationBackups = MigrationBackupPolicy.none
    private var isReplicated = false

    package init(_ directory: String, relieve: (@Sendable () throws -> Void)? = nil) {
        self.directory = directory
        self.relieve = relieve
    }

    /// The same directory, for a database that is to have an envelope.
    package var wrapped: Place {
        var place = self
        place.protection = .envelope
        return place
    }

    /// The same directory, for a database whose migration backups are kept.
    package var withMigrationBackups: Place {
        var place = self
        place.migrationBackups = .newest(1)
        return place
    }

    /// The same directory, for a database that has a replica in it.
    package var replicated: Place {
        var place = self
        place.isReplicated = true
        return place
    }

    /// The replica beside the database.
    var replica: Replica {
        Replica(
            in: DirectoryObjectStore("\(directory)/replica"), interval: .milliseconds(20), closingTimeout: .seconds(3))
    }

    /// The database's name.
    package var fileName: String { Vault.fileName }

    /// The database's file.
    package var path: String { "\(directory)/vault.sqlite" }

    /// The path of the database's backup, beside it: the harness follows the names of one directory.
    package var backupPath: String { "\(directory)/backup.sqlite" }

    /// Whether there is a file.
    package var hasFile: Bool { FileManager.default.fileExists(atPath: path) }

    /// The names of what lies in the directory and is no part of a closed database.
    package func strayNames() throws -> [String] {
        let envelopes = ["vault.sqlite", "backup.sqlite"].map { ["\($0).keys", "\($0).keys.copy"] }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        // One without the other is.
        let parts =
            ["vault.sqlite", ".vault.sqlite.lock", "backup.sqlite", ".backup.sqlite.lock", "replica"]
            + envelopes.filter { $0.allSatisfy(names.contains) }.joined()
        let beginnings = [".vault.sqlite.snapshot-", ".vault.sqlite.replica-"]
        return names.filter { name in !parts.contains(name) && !beginnings.contains { name.hasPrefix($0) } }
    }

    /// Opens the database in a registry of its own.
    package func open(
        _ keys: KeyChain, _ migrator: Migrator?, _ ciphers: [CipherSettings]? = nil
    ) async throws -> Store {
        let stores = try stores(keys, migrator, ciphers)
        return try await againWithSpace { try await stores.open(Vault.fileName) }
    }

    /// Restores the newest migration backup of the database, which is not open.
    package func restore(_ keys: KeyChain) async throws {
        let stores = try stores(keys, nil, nil)
        try await whenAlone { _ = try await stores.restoreMigrationBackup(of: Vault.fileName) }
    }

    /// A registry that knows the database.
    package func stores(_ keys: KeyChain, _ migrator: Migrator?, _ ciphers: [CipherSettings]? = nil) throws -> Stores {
        try Stores(
            Vault(
                path: path, keys: keys, migrator: migrator, ciphers: ciphers, protection: protection,
                migrationBackups: migrationBackups, replica: isReplicated ? replica : nil))
    }

    /// Does work that needs the file alone: of several processes that restore and open it at once, one may find it open
    /// in another.
    package func whenAlone(_ work: @Sendable () async throws -> Void) async throws {
        for _ in 0..<1_000 {
            do {
                return try await againWithSpace(work)
            } catch let error as StrongroomError where error.code == .locked {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        try await work()
    }

    /// Does work, and once more with space when the disk was full.
    package func againWithSpace<T: Sendable>(_ work: @Sendable () async throws -> T) async throws -> T {
        do {
            return try await work()
        } catch let error as StrongroomError {
            guard let relieve, error.isFullDisk else { throw error }
            try relieve()
            return try await work()
        }
    }
}

extension StrongroomError {
    /// Whether it was the disk that was full, said by a migration, too.
    package var isFullDisk: Bool {
        code == .diskFull || (code == .migrationFailed && message.contains("diskFull"))
    }
}

private struct Vault: Configuration {
    static let target = "vault"
    static let fileName = "vault.sqlite"

    let path: String
    let keys: KeyChain
    let migrator: Migrator?
    let ciphers: [CipherSettings]?
    let protection: KeyProtection
    let migrationBackups: MigrationBackupPolicy
    let replica: Replica?

    func extensions(for database: DatabaseName) -> [any StoreExtension] { replica.map { [$0] } ?? [] }
    func filePath(for database: DatabaseName) -> String? { path }
    func keyChain(for database: DatabaseName) -> KeyChain { keys }
    func cipherSettings(for database: DatabaseName) throws -> [CipherSettings] { try ciphers ?? CipherSettings.known() }
    func keyProtection(for database: DatabaseName) -> KeyProtection { protection }
    func migrator(for database: DatabaseName) -> Migrator? { migrator }
    func settings(for database: DatabaseName) -> StoreSettings {
        StoreSettings(readers: 1, migrationBackups: migrationBackups)
    }
}
