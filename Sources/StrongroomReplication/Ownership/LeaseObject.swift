import Strongroom

/// A lease as it is stored.
struct LeaseObject: Equatable {
    let owner: String
    /// When the lease ends, in milliseconds since 1970; 0 for a lease that was given back.
    let end: UInt64

    private static let magic: [UInt8] = Array("StrngLse".utf8)
    /// The length that is read at most, in bytes.
    static let maxLength = 4_096

    var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(end)
        bytes += Array(owner.utf8)
        return bytes + Digests.sha256(bytes)
    }

    init(owner: String, end: UInt64) {
        self.owner = owner
        self.end = end
    }

    /// - Throws: `StrongroomError` with `replicaDamaged`.
    init(_ bytes: [UInt8], of name: String) throws {
        let content = Array(bytes.dropLast(Digests.length))
        guard content.count >= Self.magic.count + 8, content.starts(with: Self.magic),
            Digests.sha256(content) == Array(bytes.suffix(Digests.length))
        else { throw StrongroomError.damaged(name, "it is no lease") }
        end = content.number(at: Self.magic.count)
        owner = String(decoding: content[(Self.magic.count + 8)...], as: UTF8.self)
    }
}

/// The leases of a replica: each prolongation is an object with the next number, which only one host can create.
struct Leases: Sendable {
    let folder: ReplicaFolder
    let lease: Lease

    private var path: String { "\(folder.name)/\(ObjectName.leases)" }

    /// Acquires or prolongs the lease.
    ///
    /// - Returns: When it ends, by a clock that does not jump.
    /// - Throws: `StrongroomError` with `notOwner` if another host has it; what the object store throws.
    func acquire() async throws -> ContinuousClock.Instant {
        // Before the first request, so that the end is rather too early than too late.
        let (instant, wall) = (ContinuousClock.now, WallClock.milliseconds)
        func moment(_ end: UInt64) -> ContinuousClock.Instant {
            instant + .milliseconds(Int64(clamping: end) - Int64(clamping: wall))
        }
        let duration = UInt64(max(1_000, lease.duration.milliseconds))
        let tolerance = UInt64(max(0, lease.clockTolerance.milliseconds))
        for _ in 0..<Self.attempts {
            let (newest, now) = (try await newest(), WallClock.milliseconds)
            if let newest, newest.lease.end > 0 {
                if newest.lease.owner == lease.owner {
                    // Another process of this host, or this one before, has prolonged it.
                    if newest.lease.end > now + duration * 2 / 3 { return moment(newest.lease.end) }
                } else if newest.lease.end >= now || now - newest.lease.end < tolerance {
                    throw held(by: newest.lease)
                }
            }
            if try await create((newest?.number ?? 0) + 1, now + duration) { return moment(now + duration) }
            // Another host, or another process of this one, was faster.
        }
        throw held(by: try await newest()?.lease ?? LeaseObject(owner: "another host", end: 0))
    }

    private static let attempts = 20

    /// Gives the lease back, so that another host need not wait for its end.
    func release() async throws {
        guard let newest = try await newest(), newest.lease.owner == lease.owner else { return }
        _ = try await create(newest.number + 1, 0)
    }

    /// The newest lease; nil if there is none.
    func newest() async throws -> (number: UInt64, lease: LeaseObject)? {
        guard let entry = try await folder.objects.list(path, after: nil, count: 1).first else { return nil }
        guard let number = ObjectName.number(ofChange: entry.name),
            let bytes = try await folder.objects.read("\(path)/\(entry.name)", 0..<LeaseObject.maxLength)
        else { throw StrongroomError.damaged("\(path)/\(entry.name)", "it is no lease") }
        return (number, try LeaseObject(bytes, of: "\(path)/\(entry.name)"))
    }

    private func create(_ number: UInt64, _ end: UInt64) async throws -> Bool {
        let object = LeaseObject(owner: lease.owner, end: end)
        if number == 1 { try await folder.objects.createFolder(folder.name) }
        guard try await folder.objects.create("\(path)/\(ObjectName.change(number))", object.bytes) else {
            return false
        }
        // Only the newest one is ever read.
        if number > Self.kept {
            try? await folder.objects.remove(["\(path)/\(ObjectName.change(number - Self.kept))"])
        }
        return true
    }

    /// Leases that are kept, so that a late request cannot create one whose number was removed and is looked at.
    private static let kept: UInt64 = 8

    private func held(by other: LeaseObject) -> StrongroomError {
        StrongroomError(
            .notOwner,
            """
            "\(other.owner)" has the lease of the replica "\(folder.name)". Stop it there, or wait until its lease \
            ends: then `Stores.takeOver(_:)` takes over.
            """)
    }
}
