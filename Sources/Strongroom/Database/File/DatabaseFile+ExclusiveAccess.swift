#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension DatabaseFile {
    /// Microseconds between two attempts.
    private static let pause: UInt32 = 10_000

    /// Opens a connection that has exclusive access to the file: no other connection is open, with a lock or without
    /// one, as far as the system permits this process to find out.
    ///
    /// - Parameters:
    ///   - key: The key; nil for plaintext.
    ///   - patience: How long to wait for other users of the file.
    ///   - whenWaiting: Called between two attempts; an error that it throws ends the wait.
    /// - Returns: The connection, to be closed to release the file; nil if the file was in use during the whole wait.
    func connectExclusively(
        key: DerivedKey?, within patience: Duration = .zero, whenWaiting: () throws -> Void = {}
    ) throws -> Connection? {
        let start = ContinuousClock.now
        while true {
            var longest = patience
            let connection = try connect(.existing, key: key)
            do {
                try connection.proveKey()
                connection.setBusyTimeout(milliseconds: 0)
                if try connection.acquireExclusiveAccess() {
                    // A process that has the file open without a lock, not in WAL mode, would continue to use the
                    // replaced file.
                    guard try !FileHolders.opening(path).isEmpty else { return connection }
                    longest = max(longest, FileHolders.startOfAProcess)
                }
            } catch {
                connection.close()
                throw error
            }
            connection.close()
            guard ContinuousClock.now - start < longest else { return nil }
            try whenWaiting()
            usleep(Self.pause)
        }
    }

    /// Whether another program has opened the file since a connection of this process acquired exclusive access: a
    /// program that does not know the library's lock may do so. It would continue to use the replaced file.
    ///
    /// - Parameters:
    ///   - descriptors: How often this process had the file open when the connection acquired it
    ///     (``descriptorsHere()``).
    ///   - whenWaiting: Called between two checks, while the opener may be a process that is being started; an error
    ///     that it throws ends the wait.
    func isOpenedMeanwhile(since descriptors: Int, whenWaiting: () throws -> Void = {}) throws -> Bool {
        try descriptorsHere() > descriptors
            || !FileHolders.lasting({ try FileHolders.opening(path) }, whenWaiting: whenWaiting).isEmpty
    }

    /// How often this process has the file open; 0 if the system does not report it.
    func descriptorsHere() throws -> Int { try FileHolders.descriptorsHere(path) }

    /// The error for a file that needs exclusive access and is open elsewhere.
    ///
    /// - Parameter purpose: The intended operation, as in "rewritten".
    func heldByOthers(for purpose: String) -> StrongroomError {
        let holders = FileHolders.describe((try? FileHolders.using(path)) ?? [])
        return StrongroomError(
            .locked,
            """
            "\(path)" can be \(purpose) only with exclusive access, and is open \
            elsewhere\(holders.isEmpty ? "" : ": \(holders)"). Close it there, then try again; nothing was changed.
            """,
            database: name
        )
    }
}
