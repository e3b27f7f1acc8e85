import Foundation
import Strongroom
import StrongroomReplication
import TestData

extension Group {
    static let replication = Group(
        "replication",
        "awaited writes of a store with a replica, against one without; restoring from it, against restoring a backup"
    ) { workplace in
        let place = ReplicationPlace(directory: workplace.directory.appending(path: "replication"))
        let commits = 4_000
        return [
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
    var isReplicated = true

    private var replica: Replica { Replica(in: DirectoryObjectStore(path("replicas"))) }

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
        return duration
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
            try await store.backup(to: backup)
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
