import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting

/// Objects in memory, and the faults of an object store.
final class MemoryObjectStore: ObjectStore {
    /// What happens to a request.
    enum Fault: Sendable {
        /// It is carried out.
        case none
        /// It is refused, and has no effect.
        case refused
        /// It is carried out, and its answer is lost.
        case lostAnswer
    }

    /// Each is another one, as the protocol asks for.
    let location = "memory \(UInt64.random(in: 0 ... .max))"

    private struct State {
        var objects: [String: [UInt8]] = [:]
        var fault: @Sendable (String) -> Fault = { _ in .none }
        var created: [String] = []
        var requests = 0
    }

    private let state = Locked(State())

    /// The objects, by name.
    var objects: [String: [UInt8]] {
        get { state.withLock { $0.objects } }
        set { state.withLock { $0.objects = newValue } }
    }

    /// The names of the objects that were created, in order.
    var created: [String] { state.withLock { $0.created } }
    /// The number of requests.
    var requests: Int { state.withLock { $0.requests } }

    /// Chooses what happens to the creation of objects from now on.
    func onCreate(_ fault: @escaping @Sendable (String) -> Fault) { state.withLock { $0.fault = fault } }

    func create(_ name: String, _ content: [UInt8]) async throws -> Bool {
        try Task.checkCancellation()
        let fault = state.withLock { $0.fault }(name)
        if case .refused = fault { throw Self.unreachable }
        let isNew = state.withLock { state in
            state.requests += 1
            guard state.objects[name] == nil else { return false }
            state.objects[name] = content
            state.created.append(name)
            return true
        }
        if case .lostAnswer = fault { throw StrongroomError(.outcomeUnknown, "The answer was lost.") }
        return isNew
    }

    func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]? {
        state.withLock { state in
            state.requests += 1
            guard let object = state.objects[name] else { return nil }
            return Array(object[(range ?? 0..<object.count).clamped(to: 0..<object.count)])
        }
    }

    func list(_ folder: String, after name: String?, count: Int) async throws -> [ObjectEntry] {
        state.withLock { state in
            state.requests += 1
            let names = state.objects.keys.filter { $0.hasPrefix(folder + "/") }.map { $0.dropFirst(folder.count + 1) }
            return names.filter { each in !each.contains("/") && name.map { each > $0 } ?? true }.sorted().prefix(count)
                .map { ObjectEntry(name: String($0), size: state.objects["\(folder)/\($0)"]?.count ?? 0) }
        }
    }

    func listAll(after name: String, count: Int) async throws -> [ObjectEntry]? {
        state.withLock { state in
            state.requests += 1
            return state.objects.filter { $0.key > name }.sorted { $0.key < $1.key }.prefix(count)
                .map { ObjectEntry(name: $0.key, size: $0.value.count) }
        }
    }

    func folders(in folder: String) async throws -> [String] {
        state.withLock { state in
            state.requests += 1
            let beginning = folder.isEmpty ? "" : folder + "/"
            let names = state.objects.keys.filter { $0.hasPrefix(beginning) }.map { $0.dropFirst(beginning.count) }
            return Set(names.compactMap { $0.contains("/") ? $0.split(separator: "/").first.map(String.init) : nil })
                .sorted()
        }
    }

    func remove(_ names: [String]) async throws {
        state.withLock { state in
            for name in names { state.objects[name] = nil }
        }
    }

    static let unreachable = StrongroomError(.objectStoreUnreachable, "The object store is away.")
}

/// Objects in memory of which some requests do something else.
protocol WrappedObjectStore: ObjectStore {
    var objects: MemoryObjectStore { get }
}

extension WrappedObjectStore {
    var location: String { objects.location }

    func create(_ name: String, _ content: [UInt8]) async throws -> Bool { try await objects.create(name, content) }
    func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]? { try await objects.read(name, range) }
    func list(_ folder: String, after name: String?, count: Int) async throws -> [ObjectEntry] {
        try await objects.list(folder, after: name, count: count)
    }
    func folders(in folder: String) async throws -> [String] { try await objects.folders(in: folder) }
    func remove(_ names: [String]) async throws { try await objects.remove(names) }
}

