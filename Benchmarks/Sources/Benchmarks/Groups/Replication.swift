import Foundation
import Strongroom
import StrongroomReplication
import TestData

extension Group {
    static let replication = Group(
        "replication",
        "awaited writes of a store with a replica, against one without; what is shipped; restoring, against a backup"
    ) { workplace in
        // In memory, as an object store elsewhere: it does not write to the database's disk.
        let place = ReplicationPlace(
            directory: workplace.directory.appending(path: "replication"), objects: MemoryObjects())
        let commits = 8_000
        let shipped = try await place.shipped(300)
        return [
            Gauge(
                name: "bytes shipped, each commit in a change of its own", unit: "of the WAL's", amount: shipped.each,
                limit: 1.2),
            Gauge(
                name: "bytes shipped, by the interval", unit: "of the WAL's", amount: shipped.byInterval, limit: 1.2),
            Measure(
                name: "awaited write with a replica",
                unit: .rate(commits, "commits"),
                ours: { try await place.write(commits, isReplicated: true) },
                rival: Measure.Side(name: "without", target: 0.95) {
                    try await place.write(commits, isReplicated: false)
                }
            ),
            Measure(
                name: "restore \(workplace.megabytes) MB from a replica",
                unit: .milliseconds,
                ours: { try await place.restore(megabytes: workplace.megabytes, fromReplica: true) },
                rival: Measure.Side(name: "backup", target: 0.8) {
                    try await place.restore(megabytes: workplace.megabytes, fromReplica: false)
                }
            ),
        ]
    }
}

/// A directory with databases and their replicas.
private struct ReplicationPlace: Configuration {
    static let target = "replicated"

    let directory: URL
    let objects: MemoryObjects
    var isReplicated = true

    private var replica: Replica { Replica(in: objects) }

    private func path(_ name: String) -> String { directory.appending(path: name).path(percentEncoded: false) }

    func filePath(for database: DatabaseName) -> String? { path(database.fileName) }
    func keyChain(for database: DatabaseName) throws -> KeyChain {
        try KeyChain(.raw([UInt8](repeating: 1, count: 32)))
    }
    func extensions(for database: DatabaseName) -> [any StoreExtension] { isReplicated ? [replica] : [] }

    /// Commits of ten rows of 200 bytes, one after the other.
    func write(_ commits: Int, isReplicated: Bool) async throws -> Duration {
        var place = self
        place.isReplicated = isReplicated
        let name = "replicated_\(UUID().uuidString).sqlite"
        let store = try await Stores(place).open(name)
        try await store.write { db in try db.execute("CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT)") }
        try await store.replication?.waitUntilShipped()
        let text = String(repeating: "x", count: 200)
        let start = ContinuousClock.now
        for _ in 0..<commits {
            try await store.write { db in
                for _ in 0..<10 { try db.execute("INSERT INTO line (text) VALUES (\(text))") }
            }
        }
        let duration = ContinuousClock.now - start
        try await store.close()
        try FileManager.default.removeItem(at: directory)
        objects.clear()
        return duration
    }

    /// The bytes of the objects that are shipped for commits of ten rows of 200 bytes, against those of the WAL that the
    /// commits write: if each waits for the replica, and if none does. Fewer commits than a checkpoint is made after.
    func shipped(_ commits: Int) async throws -> (each: Double, byInterval: Double) {
        func ratio(isAwaited: Bool) async throws -> Double {
            let name = "replicated_\(UUID().uuidString).sqlite"
            let store = try await Stores(self).open(name)
            try await store.write { db in try db.execute("CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT)") }
            try await store.replication?.waitUntilShipped()
            func sizes() throws -> (log: Int, shipped: Int) {
                let size = try FileManager.default.attributesOfItem(atPath: path(name) + "-wal")[.size] as? Int
                return (size ?? 0, store.replication?.status.shipped.bytes ?? 0)
            }
            let before = try sizes()
            let text = String(repeating: "x", count: 200)
            for _ in 0..<commits {
                try await store.write { db in
                    for _ in 0..<10 { try db.execute("INSERT INTO line (text) VALUES (\(text))") }
                }
                if isAwaited { try await store.replication?.waitUntilShipped() }
            }
            try await store.replication?.waitUntilShipped()
            let after = try sizes()
            try await store.close()
            objects.clear()
            return Double(after.shipped - before.shipped) / Double(after.log - before.log)
        }
        return (try await ratio(isAwaited: true), try await ratio(isAwaited: false))
    }

    /// Replaces a database by its replica, or by a backup.
    func restore(megabytes: Int, fromReplica: Bool) async throws -> Duration {
        let (name, backup) = ("replicated_large.sqlite", path("large.backup"))
        let stores = try Stores(self)
        if !FileManager.default.fileExists(atPath: backup) {
            let store = try await stores.open(name)
            try await store.write { db in try db.execute("CREATE TABLE line (id INTEGER PRIMARY KEY, text BLOB)") }
            for _ in 0..<megabytes {
                try await store.write { db in
                    for _ in 0..<1_000 { try db.execute("INSERT INTO line (text) VALUES (randomblob(1000))") }
                }
            }
            try await store.replication?.waitUntilShipped()
            _ = try await store.backup(to: backup)
            try await store.close()
        }
        let start = ContinuousClock.now
        if fromReplica {
            try await stores.restore(name, from: replica, to: .newest)
        } else {
            try await stores.restore(name, from: backup)
        }
        return ContinuousClock.now - start
    }
}

/// Objects in memory.
private final class MemoryObjects: ObjectStore, @unchecked Sendable {  // guarded by the lock
    private let lock = NSLock()
    private var objects: [String: [UInt8]] = [:]

    let location = "memory"

    func clear() { lock.withLock { objects = [:] } }

    func create(_ name: String, _ content: [UInt8]) async throws -> Bool {
        lock.withLock {
            guard objects[name] == nil else { return false }
            objects[name] = content
            return true
        }
    }

    func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]? {
        lock.withLock {
            objects[name].map { object in Array(object[(range ?? 0..<object.count).clamped(to: 0..<object.count)]) }
        }
    }

    func list(_ folder: String, after name: String?, count: Int) async throws -> [ObjectEntry] {
        lock.withLock {
            objects.keys.filter { $0.hasPrefix(folder + "/") }.map { String($0.dropFirst(folder.count + 1)) }
                .filter { each in !each.contains("/") && name.map { each > $0 } ?? true }.sorted().prefix(count)
                .map { ObjectEntry(name: $0, size: objects["\(folder)/\($0)"]?.count ?? 0) }
        }
    }

    func folders(in folder: String) async throws -> [String] {
        lock.withLock {
            let names = objects.keys.filter { $0.hasPrefix(folder + "/") }.map { $0.dropFirst(folder.count + 1) }
            return Set(names.filter { $0.contains("/") }.compactMap { $0.split(separator: "/").first.map(String.init) })
                .sorted()
        }
    }

    func remove(_ names: [String]) async throws {
        lock.withLock {
            for name in names { objects[name] = nil }
        }
    }
}
