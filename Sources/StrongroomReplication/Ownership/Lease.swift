/// The right of one host to write a database, for a time that it prolongs again and again.
///
/// A host that is cut off from the object store for longer refuses writes, since another one may have taken over; a
/// write that has not committed by the end of the lease is undone. It writes again when it has the lease back and the
/// replica's newest change is its own.
/// What the replica has does not depend on leases or clocks: of two writers, one finds its next number taken. The lease
/// keeps two hosts from needing that.
public struct Lease: Sendable {
    /// The name of the host, or of the process. Processes and containers of one name on one machine have the lease
    /// together; another machine of that name waits for its end, as one of another name does.
    public var owner: String
    /// How long the lease holds without being prolonged.
    public var duration: Duration
    /// How far the clocks of two hosts may differ: so long after its end a lease of another host is respected.
    public var clockTolerance: Duration

    /// Describes a lease.
    ///
    /// - Parameters:
    ///   - owner: The name of the host, or of the process; the same after a restart of the process, so that it need not
    ///     wait for the end of its own lease. After a restart of the machine it waits for that.
    ///   - duration: How long the lease holds without being prolonged, at least a second; it is prolonged after a third
    ///     of it.
    ///   - clockTolerance: How far the clocks of two hosts may differ.
    public init(owner: String, duration: Duration = .seconds(30), clockTolerance: Duration = .seconds(2)) {
        self.owner = owner
        self.duration = max(duration, .seconds(1))
        self.clockTolerance = clockTolerance
    }
}