/// The error that a closure throws; nil if it throws none, or another one.
func failure(_ body: () async throws -> Void) async -> StrongroomError? {
    do {
        try await body()
        return nil
    } catch { return error as? StrongroomError }
}

/// The code of the error that a closure throws; nil if it throws none, or another one.
func failureCode(_ body: () async throws -> Void) async -> StrongroomError.Code? { await failure(body)?.code }

/// A connection to an object store, which passes requests on as its rules have it.
protocol CarriedObjectStore: WrappedObjectStore {
    /// Passes a request on.
    func carry<T>(_ request: () async throws -> T) async throws -> T
}

extension CarriedObjectStore {
    var location: String { objects.location }
    func create(_ name: String, _ content: [UInt8]) async throws -> Bool {
        try await carry { try await objects.create(name, content) }
    }
    func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]? {
        try await carry { try await objects.read(name, range) }
    }
    func list(_ folder: String, after name: String?, count: Int) async throws -> [ObjectEntry] {
        try await carry { try await objects.list(folder, after: name, count: count) }
    }
    func folders(in folder: String) async throws -> [String] {
        try await carry { try await objects.folders(in: folder) }
    }
    func remove(_ names: [String]) async throws { try await carry { try await objects.remove(names) } }
}

/// A host with a database, and the object store of its replica.
struct Clinic: Configuration {
    static let target = "clinic"

    let directory: TemporaryDirectory
    var replica: Replica?
    var keys = [Key.raw(key(1))]
    var protection = KeyProtection.direct
    var settings = StoreSettings()
    var migrator: Migrator?

    init(_ replica: Replica? = nil) throws {
        directory = try TemporaryDirectory()
        self.replica = replica
    }

    static func key(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

    static let file = "clinic.sqlite"

    var path: String { directory.path(Self.file) }

    func filePath(for database: DatabaseName) throws -> String? { directory.path(database.fileName) }
    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(keys) }
    func keyProtection(for database: DatabaseName) -> KeyProtection { protection }
    func settings(for database: DatabaseName) -> StoreSettings { settings }
    func migrator(for database: DatabaseName) throws -> Migrator? { migrator }
    func extensions(for database: DatabaseName) throws -> [any StoreExtension] { replica.map { [$0] } ?? [] }
    /// Opens the database.
    func open() async throws -> Store {
        let store = try await Stores(self).open(Self.file)
        try await store.write { db in
            try db.execute("CREATE TABLE IF NOT EXISTS patient (id INTEGER PRIMARY KEY, name TEXT)")
        }
        return store
    }

    /// Restores the database from a replica, opens it without one, and reads it.
    static func restored(
        from replica: Replica, to point: RestorePoint = .newest, keys: [Key]? = nil,
        protection: KeyProtection = .direct
    ) async throws -> [Int64: String] {
        var clinic = try Clinic()
        if let keys { clinic.keys = keys }
        clinic.protection = protection
        let stores = try Stores(clinic)
        try await stores.restore(file, from: replica, to: point)
        return try await clinic.patients()
    }

    /// The rows of the database, read by a store of its own.
    func patients() async throws -> [Int64: String] {
        var clinic = self
        clinic.replica = nil
        let store = try await clinic.open()
        let patients = try await store.patients()
        try await store.close()
        return patients
    }
}

extension Store {
    /// Adds or changes patients.
    func add(_ ids: ClosedRange<Int64>, _ name: String = "Ann") async throws {
        try await write { db in
            for id in ids { try db.execute("INSERT OR REPLACE INTO patient VALUES (\(id), \(name))") }
        }
    }

    /// Adds or changes patients, and waits until the replica has them.
    func ship(_ ids: ClosedRange<Int64>, _ name: String = "Ann") async throws {
        try await add(ids, name)
        try await replication?.waitUntilShipped()
    }

    func patients() async throws -> [Int64: String] {
        try await read { db in
            var patients: [Int64: String] = [:]
            for row in try db.dictionaries("SELECT id, name FROM patient") {
                guard case .integer(let id)? = row["id"], case .text(let name)? = row["name"] else { continue }
                patients[id] = name
            }
            return patients
        }
    }
}
