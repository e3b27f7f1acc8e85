import CSQLCipher
import Logging

/// Logs each statement of one connection: its text without values, its duration and its row counts.
///
/// See "SQL Trace Hook" (sqlite.org/c3ref/trace_v2.html).
final class StatementLog: StatementObserver {
    /// What is logged, and the logger.
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
            "connection": .stringConvertible(role),
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
