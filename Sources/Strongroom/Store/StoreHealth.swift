/// The state of an open store, for the probes of a service.
public struct StoreHealth: Sendable {
    /// Why the store cannot be read; nil if it can.
    public var readFailure: (any Error)?
    /// Why the store refuses writes, such as a replica whose writer is another host now; nil if it accepts them or is
    /// read-only.
    public var writeRefusal: StrongroomError?
    /// How long reading took, with the wait for a reader.
    public var readTime: Duration
    /// The size of the WAL in bytes. It grows while something keeps it from being checkpointed, such as a long read.
    public var logBytes: Int64
    /// How many bytes the process may still write to the disk of the file; nil if that is unknown, and in memory.
    public var freeBytes: Int64?

    /// Whether the store can be read and does not refuse writes.
    public var isReady: Bool { readFailure == nil && writeRefusal == nil }
}

extension Store {
    /// Examines the store: reads and authenticates its first page through a reader, as a request would.
    ///
    /// ```swift
    /// let health = await store.health(within: .seconds(1))
    /// guard health.isReady else { return .serviceUnavailable }
    /// ```
    ///
    /// - Parameter timeout: How long the read may wait and run; `timedOut` is then the reason that it failed.
    /// - Returns: The state. Failures are reported in it, not thrown.
    public func health(within timeout: Duration = .seconds(1)) async -> StoreHealth {
        let start = ContinuousClock.now
        var failure: (any Error)?
        do {
            _ = try await read(label: "health", timeout: timeout) { db in
                try db.value("SELECT count(*) FROM sqlite_master", as: Int.self)
            }
        } catch {
            failure = error
        }
        let isFile = storage == .disk
        return StoreHealth(
            readFailure: failure, writeRefusal: pool.right.refusal,
            readTime: ContinuousClock.now - start,
            logBytes: isFile ? (try? FileStatus.at(SideFiles(of: path).log)?.size) ?? 0 : 0,
            freeBytes: isFile ? try? FreeSpace.bytes(at: FileSystem.directory(of: path)) : nil)
    }
}
