import Foundation
import Strongroom

/// The objects from which a state of a database is restored.
struct RestorePlan: Sendable {
    let folder: ReplicaFolder
    /// The folder of the base, and its parts.
    let base: String
    /// The number of the change whose state the base has.
    let baseNumber: UInt64
    let parts: [ObjectEntry]
    /// The numbers of the changes, in order, of which the last one completes a commit.
    let changes: [UInt64]
    /// The length of all objects, in bytes.
    let length: Int
    /// The number of the last change.
    let number: UInt64
    /// When the state was shipped.
    let time: Date

    /// Finds the objects.
    ///
    /// - Throws: `StrongroomError` with `replicaMissing`, `replicaIncomplete`, `replicaDamaged`; what the object store
    ///   throws.
    init(_ folder: ReplicaFolder, to point: RestorePoint) async throws {
        let all = try await folder.changes()
        let wanted = try await Self.change(at: point, all, folder)
        let last = try await Self.complete(wanted, all, folder)
        for base in try await folder.bases() where base.number <= last {
            guard let parts = try await folder.usableParts(ofBase: base.folder, of: base.number) else { continue }
            let changes = all.filter { $0.number > base.number && $0.number <= last }
            guard base.number == last || changes.last?.number == base.number + 1 else { continue }
            let state = try await Self.time(last, base.folder, folder)
            if case .time(let limit) = point, state > limit { break }
            self.folder = folder
            (self.base, self.baseNumber, self.parts) = (base.folder, base.number, parts)
            self.changes = changes.map(\.number).reversed()
            length = (parts.map(\.size) + changes.map(\.size)).reduce(0, +)
            (number, time) = (last, state)
            return
        }
        throw try await Self.missing(point, folder, all)
    }

    /// The last change that a state may have.
    private static func change(
        at point: RestorePoint, _ all: [(number: UInt64, size: Int)], _ folder: ReplicaFolder
    ) async throws -> UInt64 {
        switch point {
        case .newest: return all.first?.number ?? 0
        case .change(let number):
            guard number <= all.first?.number ?? 0 else {
                throw StrongroomError(
                    .replicaMissing,
                    """
                    The newest change of the replica "\(folder.name)" is \(all.first?.number ?? 0), so there is no \
                    change \(number) to restore. Restore a smaller number, or the newest state.
                    """)
            }
            return number
        case .time(let limit):
            // The times grow with the numbers, of which the newest comes first.
            var (low, high) = (0, all.count)
            while low < high {
                let middle = (low + high) / 2
                let path = folder.path(ofChange: all[middle].number)
                guard let header = try await folder.header(path) else { throw folder.missing(path) }
                if header.date <= limit { high = middle } else { low = middle + 1 }
            }
            return low < all.count ? all[low].number : (all.last?.number ?? 1) - 1
        }
    }

    /// The last change up to a number that completes a commit.
    private static func complete(
        _ number: UInt64, _ all: [(number: UInt64, size: Int)], _ folder: ReplicaFolder
    ) async throws -> UInt64 {
        var number = number
        while let oldest = all.last, number >= oldest.number {
            let path = folder.path(ofChange: number)
            guard let header = try await folder.header(path) else { throw folder.missing(path) }
            if header.isLast { return number }
            number -= 1
        }
        return number
    }

    private static func time(_ number: UInt64, _ base: String, _ folder: ReplicaFolder) async throws -> Date {
        let path = number > 0 ? folder.path(ofChange: number) : folder.path(ofBase: base, part: 0)
        // The change of the base's state may have been removed.
        if let header = try await folder.header(path) { return header.date }
        return try await folder.header(folder.path(ofBase: base, part: 0))?.date ?? .distantPast
    }

    private static func missing(
        _ point: RestorePoint, _ folder: ReplicaFolder, _ all: [(number: UInt64, size: Int)]
    ) async throws -> StrongroomError {
        let bases = try await folder.bases()
        guard !bases.isEmpty || !all.isEmpty else {
            return StrongroomError(
                .replicaMissing,
                """
                There is no replica in the folder "\(folder.name)" of the object store. Check the folder's name and \
                the object store.
                """)
        }
        var oldest: Date?
        for base in bases.reversed() where try await folder.parts(ofBase: base.folder) != nil {
            oldest = try await time(base.number, base.folder, folder)
            break
        }
        let known = oldest.map { "the oldest one is of \($0.formatted(.iso8601))" } ?? "there is no complete base"
        return StrongroomError(
            oldest == nil ? .replicaIncomplete : .replicaMissing,
            "The replica \"\(folder.name)\" has no state of the requested time: \(known). Restore another state.")
    }
}

extension ObjectHeader {
    var date: Date { Date(timeIntervalSince1970: Double(time) / 1_000) }
}
