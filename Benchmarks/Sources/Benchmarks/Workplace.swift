import Foundation
import Strongroom

/// A directory for the files of one group, and the key and the tables that they have.
struct Workplace: Sendable {
    /// The rows that the measures write and read.
    static let rowCount = 200_000
    /// The readers of each store.
    static let readerCount = 4

    private static let passphrase = "correct horse battery staple"

    private let directory: URL
    private let stores: Stores

    init() throws {
        let directory = FileManager.default.temporaryDirectory
            .resolvingSymlinksInPath()
            .appending(path: "strongroom-benchmarks-\(UUID().uuidString)")
        stores = try Stores(Entries(directory: directory))
        self.directory = directory
    }

    /// Closes the stores and removes the files.
    func remove() async throws {
        try await stores.closeAll()
        try FileManager.default.removeItem(at: directory)
    }

    /// Makes a file of its own, closed again, for either side to open.
    ///
    /// - Parameter entries: The rows that are in it.
    func makeFile(_ entries: [Entry] = []) async throws -> File {
        let file = File(name: "entries_\(UUID().uuidString).sqlite", workplace: self)
        let store = try await file.open()
        try await store.write { db in _ = try Entry.insert(contentsOf: entries, in: db) }
        try await store.close()
        return file
    }

    /// A database file of the workplace.
    struct File: Sendable {
        fileprivate let name: String
        fileprivate let workplace: Workplace

        private var path: String { workplace.directory.appending(path: name).path(percentEncoded: false) }

        /// Opens the file as a user of Strongroom does.
        func open() async throws -> Store { try await workplace.stores.open(name) }

        /// Opens the file as the rival does.
        func openRival() throws -> Rival { try Rival(path, passphrase: Workplace.passphrase) }

        /// Removes the file and what lies beside it, so that the disk does not fill while runs follow each other.
        func remove() throws {
            for suffix in ["", "-wal", "-shm", ".lock"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.removeItem(atPath: path + suffix)
            }
        }
    }

    private struct Entries: Configuration {
        static let target = "entries"

        let directory: URL

        func filePath(for database: DatabaseName) -> String? {
            directory.appending(path: database.fileName).path(percentEncoded: false)
        }

        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.passphrase(passphrase)) }

        func migrator(for database: DatabaseName) -> Migrator? {
            Migrator(tables: [Entry.schema]) {
                Migration("1") { db in try db.createTable(Entry.schema) }
            }
        }

        func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(readers: Workplace.readerCount) }
    }
}
