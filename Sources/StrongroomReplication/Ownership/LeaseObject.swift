import Strongroom

/// A lease as it is stored.
struct LeaseObject: Equatable {
    let owner: String
    /// The machine's start, which differs between two machines of one name; empty where it is not known.
    let start: String
    /// When the lease ends, in milliseconds since 1970; 0 for a lease that was given back.
    let end: UInt64

    private static let magic: [UInt8] = Array("StrngLse".utf8)
    /// The length that is read at most, in bytes.
    static let maxLength = 4_096

    var bytes: [UInt8] {
        // Also before an empty start, if it would be read as a part of the owner.
        let suffix = start.isEmpty && !owner.utf8.contains(0) ? [] : [0] + Array(start.utf8)
        return Digests.stored(Self.magic + end.bigEndianBytes + owner.utf8 + suffix)
    }

    init(owner: String, start: String = "", end: UInt64) {
        (self.owner, self.start, self.end) = (owner, start, end)
    }

    /// - Throws: `StrongroomError` with `replicaDamaged`.
    init(_ bytes: [UInt8], of name: String) throws {
        var reader = try StoredReader(bytes, magic: Self.magic, or: StrongroomError.damaged(name, "it is no lease"))
        end = try reader.number()
        let rest = reader.remainder()
        let separator = rest.lastIndex(of: 0) ?? rest.endIndex
        owner = String(decoding: rest[..<separator], as: UTF8.self)
        start = String(decoding: rest[separator...].dropFirst(), as: UTF8.self)
    }
}

/// The leases of a replica: each prolongation is an object with the next number, which only one host can create.
struct Leases: Sendable {
    let folder: ReplicaFolder
    let lease: Lease
    var start = MachineStart.identifier

    private var path: String { "\(folder.name)/\(ObjectName.leases)" }

    /// The number of the newest lease that this process has created, by its location: another process of this host may
    /// give back one that it has created itself.
    private static let created = Locked<[String: UInt64]>([:])

    private func isOwn(_ number: UInt64) -> Bool {
        Self.created.withLock { $0["\(folder.objects.location) \(path)"] } == number
    }

    private func isOfThisHost(_ other: LeaseObject) -> Bool { other.owner == lease.owner && other.start == start }

    /// A lease that this host has.
    struct Held: Sendable {
        /// The number of its object.
        let number: UInt64
        let deadline: WriteDeadline
        /// Whether this host had none before, so that no other process of it relies on the lease.
        let isNew: Bool
    }

    /// Acquires or prolongs the lease.
    ///
    /// - Parameter previous: The lease that is prolonged; nil at the first one.
    /// - Throws: `StrongroomError` with `notOwner` if another host has it, `replicaMissing` if the object store has
    ///   lost the previous one; what the object store throws.
    func acquire(after previous: Held? = nil) async throws -> Held {
        let duration = UInt64(max(1_000, lease.duration.milliseconds))
        let tolerance = UInt64(max(0, lease.clockTolerance.milliseconds))
        for _ in 0..<Self.attempts {
            let newest = try await newest()
            if let previous, newest?.number ?? 0 < previous.number { throw lost }
            // Before the request, so that the end is rather too early than too late.
            let (instant, now) = (ContinuousClock.now, WriteDeadline.time)
            func held(_ number: UInt64, for rest: UInt64, isNew: Bool) -> Held {
                Held(
                    number: number,
                    deadline: WriteDeadline(instant: instant + .milliseconds(Int64(clamping: rest)), time: now + rest),
                    isNew: isNew)
            }
            if let newest, newest.lease.end > 0 {
                let end = newest.lease.end
                if isOfThisHost(newest.lease) {
                    // One that lasts longer than a lease can is from before the clock was put back.
                    if isOwn(newest.number), end > now + duration * 2 / 3, end <= now + duration {
                        return held(newest.number, for: end - now, isNew: false)
                    }
                } else if end >= now || now - end < tolerance {
                    throw self.held(by: newest.lease)
                }
            }
            let number = (newest?.number ?? 0) + 1
            let isNew = newest.map { !isOfThisHost($0.lease) || $0.lease.end < now } ?? true
            if try await create(number, now + duration) { return held(number, for: duration, isNew: isNew) }
            // Another host, or another process of this one, was faster.
        }
        throw held(by: try await newest()?.lease ?? LeaseObject(owner: "another host", end: 0))
    }

    /// Runs work while the lease is prolonged; the work is cancelled if another host gets it.
    ///
    /// - Throws: `StrongroomError` with `notOwner`; what the work throws.
    func prolonging(while work: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await work()
                return true
            }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: lease.duration / 3)
                    do {
                        _ = try await acquire()
                    } catch let error as StrongroomError where error.code == .notOwner {
                        throw error
                    } catch {
                        // The object store is away. What must not be done without the lease acquires it before.
                    }
                }
                return false
            }
            while try await group.next() == false {}
        }
    }

    private static let attempts = 20

    /// Gives the lease back, so that another host need not wait for its end.
    ///
    /// - Parameter held: The lease, which is only given back if it is the newest; nil for any that this process has
    ///   created.
    func release(_ held: Held? = nil) async throws {
        guard let newest = try await newest(), isOfThisHost(newest.lease), newest.lease.end > 0,
            held.map({ $0.number == newest.number }) ?? isOwn(newest.number)
        else { return }
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
        let object = LeaseObject(owner: lease.owner, start: start, end: end)
        if number == 1 { try await folder.objects.createFolder(folder.name) }
        guard try await folder.objects.create("\(path)/\(ObjectName.change(number))", object.bytes) else {
            return false
        }
        Self.created.withLock { $0["\(folder.objects.location) \(path)"] = number }
        // Only the newest one is ever read.
        if number > Self.retained {
            try? await folder.objects.remove(["\(path)/\(ObjectName.change(number - Self.retained))"])
        }
        return true
    }

    /// Leases that are retained, so that a late request cannot create one whose number was removed and is read.
    private static let retained: UInt64 = 8

    private var lost: StrongroomError {
        StrongroomError(
            .replicaMissing,
            """
            The object store has lost the lease of the replica "\(folder.name)", or there is another one at its \
            location, such as a directory whose file system is not mounted. Bring it back; the lease is then \
            prolonged.
            """)
    }

    private func held(by other: LeaseObject) -> StrongroomError {
        guard other.owner != lease.owner else {
            return StrongroomError(
                .notOwner,
                """
                Another machine of the name "\(other.owner)" has the lease of the replica "\(folder.name)", or this \
                one had it before it was started again. Give each machine a name of its own in `Lease.owner`, or wait \
                until the lease ends.
                """)
        }
        return StrongroomError(
            .notOwner,
            """
            "\(other.owner)" has the lease of the replica "\(folder.name)". Stop it there, or wait until its lease \
            ends: then `Stores.takeOver(_:)` takes over.
            """)
    }
}
