/// The fingerprints of a migrator's steps in the current program, determined on an empty in-memory database.
///
/// Stored with the migrator, so that a configuration that keeps its migrator computes them once.
final class FingerprintRun: Sendable {
    private struct State {
        /// The number of steps that were run.
        var count = 0
        var fingerprints: [[UInt8]: String] = [:]
    }

    private let state = Locked(State())

    /// The maximum number of progress callbacks, one for every 10,000 instructions of the engine.
    private static let maxChecks = 300

    /// The fingerprints by the bytes of the versions, without steps that cannot run on an empty database or take long
    /// there.
    func fingerprints(of migrations: [Migration], _ functions: ConnectionFunctions) throws -> [[UInt8]: String] {
        let known = state.withLock { $0.count >= migrations.count ? $0.fingerprints : nil }
        if let known { return known }
        let found = try Self.run(migrations, functions)
        state.withLock { $0 = State(count: migrations.count, fingerprints: found) }
        return found
    }

    private static func run(_ migrations: [Migration], _ functions: ConnectionFunctions) throws -> [[UInt8]: String] {
        let connection = try Connection(path: ":memory:", mode: .create, database: "a migration's dry run")
        defer { connection.close() }
        try connection.silenceLog()
        try connection.install(functions)
        try connection.configure(as: .maker, busyTimeout: 0)
        connection.stop(after: maxChecks)
        var found: [[UInt8]: String] = [:]
        for migration in migrations {
            let recorder = StatementRecorder()
            do {
                try connection.withoutForeignKeys {
                    try connection.inTransaction(.immediate) {
                        try connection.recording(recorder) {
                            try migration.up(MigrationTransaction(connection, isDryRun: true))
                        }
                        try connection.checkTransaction()
                    }
                }
            } catch {
                // The step needs rows, or a table from before the first step; so may the steps after it.
                break
            }
            found[Array(migration.version.utf8)] = recorder.fingerprint
        }
        return found
    }
}

extension Migrator {
    /// The versions of a file whose statements have changed.
    ///
    /// - Throws: ``StrongroomError`` with `otherMigrations` for ``ChangedMigrations/refuse``.
    func changedVersions(_ entries: [VersionHistory.Entry], in connection: Connection) throws -> [String] {
        guard changePolicy != .ignore, let last = entries.last(where: { $0.fingerprint != nil }),
            let index = index(of: last.version)
        else { return [] }
        let today = try fingerprintRun.fingerprints(
            of: Array(migrations[...index]), connection.functions.declared)
        let changed = entries.filter { entry in
            // A fingerprint with a colon is reserved for later versions of the library.
            guard let then = entry.fingerprint, !then.contains(":"), let now = today[Array(entry.version.utf8)] else {
                return false
            }
            return then != now
        }.map(\.version)
        guard changePolicy == .refuse, !changed.isEmpty else { return changed }
        let names = changed.map { "\"\($0)\"" }.joined(separator: ", ")
        throw StrongroomError(
            .otherMigrations,
            """
            The file was migrated through \(names), whose statements have changed in the program: it may have another \
            schema than a new file. Put the old statements back, and make the change in a separate migration. The \
            file was not changed.
            """,
            database: connection.database
        )
    }
}
