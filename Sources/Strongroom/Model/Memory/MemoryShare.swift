import Foundation
import Synchronization

/// The records of a store that are in memory alone, as the last commit left them; each connection keeps a copy of its
/// own up to date.
///
/// A reader's snapshot of the file and its records in memory must be of the same commit. A commit that changes records
/// in memory therefore holds ``turn`` from before it is visible in the file until it is published here, and a reader
/// holds it from before it takes its snapshot of the file until it knows the version that belongs to it. Commits that
/// change no record in memory need no turn: while a reader has it, no version can be published, so the one that it
/// finds is the newest whose commit comes before its snapshot, and no later one is in the snapshot.
///
/// While ``isInUse`` is false nobody takes turns. The writer sets it before the first commit that needs it; a reader
/// that finds it set when it has its snapshot takes another one.
final class MemoryShare: Sendable {
    /// A row of a commit; without values it is gone.
    struct Change: Sendable {
        let table: String
        let row: Int64
        let values: [Value]?
    }

    /// What a connection that is at an older version has to do.
    struct CatchUp: Sendable {
        let version: Int
        let tables: [MemoryTable]
        /// In their order; nil when there have been too many, so that everything has to be made anew.
        let changes: [Change]?
        /// Everything; empty when there are changes.
        let rows: [String: [Int64: [Value]]]
    }

    private struct State {
        var version = 0
        var tables: [MemoryTable] = []
        var rows: [String: [Int64: [Value]]] = [:]
        /// The last commits' changes, oldest first, up to the version.
        var commits: [[Change]] = []
        var changeCount = 0
    }

    private let state = Locked(State())
    private let used = Atomic<Bool>(false)
    private let lastKey = Atomic<Int64>(0)
    /// Who commits or begins at this moment. Not one of the library's own locks: the engine is asked while it is held,
    /// and may wait for the disk.
    private let turn = NSLock()

    /// Commits, and their changes, that a connection may be behind before it has to begin anew.
    private static let commitsKept = 256
    private static let changesKept = 10_000

    /// Whether there has been a record since the store was opened.
    var isInUse: Bool { used.load(ordering: .sequentiallyConsistent) }

    var version: Int { state.withLock { $0.version } }

    /// A key that no record in memory has had.
    func nextKey() -> Int64 { lastKey.subtract(1, ordering: .relaxed).newValue }

    /// Takes a snapshot of the file, and tells what belongs to it.
    func snapshot(from version: Int, _ begin: () throws -> Void) throws -> CatchUp? {
        turn.lock()
        defer { turn.unlock() }
        try begin()
        return catchUp(from: version)
    }

    /// Commits, and publishes the changes.
    ///
    /// - Returns: The new version.
    func publish(_ changes: [Change], _ tables: [MemoryTable], _ commit: () throws -> Void) throws -> Int {
        used.store(true, ordering: .sequentiallyConsistent)
        turn.lock()
        defer { turn.unlock() }
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

    /// - Throws: ``StrongroomError`` with `inMemory` when there have been records, whose tables in memory would not be
    ///   migrated.
    func checkMigration(of connection: Connection) throws {
        guard isInUse else { return }
        throw StrongroomError(
            .inMemory,
            """
            Since it was opened the store has had records that are in memory alone, and those are not migrated. Make \
            them persistent if they are to be kept, close the store and open it again, then migrate.
            """,
            database: connection.database)
    }

    /// Lets go of everything.
    func clear() {
        let old = state.withLock { state in
            let old = state
            state = State()
            return old
        }
        _ = old
    }
}
