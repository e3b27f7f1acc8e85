public import Foundation
public import Strongroom

/// What was removed from a replica.
public struct PruneReport: Sendable, Equatable {
    /// The number of objects that were removed.
    public internal(set) var objects = 0
    /// Their length in bytes.
    public internal(set) var bytes = 0
}

extension Replica {
    /// Removes what no state needs that is younger than a moment; every younger state, and the newest one in any case,
    /// stays restorable.
    ///
    /// It may be interrupted at any time, and run while a store writes the replica: objects are removed from the oldest
    /// to the newest. A restore that needs one of them at this moment throws `replicaIncomplete`, and succeeds when it
    /// is tried again.
    ///
    /// - Parameters:
    ///   - name: The database's name.
    ///   - moment: The oldest state that is kept is the last one before this moment.
    ///   - isDryRun: Whether nothing is removed, and only counted.
    /// - Returns: What was removed.
    /// - Throws: `StrongroomError` with `replicaMissing`; what the object store throws; `CancellationError`.
    @discardableResult
    public func prune(
        _ name: DatabaseName, keepingSince moment: Date, dryRun isDryRun: Bool = false
    ) async throws -> PruneReport {
        let folder = folder(of: name)
        if !isDryRun { try await objects.removeUnfinished(in: folder.name) }
        let changes = try await folder.changes()
        // The state of the moment, or the oldest one if that is younger.
        let oldest: RestorePlan
        do {
            oldest = try await RestorePlan(folder, to: .time(moment))
        } catch let error as StrongroomError where error.code == .replicaMissing {
            _ = try await RestorePlan(folder, to: .newest)
            return PruneReport()
        }
        var report = PruneReport()
        // Only those of older states: of two bases of one state, each of two removals could remove one.
        for base in try await folder.bases().reversed() where base.number < oldest.baseNumber {
            let path = "\(folder.name)/\(ObjectName.bases)/\(base.folder)"
            let parts = try await entries(path, after: nil, in: folder) { ObjectName.index(ofPart: $0) != nil }
            // The last part first, so that what is left is no complete base.
            try await remove(parts, from: folder, isDryRun, &report)
        }
        // The change of the oldest state stays: it says that no later one was removed.
        let old = changes.filter { $0.number < oldest.baseNumber }.reversed()
        let stragglers = try await stragglers(folder, below: changes.last?.number ?? 1)
        try await remove(
            stragglers + old.map { (folder.path(ofChange: $0.number), $0.size) }, from: folder, isDryRun, &report)
        return report
    }

    /// Changes before a gap: what an earlier removal has left, or a request that came late.
    private func stragglers(_ folder: ReplicaFolder, below oldest: UInt64) async throws -> [(String, Int)] {
        try await entries(folder.name, after: ObjectName.change(oldest), in: folder) {
            ObjectName.number(ofChange: $0) != nil
        }
    }

    /// The objects of a folder, the last one first; what has a name of another form is not the replica's.
    private func entries(
        _ path: String, after name: String?, in folder: ReplicaFolder, _ isOwn: (String) -> Bool
    ) async throws -> [(String, Int)] {
        var found: [(String, Int)] = []
        var foreign = 0
        var last = name
        while true {
            let entries = try await folder.objects.list(path, after: last, count: Self.pageLength)
            for entry in entries {
                guard isOwn(entry.name) else {
                    foreign += 1
                    continue
                }
                found.append(("\(path)/\(entry.name)", try folder.size(entry, in: path)))
            }
            guard entries.count == Self.pageLength, foreign < Self.pageLength else { return found.reversed() }
            last = entries.last?.name
        }
    }

    private static let pageLength = 1_000

    private func remove(
        _ entries: [(name: String, size: Int)], from folder: ReplicaFolder, _ isDryRun: Bool,
        _ report: inout PruneReport
    ) async throws {
        for entry in entries {
            try Task.checkCancellation()
            if !isDryRun { try await folder.objects.remove([entry.name]) }
            report.objects += 1
            report.bytes += entry.size
        }
    }
}
