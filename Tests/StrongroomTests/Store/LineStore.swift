import Foundation
import Strongroom
import StrongroomTesting

/// A family of databases with one table of numbers, `line`; all its files lie in one directory.
struct LineConfiguration: Configuration {
    static let target = "lines"

    let directory: TemporaryDirectory
    var readers: Int?
    /// No group is broken up because the machine is slow.
    var groupDuration: Duration
    /// Called before the key is given.
    var beforeKey: @Sendable () async throws -> Void = {}

    private let key = Key.random()

    init(
        _ directory: TemporaryDirectory,
        readers: Int? = nil,
        groupDuration: Duration = .seconds(1_000),
        beforeKey: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.directory = directory
        self.readers = readers
        self.groupDuration = groupDuration
        self.beforeKey = beforeKey
    }

    func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }

    func keyChain(for database: DatabaseName) async throws -> KeyChain {
        try await beforeKey()
        return try KeyChain(key)
    }

    func migrator(for database: DatabaseName) -> Migrator? {
        Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE line (number INTEGER UNIQUE)") }
        }
    }

    func settings(for database: DatabaseName) -> StoreSettings {
        StoreSettings(readers: readers, groupDuration: groupDuration)
    }
}

/// A store of a test's own with the table of ``LineConfiguration``.
struct LineStore: Sendable {
    static let name = "lines.sqlite"

    let store: Store
    /// The registry that opened the store and that knows no other database.
    let stores: Stores
    let directory: TemporaryDirectory
    let configuration: LineConfiguration

    init(readers: Int? = nil, groupDuration: Duration = .seconds(1_000)) async throws {
        directory = try TemporaryDirectory()
        configuration = LineConfiguration(directory, readers: readers, groupDuration: groupDuration)
        stores = try Stores(configuration)
        store = try await stores.open(Self.name)
    }

    /// Whether the engine's log lies beside the file; it goes away with the last connection.
    var hasLog: Bool {
        ["-wal", "-shm"].contains { FileManager.default.fileExists(atPath: store.path + $0) }
    }

    /// All numbers in a transaction of their own.
    func lines() async throws -> [Int] {
        try await store.read { db in try lineNumbers(db) }
    }

    /// Waits until the store refuses what is new, since somebody is closing it.
    func untilRefusing() async throws {
        while true {
            do {
                _ = try await lines()
            } catch let error as StrongroomError where error.code == .closed {
                return
            }
        }
    }
}

func lineNumbers(_ db: borrowing some Reading & ~Copyable) throws -> [Int] {
    try db.values("SELECT number FROM line ORDER BY number", as: Int.self)
}

func addLine(_ number: Int, _ db: borrowing some Writing & ~Copyable) throws {
    try db.execute("INSERT INTO line VALUES (\(number))")
}

/// An error of the test's own.
struct Refusal: Error, Equatable {
    let number: Int
}
