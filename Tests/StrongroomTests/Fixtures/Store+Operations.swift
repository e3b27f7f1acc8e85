import Foundation
import StrongroomTesting
import Testing

// Internal: a connection past the store, as another program has one.
@testable import Strongroom

extension SQL {
    /// Hours of counting.
    static let endless: SQL = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
        """
}

extension Store {
    /// The first column of the first row of a query, in a read of its own.
    func value<V: ColumnValue>(_ sql: SQL, as type: V.Type = V.self) async throws -> V? {
        try await read { db in try db.value(sql, as: type) }
    }

    /// The number of lines of a ``Vault``'s database.
    func lineCount() async throws -> Int { try await value("SELECT count(*) FROM line", as: Int.self) ?? -1 }

    /// Holds a reader from when this returns until the moment comes.
    func holdReader(label: String? = nil, until moment: Moment) async throws -> Task<Void, any Error> {
        let inside = Moment()
        let holder = Task {
            try await read(label: label) { _ in
                inside.come()
                try moment.block()
            }
        }
        try await inside.wait()
        return holder
    }

    /// Holds the writer from when this returns until the moment comes, after some work.
    func holdWriter(
        as kind: WriteKind = .shared, label: String? = nil, until moment: Moment,
        _ work: @escaping @Sendable (borrowing WriteTransaction) throws -> Void = { _ in }
    ) async throws -> Task<Void, any Error> {
        let inside = Moment()
        let holder = Task {
            try await write(as: kind, label: label) { db in
                try work(db)
                inside.come()
                try moment.block()
            }
        }
        try await inside.wait()
        return holder
    }

    /// Starts work that has to wait for a connection, and returns when it waits.
    func waiting<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> Task<T, any Error> {
        let waits = statistics.waits
        let task = Task { try await work() }
        try await eventually { statistics.waits > waits }
        return task
    }

    /// Starts work for each number; it waits in their order.
    func waiting<T: Sendable>(
        _ numbers: Range<Int>, _ work: @escaping @Sendable (Int) async throws -> T
    ) async throws -> [Task<T, any Error>] {
        var tasks: [Task<T, any Error>] = []
        for number in numbers { tasks.append(try await waiting { try await work(number) }) }
        return tasks
    }

    /// Starts work for each number while the writer is held, and lets it go then.
    func queued<T: Sendable>(
        _ numbers: Range<Int>, _ work: @escaping @Sendable (Int) async throws -> T
    ) async throws -> [Task<T, any Error>] {
        let canEnd = Moment()
        let holder = try await holdWriter(until: canEnd)
        let tasks = try await waiting(numbers, work)
        canEnd.come()
        try await holder.value
        return tasks
    }
}

extension Vault {
    /// A connection to the file past the store, as another program has one.
    ///
    /// - Parameters:
    ///   - mode: `.create` for a new file.
    ///   - key: The file's key.
    func connection(_ mode: Connection.Mode = .existing, key: Key = .numbered(1)) throws -> Connection {
        let salt = mode == .create ? Array(1...16) : [UInt8](try Data(contentsOf: URL(filePath: path)).prefix(16))
        let derived = try DerivedKey(key, salt: salt, settings: .engineDefault())
        return try DatabaseFile(path: path, name: "other", busyTimeout: 0, log: nil).connect(mode, key: derived)
    }

    /// Adds a line to the WAL that is nowhere else, as a process that is killed leaves it.
    func leaveLog(key: UInt8 = 1, line: String = "in the log") async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = directory as String, key = key as UInt8, line = line as String] in
            let store = try await Vault(root, keys: .numbered(key)).open()
            try await store.write { db in try db.execute("INSERT INTO line VALUES (\(line))") }
            // A store that is released is closed.
            withExtendedLifetime(store) { _ = kill(getpid(), SIGKILL) }
        }
    }
}

/// Checks that long work that is cancelled while it reports a phase ends with that.
///
/// - Parameters:
///   - phase: Nil for the first report.
///   - work: Begins the work with a closure that is given its reports.
func expectCancelled<T: Sendable>(
    at phase: WorkProgress.Phase? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ work: @escaping @Sendable (@escaping @Sendable (WorkProgress) -> Void) async throws -> T
) async {
    let task = Locked<Task<T, any Error>?>(nil)
    let isKnown = Moment()
    let begun = Task {
        try await work { progress in
            guard phase == nil || progress.phase == phase else { return }
            // Until the task is known that is to be cancelled.
            try? isKnown.block()
            task.withLock { $0 }?.cancel()
        }
    }
    task.withLock { $0 = begun }
    isKnown.come()
    await #expect(throws: CancellationError.self, sourceLocation: sourceLocation) { try await begun.value }
}

/// True when it is called for the first time.
final class Once: Sendable {
    private let isOver = Locked(false)

    func callAsFunction() -> Bool {
        isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
    }
}
