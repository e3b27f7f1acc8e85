import CSQLCipher
import Foundation
import Logging

/// The identity of a statement that a table runs repeatedly, without its text.
@usableFromInline
struct OperationKey: Hashable {
    @usableFromInline let type: ObjectIdentifier
    @usableFromInline let operation: Int
    @usableFromInline let detail: UInt64

    @usableFromInline
    init(_ type: Any.Type, _ operation: Int, _ detail: UInt64 = 0) {
        self.type = ObjectIdentifier(type)
        self.operation = operation
        self.detail = detail
    }
}

struct StatementCache {
    private static let capacity = 256

    private var bySQL: [Text: Statement] = [:]
    /// By ``TransactionStatement``.
    private var ofTransactions: [Statement?] = Array(repeating: nil, count: TransactionStatement.allCases.count)
    private var byOperation: [OperationKey: Statement] = [:]
    /// The operations that were used last, so that a loop finds its statements without hashing.
    private var latest: [(key: OperationKey, statement: Statement)] = []
    private var nextIndex = 0
    private static let latestCount = 4
    /// The queries that were used last, so that a loop finds its statement without making its text.
    private var latestQueries: [RecentQuery] = []
    private var nextQuery = 0
    private var clock: UInt64 = 0
    private var texts: [OperationKey: String] = [:]
    /// What the layers above have determined for the statements, and determine again when these are prepared again.
    var attachments = Attachments()

    /// The statement for a text, marked as in use; a cached statement that is in use is not returned.
    mutating func statement(for sql: String, prepare: (String) throws -> Statement) throws -> Statement {
        clock += 1
        let text = Text(sql)
        if let cached = bySQL[text] { return try checkOut(cached) { try prepare(sql) } }
        let statement = try prepare(sql)
        statement.lastUse = clock
        statement.isInUse = true
        if bySQL.count >= Self.capacity { dropOldest() }
        bySQL[text] = statement
        return statement
    }

    /// One of the statements that transactions run again and again, marked as in use.
    mutating func statement(
        _ kind: TransactionStatement, prepare: (String) throws -> Statement
    ) throws -> Statement {
        let index = kind.rawValue
        if let statement = ofTransactions[index] { return try checkOut(statement) { try prepare(kind.sql) } }
        let statement = try prepare(kind.sql)
        statement.isInUse = true
        ofTransactions[index] = statement
        return statement
    }

    /// The statement of a recently used operation, marked as in use; nil if it is not among them or already in use.
    func latest(for key: OperationKey) -> Statement? {
        for entry in latest where entry.key == key {
            guard !entry.statement.isInUse else { return nil }
            entry.statement.isInUse = true
            return entry.statement
        }
        return nil
    }

    /// The statement of a recently used query, marked as in use; nil if it is not among them or already in use.
    mutating func latest(for key: OperationKey, _ condition: String, _ rest: String) -> Statement? {
        // By index: an element would be copied.
        let (condition, rest) = (Text(condition), Text(rest))
        let index = latestQueries.indices.first { index in
            latestQueries[index].key == key && latestQueries[index].condition == condition
                && latestQueries[index].rest == rest
        }
        guard let statement = index.map({ latestQueries[$0].statement }), !statement.isInUse else { return nil }
        clock += 1
        statement.lastUse = clock
        statement.isInUse = true
        return statement
    }

    /// Remembers a query's statement; not one for a single use, while another one is in use.
    mutating func record(_ key: OperationKey, _ condition: String, _ rest: String, _ statement: Statement) {
        let query = RecentQuery(key: key, condition: Text(condition), rest: Text(rest), statement: statement)
        guard !latestQueries.contains(where: { $0.isSame(as: query) }) else { return }
        if latestQueries.count < Self.latestCount {
            latestQueries.append(query)
        } else {
            latestQueries[nextQuery] = query
            nextQuery = (nextQuery + 1) % Self.latestCount
        }
    }

    /// The statement for a table's operation, marked as in use; nil if there is none, or it is in use.
    mutating func free(for key: OperationKey) -> Statement? {
        guard let cached = byOperation[key], !cached.isInUse else { return nil }
        record(key, cached)
        cached.lastUse = clock
        cached.isInUse = true
        return cached
    }

    /// Marks a new statement of an operation as in use, and keeps it unless there is one.
    mutating func insert(_ statement: Statement, for key: OperationKey) {
        statement.isInUse = true
        guard byOperation[key] == nil else { return }
        if byOperation.count >= Self.capacity {
            // JSON chooses which columns are written; a statement in use is retained by its user.
            byOperation.removeAll()
            latest.removeAll()
            nextIndex = 0
        }
        byOperation[key] = statement
        record(key, statement)
    }

    /// SQL text that is built once and cached.
    mutating func text(for key: OperationKey, make: () -> String) -> String {
        if let text = texts[key] { return text }
        let text = make()
        texts[key] = text
        return text
    }

    private mutating func record(_ key: OperationKey, _ statement: Statement) {
        guard !latest.contains(where: { $0.key == key }) else { return }
        if latest.count < Self.latestCount {
            latest.append((key, statement))
        } else {
            latest[nextIndex] = (key, statement)
            nextIndex = (nextIndex + 1) % Self.latestCount
        }
    }

