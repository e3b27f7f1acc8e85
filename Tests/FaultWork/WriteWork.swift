package import Strongroom

/// Transactions one after the other, each of which inserts, changes and deletes; a checkpoint in between.
package struct WriteWork: Work {
    /// A promise that is broken on purpose.
    package enum Flaw: String, Sendable {
        case acknowledgesEarly, commitsHalves
    }

    package let flaw: Flaw?
    package let steps = 6

    package init(flaw: Flaw? = nil) {
        self.flaw = flaw
    }

    package var name: String { ["write", flaw?.rawValue].compactMap(\.self).joined(separator: "-") }

    package func prepare(in place: Place) async throws -> Store? {
        let store = try await place.open(firstKeys(), Lines.migrator)
        try await store.write { db in try Lines.fill(db) }
        return store
    }

    package func run(in place: Place, acknowledge: @escaping Acknowledge) async throws {
        try await using(place, firstKeys(), Lines.migrator) { store in
            let done = try await place.againWithSpace { try await store.read { db in try Lines.round(db) } }
            for round in done..<steps {
                if flaw == .acknowledgesEarly { acknowledge(round + 1) }
                try await place.againWithSpace { try await commit(round + 1, store) }
                acknowledge(round + 1)
                if round == steps / 2 { try await place.againWithSpace { _ = try await store.checkpoint() } }
            }
        }
    }

    private func commit(_ round: Int, _ store: Store) async throws {
        guard flaw == .commitsHalves else {
            try await store.write { db in
                try Lines.insert(round, db)
                try Lines.change(round, db)
            }
            return
        }
        try await store.write { db in try Lines.insert(round, db) }
        try await store.write { db in try Lines.change(round, db) }
    }

    package func look(in place: Place) async throws -> Sight {
        try await using(place, firstKeys(), Lines.migrator) { store in try await Lines.sight(of: store) }
    }

    package func rows(after step: Int) -> [String] { Lines.rows(after: step) }
}
