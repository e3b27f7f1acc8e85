import Foundation
import Synchronization

/// The in-memory records of a store after the last commit; each connection keeps its own copy up to date.
///
/// A reader's snapshot of the file and its in-memory records must belong to the same commit. A commit that changes
/// in-memory records therefore holds ``commitLock`` from before it is visible in the file until it is published here,
/// and a reader holds ``commitLock`` from before it takes its snapshot of the file until it has read the matching
/// version. Commits that change no in-memory records do not need it: while a reader holds ``commitLock``, no version
/// can be published, so the version that it reads is the newest whose commit precedes its snapshot, and no later one is
/// in the snapshot.
///
/// While ``isInUse`` is false, ``commitLock`` is not used. The writer sets the flag before the first commit that needs
/// it; a reader that finds the flag set after taking its snapshot takes another one.
final class MemoryShare: Sendable {
    /// A row changed by a commit; without values it was deleted.
    struct Change: Sendable {
        let table: String
        let row: Int64
        let values: [Value]?
    }

    /// The changes that a connection at an older version applies.
    struct CatchUp: Sendable {
        let version: Int
        let tables: [MemoryTable]
        /// The changes in order; nil if there are too many, so that the copy must be rebuilt.
        let changes: [Change]?
        /// All rows; empty if there are changes.
        let rows: [String: [Int64: [Value]]]
    }

    private struct State {
        var version = 0
        var tables: [MemoryTable] = []
        var rows: [String: [Int64: [Value]]] = [:]
        /// The changes of the last commits, oldest first, up to the version.
        var commits: [[Change]] = []
        var changeCount = 0
    }

    private let state = Locked(State())
    private let used = Atomic<Bool>(false)
    private let lastKey = Atomic<Int64>(0)
    /// Held by a connection that commits or takes a snapshot. Not one of the library's own locks: the engine is called
    /// while it is held, and may perform I/O.
    private let commitLock = NSLock()

    /// The number of commits that a connection may be behind before its copy is rebuilt.
    private static let commitsKept = 256
    private static let changesKept = 10_000

    /// Whether there has been an in-memory record since the store was opened.
    var isInUse: Bool { used.load(ordering: .sequentiallyConsistent) }

    var version: Int { state.withLock { $0.version } }

    /// A key that no in-memory record has had.
    func nextKey() -> Int64 { lastKey.subtract(1, ordering: .relaxed).newValue }

    /// Takes a snapshot of the file, and returns the matching changes.
    func snapshot(from version: Int, _ begin: () throws -> Void) throws -> CatchUp? {
        commitLock.lock()
        defer { commitLock.unlock() }
        try begin()
        return catchUp(from: version)
    }

    /// Commits and publishes the changes.
    ///
    /// - Returns: The new version.
    func publish(_ changes: [Change], _ tables: [MemoryTable], _ commit: () throws -> Void) throws -> Int {
        used.store(true, ordering: .sequentiallyConsistent)
        commitLock.lock()
        defer { commitLock.unlock() }
        try commit()
        return state.withLock { state in
            state.version += 1
            state.tables = tables
            for change in changes { state.rows[change.table, default: [:]][change.row] = change.values }
            state.commits.append(changes)
            state.changeCount += changes.count
            while state.commits.count > Self.commitsKept || state.changeCount > Self.changesKept,
                let first = state.commits.first
            {
                state.commits.removeFirst()
                state.changeCount -= first.count
            }
            return state.version
        }
    }

    /// - Returns: Nil for a connection that is up to date.
    func catchUp(from version: Int) -> CatchUp? {
        state.withLock { state in
            guard version != state.version else { return nil }
            let missing = state.version - version
            let isKnown = version > 0 && missing <= state.commits.count
            return CatchUp(
                version: state.version, tables: state.tables,
                changes: isKnown ? state.commits.suffix(missing).flatMap { $0 } : nil,
                rows: isKnown ? [:] : state.rows)
        }
    }

    /// - Throws: ``StrongroomError`` with `inMemory` if there have been in-memory records, whose temporary tables would
    ///   not be migrated.
    func checkMigration(of connection: Connection) throws {
        guard isInUse else { return }
        throw StrongroomError(
            .inMemory,
            """
            The store has had in-memory records since it was opened, and these cannot be migrated. Move them to the \
            file if they are to be kept, close the store and open it again, then migrate.
            """,
            database: connection.database)
    }

    /// Removes all records.
    func clear() {
        let old = state.withLock { state in
            let old = state
            state = State()
            return old
        }
        _ = old
    }
}
