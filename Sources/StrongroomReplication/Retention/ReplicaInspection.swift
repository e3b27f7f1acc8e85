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
        let changes = try await folder.changes(isInspecting: true)
        var findings: [String] = []
        var bases: [(folder: String, number: UInt64, parts: [ObjectEntry])] = []
        for base in try await folder.bases() {
            // One that is not complete is being written, or was given up: it is no state, and no damage.
            guard let parts = try await parts(ofBase: base.folder, &findings) else { continue }
            bases.append((base.folder, base.number, parts))
        }
        guard !changes.isEmpty || !bases.isEmpty else {
            _ = try await RestorePlan(folder, to: .newest)
            throw folder.missing(folder.name)
        }
        let sizes = changes.map(\.size) + bases.flatMap(\.parts).map(\.size)
        let total = sizes.reduce(0, +)
        if isVerifying {
            findings += try await verify(changes.reversed(), bases, total)
            findings += try await gaps(changes, bases.map(\.number))
        }
        let lease = try? await Leases(folder: folder, lease: Lease(owner: "")).newest()?.lease
        let holder = lease.flatMap { $0.end > WriteDeadline.time ? $0.owner : nil }
        return ReplicaInspection(
            objects: sizes.count, bytes: total, newestChange: changes.first?.number ?? 0,
            states: try await states(bases.last?.number), leaseOwner: holder, findings: findings.withoutRepetitions)
    }

    /// The parts of a base, also if the last one is damaged, by which it would be complete.
    private func parts(ofBase base: String, _ findings: inout [String]) async throws -> [ObjectEntry]? {
        do {
            return try await folder.parts(ofBase: base)
        } catch let error as StrongroomError where error.code == .replicaDamaged {
            findings.append(error.message)
        }
        do {
            return try await folder.listedParts(ofBase: base)
        } catch let error as StrongroomError where error.code == .replicaDamaged {
            return nil
        }
    }

    /// Changes that are missing between a base and the newest change.
    private func gaps(_ changes: [(number: UInt64, size: Int)], _ bases: [UInt64]) async throws -> [String] {
        guard let first = changes.last?.number, let newest = changes.first?.number else { return [] }
        var missing: [String] = []
        if let base = bases.max(), base < newest, first > base + 1 {
            missing.append(folder.missing(folder.path(ofChange: first - 1)).message)
        }
        do {
            _ = try await RestorePlan(folder, to: .newest)
        } catch let error as StrongroomError
            where [.replicaIncomplete, .replicaMissing, .replicaDamaged].contains(error.code)
        {
            missing.append(error.message)
        }
        return missing
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
        var previous: (number: UInt64, digest: [UInt8], replica: ObjectHeader.Identifier)?
        var digests: [UInt64: [UInt8]] = [:]
        try await forEachObject(changes.map { folder.path(ofChange: $0.number) }) { path, object in
            switch object {
            case .failure(let error): findings.append(error.message)
            case .success(let object):
                let number = object.header.number
                guard path == folder.path(ofChange: number) else {
                    return findings.append("\"\(path)\" is the object of another name.")
                }
                if let previous, previous.number + 1 == number, previous.digest != object.header.previous {
                    findings.append("\"\(path)\" does not follow the change before it.")
                }
                if let previous, previous.replica != object.header.replica {
                    findings.append("\"\(path)\" belongs to another replica.")
                }
                previous = (number, object.digest, object.header.replica)
                if bases.contains(where: { $0.number == number }) { digests[number] = object.digest }
                done += object.bytes.count
                progress(WorkProgress(.verifying, done, of: total, .bytes))
            }
        }
        for base in bases {
            let paths = base.parts.indices.map { folder.path(ofBase: base.folder, part: $0) }
            try await forEachObject(paths) { path, object in
                switch object {
                case .failure(let error): findings.append(error.message)
                case .success(let object):
                    let isPart = object.header.kind == .base && object.header.number == base.number
                    if !isPart || digests[base.number].map({ $0 != object.header.previous }) == true {
                        findings.append("\"\(path)\" is no part of a base of this state.")
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
}

extension [String] {
    /// A damaged object is met when it is listed, when it is read, and when a restore is planned.
    fileprivate var withoutRepetitions: [String] {
        var known: Set<String> = []
        return filter { known.insert($0).inserted }
    }
}
