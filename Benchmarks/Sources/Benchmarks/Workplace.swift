import Foundation
import Strongroom
import TestData

/// A directory for the files of one group, the key and the tables that they have, and the rival that works beside.
struct Workplace: Sendable {
    /// GRDB's process; nil when GRDB is left out.
    let grdb: GRDBProcess?

    /// How many databases a family has.
    let familySize: Int

    /// The size of the file that is rewritten with another key, in millions of bytes.
    let megabytes: Int

    /// How many documents are searched.
    let documentCount: Int

    /// How long a process does nothing but observe.
    let idleSeconds: Int

    /// How many stores with replicas are open at a time.
    var tenants = 1_000

    /// How long their replicas wait before they ship.
    var intervals: [Duration] = [.milliseconds(500), .seconds(1), .seconds(10)]

    /// How many rows the largest table of the group growth has.
    var growthRows = 10_000_000

    /// How many rows the file with an index in random order has.
    var indexRows = 1_000_000

    /// What the group growth measures.
    var curves = Curve.allCases
    let directory: URL

    private let stores: Stores

    init(
        grdb: GRDBProcess?, familySize: Int = 0, megabytes: Int = 0, documentCount: Int = 0, idleSeconds: Int = 0
    ) throws {
        let directory = FileManager.default.temporaryDirectory
            .resolvingSymlinksInPath()
            .appending(path: "strongroom-benchmarks-\(UUID().uuidString)")
        stores = try Stores(
            Tables<Entry>(directory: directory), Tables<Account>(directory: directory),
            Tables<KeptEntry>(directory: directory), Tables<Document>(directory: directory),
            Tables<Order>(directory: directory))
        self.directory = directory
        self.grdb = grdb
        self.familySize = familySize
        self.megabytes = megabytes
        self.documentCount = documentCount
        self.idleSeconds = idleSeconds
    }

    /// Closes the stores and removes the files.
    func remove() async throws {
        try await stores.closeAll()
        // It is made with the first file, and not every group has one.
        guard FileManager.default.fileExists(atPath: directory.path(percentEncoded: false)) else { return }
        try FileManager.default.removeItem(at: directory)
    }

    /// Makes a file of its own, closed again, for any side to open.
    ///
    /// - Parameters:
    ///   - table: The one table in it.
    ///   - samples: The rows that are in it.
    func makeFile<T: SampleTable>(of table: T.Type, _ samples: [Sample] = []) async throws -> File {
        try await makeFile(of: table, batches: CollectionOfOne(samples))
    }

    /// Makes a file of more rows than are to be in memory at one time.
    ///
    /// - Parameter batches: The rows that are in it.
    func makeFile<T: SampleTable>(of table: T.Type, batches: some Sequence<[Sample]>) async throws -> File {
        let file = File(table: T.schema.name, workplace: self)
        let store = try await file.open()
        for samples in batches {
            try await store.write { db in _ = try T.insert(contentsOf: samples.map(T.init), in: db) }
        }
        try await store.close()
        return file
    }

    /// Makes a file of orders, closed again.
    func makeFile(_ orders: [Order]) async throws -> File {
        let file = File(table: Order.schema.name, workplace: self)
        let store = try await file.open()
        try await store.write { db in _ = try Order.insert(contentsOf: orders, in: db) }
        try await store.close()
        return file
    }

    /// Makes a file of documents, closed again.
    ///
    /// - Parameter indexed: Whether their texts are indexed.
    func makeFile(indexed: Bool, _ documents: [Document] = []) async throws -> File {
        let file = File(table: Document.schema.name, workplace: self)
        let store = try await file.open()
        try await store.write { db in
            if !indexed { try db.stopFullText(of: Document.schema.name) }
            _ = try Document.insert(contentsOf: documents, in: db)
        }
        try await store.close()
        return file
    }

    /// A database file of the workplace.
    struct File: Sendable {
        private struct NotClosed: Error {
            let path: String
        }

        private let table: String
        private let name: String
        private let workplace: Workplace
        /// The names of the files that it is a copy of, one of which it records.
        private let originals: [String]

        fileprivate init(table: String, workplace: Workplace, originals: [String] = []) {
            self.table = table
            self.workplace = workplace
            self.originals = originals
            name = "\(table)_\(UUID().uuidString).sqlite"
        }

        var path: String { workplace.directory.appending(path: name).path(percentEncoded: false) }

        /// In millions of bytes, without the log.
        func megabytes() throws -> Double {
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            return Double(size ?? 0) / 1e6
        }

        /// Opens the file as a user of Strongroom does.
        func open() async throws -> Store {
            for original in originals { try? await workplace.stores.adopt(name, from: original) }
            return try await workplace.stores.open(name)
        }

        /// Opens the file as the rival does.
        func openRival() throws -> Rival { try Rival(path, passphrase: TestData.passphrase) }

        /// A fresh file with the same content. This one must be closed.
        func copy() throws -> File {
            let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
            guard (log ?? 0) == 0 else { throw NotClosed(path: path) }
            let copy = File(table: table, workplace: workplace, originals: originals + [name])
            try FileManager.default.copyItem(atPath: path, toPath: copy.path)
            return copy
        }

        /// Removes the file and what lies beside it, so that the disk does not fill while runs follow each other.
        func remove() throws {
            for suffix in ["", "-wal", "-shm", ".lock"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.removeItem(atPath: path + suffix)
            }
        }
    }

    /// The files with one table, by the table's name.
    private struct Tables<T: Table>: Configuration {
        static var target: String { T.schema.name }

        let directory: URL

        func filePath(for database: DatabaseName) -> String? {
            directory.appending(path: database.fileName).path(percentEncoded: false)
        }

        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.passphrase(TestData.passphrase)) }

        func migrator(for database: DatabaseName) -> Migrator? {
            Migrator(tables: [T.schema]) {
                Migration("1") { db in try db.createTable(T.schema) }
            }
        }

        func functions(for database: DatabaseName) -> [any DatabaseFunction] { Group.functions }

        func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(readers: TestData.readerCount) }
    }
}
