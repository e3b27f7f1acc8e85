#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension DatabaseFile {
    /// Microseconds between two tries.
    private static let pause: UInt32 = 10_000

    /// Opens a connection that has exclusive access to the file: no other connection is open, with a lock or
    /// without one, as far as the system lets this process look.
    ///
    /// - Parameters:
    ///   - key: The key; nil for plaintext.
    ///   - patience: How long those are waited for who have it.
    ///   - whenWaiting: Called between two tries; what it throws ends the waiting.
    /// - Returns: The connection, to be closed to let the file go; nil when somebody else has had it all the time.
    func connectAlone(
        key: DerivedKey?, within patience: Duration = .zero, whenWaiting: () throws -> Void = {}
    ) throws -> Connection? {
        let start = ContinuousClock.now
        while true {
            var longest = patience
            let connection = try connect(.existing, key: key)
            do {
                try connection.proveKey()
                connection.setBusyTimeout(milliseconds: 0)
                if try connection.takeWholeFile() {
                    // One that has the file open and was not written through a log holds no lock, and would go on with
                    // what is replaced.
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

    /// Whether another program has opened the file since a connection of this process has exclusive access: a program
    /// that does not know the library's lock may. It would go on with what is replaced.
    ///
    /// - Parameters:
    ///   - descriptors: How often this process had the file open when the connection got it (``descriptorsHere()``).
    ///   - whenWaiting: Called between two looks, as long as it may be a process that is being started; what it throws
    ///     ends the waiting.
    func isOpenedMeanwhile(since descriptors: Int, whenWaiting: () throws -> Void = {}) throws -> Bool {
        try descriptorsHere() > descriptors
            || !FileHolders.lasting({ try FileHolders.opening(path) }, whenWaiting: whenWaiting).isEmpty
    }

    /// How often this process has the file open; 0 where the system does not tell.
    func descriptorsHere() throws -> Int { try FileHolders.descriptorsHere(path) }

    /// The error for a file to which exclusive access is needed and that is open elsewhere.
    ///
    /// - Parameter purpose: What was to be done with it, as in "rewritten".
    func heldByOthers(for purpose: String) -> StrongroomError {
        let holders = FileHolders.describe((try? FileHolders.using(path)) ?? [])
        return StrongroomError(
            .locked,
            """
            "\(path)" can be \(purpose) with exclusive access alone, and is open \
            elsewhere\(holders.isEmpty ? "" : ": \(holders)"). Close it there, then try again; nothing was changed.
            """,
            database: name
        )
    }
}
