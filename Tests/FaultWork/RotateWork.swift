package import Strongroom

/// A file on the old key of a chain that is opened with the chain.
package struct RotateWork: Work {
    package let name = "rotate"
    package let steps = 1

    package init() {}

    package func prepare(in place: Place) async throws -> Store? { try await WriteWork().prepare(in: place) }

    package func run(in place: Place, acknowledge: @escaping Acknowledge) async throws {
        try await using(place, KeyChain(.old, .new), Lines.migrator) { store in
            if store.opening.key?.isCurrent == true { acknowledge(1) }
        }
    }

    package func look(in place: Place) async throws -> Sight {
        do {
            return try await sight(place, .new, step: 1)
        } catch let error as StrongroomError where error.code == .wrongKey || error.code == .truncated {
            // A kill while the log was brought into the file leaves half a page at its end, which a wrong key takes for the reason.
            return try await sight(place, .old, step: 0)
        }
    }

    private func sight(_ place: Place, _ key: Key, step: Int) async throws -> Sight {
        let sight = try await using(place, KeyChain(key), Lines.migrator) { try await Lines.sight(of: $0) }
        return Sight(step: step, rows: sight.rows, integrity: sight.integrity)
    }

    package func rows(after step: Int) -> [String] { Lines.rows(after: 0) }
}
