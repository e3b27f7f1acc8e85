public import Foundation
public import Strongroom

/// What an inspection of a replica has found; no key is needed for it.
public struct ReplicaInspection: Sendable {
    /// The number of objects, and their length in bytes.
    public let objects: Int
    public let bytes: Int
    /// The newest change; 0 for none.
    public let newestChange: UInt64
    /// The oldest and the newest state that can be restored; nil for none.
    public let states: ClosedRange<Date>?
    /// The host that has the lease; nil if there is none, or if it has ended.
    public let leaseOwner: String?
    /// What is wrong, a sentence each: objects that are damaged, missing, or belong to nothing.
    public let findings: [String]
}

extension Replica {
    /// Counts what a replica has, and optionally reads and checks every object.
    ///
    /// - Parameters:
    ///   - name: The database's name.
    ///   - isVerifying: Whether every object is read, and its digest and the sequence of the changes are checked.
    ///   - progress: Called with `verifying`, in bytes; must not block.
    /// - Returns: What was found.
    /// - Throws: `StrongroomError` with `replicaMissing` if there is nothing, `newerReplica`; what the object store
    ///   throws; `CancellationError`.
    public func inspect(
        _ name: DatabaseName, verifying isVerifying: Bool = false,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ReplicaInspection {
        try await ReplicaInspector(folder: folder(of: name), isVerifying: isVerifying, progress: progress).run()
    }
}

/// Looks through the objects of a replica.
struct ReplicaInspector: Sendable {
    let folder: ReplicaFolder
    let isVerifying: Bool
    let progress: @Sendable (WorkProgress) -> Void

    private static let width = 8

    func run() async throws -> ReplicaInspection {
        let changes = try await folder.changes()
        var findings: [String] = []
        var bases: [(folder: String, number: UInt64, parts: [ObjectEntry])] = []
        for base in try await folder.bases() {
            if let parts = try await folder.parts(ofBase: base.folder) {
                bases.append((base.folder, base.number, parts))
            } else {
                findings.append("The base \"\(base.folder)\" is not complete; it is no state that can be restored.")
            }
        }
        guard !changes.isEmpty || !bases.isEmpty else {
            _ = try await RestorePlan(folder, to: .newest)
            throw folder.missing(folder.name)
        }
        let sizes = changes.map(\.size) + bases.flatMap(\.parts).map(\.size)
        let total = sizes.reduce(0, +)
        if isVerifying { findings += try await verify(changes.reversed(), bases, total) }
        let lease = try? await Leases(folder: folder, lease: Lease(owner: "")).newest()?.lease
        let holder = lease.flatMap { $0.end > WallClock.milliseconds ? $0.owner : nil }
        return ReplicaInspection(
            objects: sizes.count, bytes: total, newestChange: changes.first?.number ?? 0,
            states: try await states(bases.last?.number), leaseOwner: holder, findings: findings)
    }

    private func states(_ oldest: UInt64?) async throws -> ClosedRange<Date>? {
        guard let oldest else { return nil }
        guard let newest = try? await RestorePlan(folder, to: .newest),
            let first = try? await RestorePlan(folder, to: .change(oldest))
        else { return nil }
        return min(first.time, newest.time)...newest.time
    }

    private func verify(
        _ changes: [(number: UInt64, size: Int)],
        _ bases: [(folder: String, number: UInt64, parts: [ObjectEntry])], _ total: Int
    ) async throws -> [String] {
        var findings: [String] = []
        var done = 0
        var digests: [UInt64: [UInt8]] = [:]
        var replica: ObjectHeader.Identifier?
        try await forEachObject(changes.map { folder.path(ofChange: $0.number) }) { path, object in
            switch object {
            case .failure(let error): findings.append(Self.sentence(error))
            case .success(let object):
                let number = object.header.number
                if path != folder.path(ofChange: number) {
                    findings.append("\"\(path)\" is the object of another name.")
                }
                if let former = digests[number - 1], former != object.header.former {
                    findings.append("\"\(path)\" does not follow the change before it.")
                }
                if let replica, replica != object.header.replica {
                    findings.append("\"\(path)\" belongs to another replica.")
                }
                replica = object.header.replica
                // Two at a time: the one before is all that is compared.
                digests = [number: object.digest].merging(digests.filter { $0.key + 1 == number }) { new, _ in new }
                done += object.bytes.count
                progress(WorkProgress(.verifying, done, of: total, .bytes))
            }
        }
        for base in bases {
            let paths = base.parts.indices.map { folder.path(ofBase: base.folder, part: $0) }
            try await forEachObject(paths) { path, object in
                switch object {
                case .failure(let error): findings.append(Self.sentence(error))
                case .success(let object):
                    if object.header.kind != .base || object.header.number != base.number {
                        findings.append("\"\(path)\" is no part of this base.")
                    }
                    done += object.bytes.count
                    progress(WorkProgress(.verifying, done, of: total, .bytes))
                }
            }
        }
        return findings
    }

    /// Reads objects several at a time, and hands them on in order; one that is damaged or missing as an error.
    private func forEachObject(
        _ paths: [String], _ body: (String, Result<ReplicaObject, StrongroomError>) throws -> Void
    ) async throws {
        for start in stride(from: 0, to: paths.count, by: Self.width) {
            try Task.checkCancellation()
            let part = Array(paths[start..<min(start + Self.width, paths.count)])
            let objects = try await concurrently(part, width: Self.width) { path in
                do {
                    return Result<ReplicaObject, StrongroomError>.success(try await folder.object(path))
                } catch let error as StrongroomError
                    where error.code == .replicaDamaged || error.code == .replicaIncomplete
                {
                    return .failure(error)
                }
            }
            for (path, object) in zip(part, objects) { try body(path, object) }
        }
    }

    private static func sentence(_ error: StrongroomError) -> String { error.message }
}
