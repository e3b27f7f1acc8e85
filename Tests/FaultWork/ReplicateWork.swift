import Foundation
package import Strongroom
import StrongroomReplication

/// Transactions that are acknowledged when a replica beside the database has them; what counts is what the replica
/// restores to.
package struct ReplicateWork: Work {
    package let steps = 4
    package let name = "replicate"
    package let isRepeatable = false

    package init() {}

    package func prepare(in place: Place) async throws -> Store? {
        let store = try await place.replicated.open(firstKeys(), Lines.migrator)
        try await store.write { db in try Lines.fill(db) }
        try await wait(for: store)
        return store
    }

    package func run(in place: Place, acknowledge: @escaping Acknowledge) async throws {
        try await using(place.replicated, firstKeys(), Lines.migrator) { store in
            let done = try await place.againWithSpace { try await store.read { db in try Lines.round(db) } }
            for round in done..<steps {
                try await place.againWithSpace {
                    try await store.write { db in
                        // Another process may have done it.
                        guard try db.value("SELECT round FROM tally") == round else { return }
                        try Lines.insert(round + 1, db)
                        try Lines.change(round + 1, db)
                    }
                }
                try await place.againWithSpace { try await wait(for: store) }
                acknowledge(round + 1)
            }
            try await place.againWithSpace { try await wait(for: store) }
        }
    }

    /// Waits for the replica, up to a minute; throws its failure at once if the disk is full.
    private func wait(for store: Store) async throws {
        for second in 1...60 {
            do {
                try await store.replication?.waitUntilShipped(timeout: .seconds(1))
                return
            } catch let error as StrongroomError where error.code == .replicaBehind {
                let failure = store.replication?.status.failure
                if let failure, failure.code == .diskFull || second == 60 { throw failure }
                if second == 60 { throw error }
            }
        }
    }

    /// What the replica restores to; the database itself may have more, and not less.
    package func look(in place: Place) async throws -> Sight {
        let own = try await using(place, firstKeys(), Lines.migrator) { store in try await Lines.sight(of: store) }
        let other = Place("\(place.directory)/restored")
        try FileManager.default.createDirectory(atPath: other.directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: other.directory) }
        let stores = try other.stores(firstKeys(), Lines.migrator)
        try await stores.restore(place.fileName, from: place.replica, to: .newest)
        let restored = try await using(other, firstKeys(), Lines.migrator) { store in
            try await Lines.sight(of: store)
        }
        guard own.step >= restored.step, own.integrity == "ok", own.rows == rows(after: own.step) else {
            throw StrongroomError(.damaged, "The database is at step \(own.step), its replica at \(restored.step).")
        }
        return restored
    }

    package func rows(after step: Int) -> [String] { Lines.rows(after: step) }
}
