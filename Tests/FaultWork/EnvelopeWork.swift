import Foundation
package import Strongroom

/// A file that gets an envelope, whose envelope gets another key, or that gets another data key.
package struct EnvelopeWork: Work {
    package enum Kind: String, CaseIterable, Sendable {
        case envelope, rewrap
        case dataKey = "data-key"
    }

    private let kind: Kind
    package let steps = 1

    package init(_ kind: Kind) {
        self.kind = kind
    }

    package var name: String { kind.rawValue }

    package func prepare(in place: Place) async throws -> Store? {
        let place = kind == .envelope ? place : place.wrapped
        let store = try await place.open(firstKeys(), Lines.migrator)
        try await store.write { db in try Lines.fill(db) }
        return store
    }

    package func run(in place: Place, acknowledge: @escaping Acknowledge) async throws {
        let chain = try kind == .rewrap ? KeyChain(.old, .new) : KeyChain(.old)
        try await using(place.wrapped, chain, Lines.migrator) { store in
            if store.opening.rotationFailure != nil { try await place.againWithSpace { _ = try await store.rotate() } }
            if kind == .dataKey { try await place.againWithSpace { _ = try await store.rotate(.dataKey) } }
            acknowledge(1)
        }
    }

    package func look(in place: Place) async throws -> Sight {
        switch kind {
        case .dataKey:
            // Nothing tells one data key from another.
            return try await sight(place, .old) { _ in 1 }
        case .envelope:
            return try await sight(place, .old) {
                $0.opening.rotation == nil && $0.opening.rotationFailure == nil ? 1 : 0
            }
        case .rewrap:
            do {
                return try await sight(place, .new) { _ in 1 }
            } catch let error as StrongroomError where error.code == .wrongKey {
                return try await sight(place, .old) { _ in 0 }
            }
        }
    }

    private func sight(_ place: Place, _ key: Key, step: (Store) -> Int) async throws -> Sight {
        try await using(place.wrapped, KeyChain(key), Lines.migrator) { store in
            let sight = try await Lines.sight(of: store)
            return Sight(step: step(store), rows: sight.rows, integrity: sight.integrity)
        }
    }

    package func rows(after step: Int) -> [String] { Lines.rows(after: 0) }
}