    private func checkOut(_ cached: Statement, prepare: () throws -> Statement) throws -> Statement {
        guard cached.isInUse else {
            cached.lastUse = clock
            cached.isInUse = true
            return cached
        }
        let another = try prepare()
        another.isInUse = true
        return another
    }

    private mutating func dropOldest() {
        let newest = bySQL.sorted { $0.value.lastUse > $1.value.lastUse }.prefix(Self.capacity / 2)
        bySQL = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }

    mutating func removeAll() { self = StatementCache() }
}

extension StatementCache {
    /// A query of a table and its statement.
    private struct RecentQuery {
        let key: OperationKey
        let condition: Text
        let rest: Text
        let statement: Statement

        func isSame(as other: RecentQuery) -> Bool {
            key == other.key && condition == other.condition && rest == other.rest
        }
    }

    /// A statement's text, compared byte by byte: Swift treats texts as equal that differ only in Unicode composition,
    /// the engine does not.
    private struct Text: Hashable {
        private var text: String

        init(_ text: String) {
            self.text = text
            self.text.makeContiguousUTF8()
        }

        static func == (left: Text, right: Text) -> Bool {
            let count = left.text.utf8.count
            guard count == right.text.utf8.count else { return false }
            return left.withBytes { left in
                right.withBytes { right in
                    guard let left = left.baseAddress, let right = right.baseAddress else { return count == 0 }
                    return memcmp(left, right, count) == 0
                }
            }
        }

        func hash(into hasher: inout Hasher) {
            withBytes { hasher.combine(bytes: $0) }
        }

        private func withBytes<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T {
            text.utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
                ?? Array(text.utf8).withUnsafeBytes(body)
        }
    }
}

/// Logs each statement of one connection: its text without values, its duration and its row counts.
///
/// See "SQL Trace Hook" (sqlite.org/c3ref/trace_v2.html).
final class StatementLog: StatementObserver {
    struct Settings: Sendable {
        let logger: Logger
        /// The duration from which statements are logged as slow; nil to disable.
        let slow: Duration?

        /// Nil if nothing would be logged: statements then have no overhead.
        init?(_ logger: Logger?, slow: Duration?) {
            guard let logger, slow != nil || logger.logLevel <= .debug else { return nil }
            self.logger = logger
            self.slow = slow
        }

        var countsRows: Bool { logger.logLevel <= .debug }
    }

    private struct Start {
        let time = ContinuousClock.now
        let changes: Int32
        var rows = 0
    }

    private let settings: Settings
    /// Logged with each statement.
    var role: Connection.Role
    private let connection: OpaquePointer
    private let authorizer: Authorizer
    private var running: [OpaquePointer: Start] = [:]

    init(_ settings: Settings, _ role: Connection.Role, of connection: Connection) {
        self.settings = settings
        self.role = role
        self.connection = connection.pointer
        authorizer = connection.authorizer
    }

    /// Installs the trace hook; the caller retains the log as long as the connection is open.
    func install() {
        let rows = settings.countsRows ? SQLITE_TRACE_ROW : 0
        sqlite3_trace_v2(
            connection,
            UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | rows),
            { event, context, statement, _ in
                guard let context, let statement else { return 0 }
                let log = Unmanaged<StatementLog>.fromOpaque(context).takeUnretainedValue()
                log.record(Int32(bitPattern: event), OpaquePointer(statement))
                return 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    private func record(_ event: Int32, _ statement: OpaquePointer) {
        switch event {
        case SQLITE_TRACE_STMT:
            // Statements of a trigger are part of the statement that fired it.
            if running[statement] == nil { running[statement] = Start(changes: sqlite3_total_changes(connection)) }
        case SQLITE_TRACE_ROW:
            running[statement]?.rows += 1
        case SQLITE_TRACE_PROFILE:
            if let start = running.removeValue(forKey: statement) { report(statement, start) }
        default:
            break
        }
    }

    private func report(_ statement: OpaquePointer, _ start: Start) {
        let time = ContinuousClock.now - start.time
        let isSlow = settings.slow.map { time >= $0 } ?? false
        let level: Logger.Level = isSlow ? .warning : authorizer.isTrusting ? .trace : .debug
        guard settings.logger.logLevel <= level, let text = sqlite3_sql(statement) else { return }
        // The engine's counter wraps around.
        let changed = Int(sqlite3_total_changes(connection) &- start.changes)
        let rows = sqlite3_stmt_readonly(statement) != 0 ? start.rows : changed
        var metadata: Logger.Metadata = [
            "connection": .string(role.rawValue),
            "milliseconds": .stringConvertible(time.fineMilliseconds),
            "sql": .string([SQLToken](sql: String(cString: text)).withoutValues),
        ]
        if settings.countsRows { metadata["rows"] = .stringConvertible(rows) }
        settings.logger.log(level: level, isSlow ? "slow statement" : "statement", metadata: metadata)
    }
}

extension [SQLToken] {
    /// The statement without comments, and without text, blob and number literals.
    var withoutValues: String {
        var text = ""
        for (index, token) in enumerated() {
            switch token.kind {
            case .literal: text += "?"
            // The number of a parameter is not a value.
            case .number: text += index > 0 && self[index - 1].isSign("?") ? token.text : "?"
            case .space: if !text.isEmpty, text.last != " " { text += " " }
            case .word, .quoted, .sign: text += token.text
            }
        }
        return text.last == " " ? String(text.dropLast()) : text
    }
}
