/// An error of the library: what failed, and what to do next.
///
/// Every throwing function of the library throws this type, `CancellationError`, or an error that the caller's closure
/// threw. The description never contains a key or a value that was bound to a statement.
///
/// ```swift
/// do {
///     let store = try await stores.open("addressbook.sqlite")
/// } catch let error as StrongroomError where error.code == .wrongKey {
///     print(error.message)
/// }
/// ```
public struct StrongroomError: Error, Sendable {
    /// The kind of failure; compare it with the constants of ``Code-swift.struct``.
    public let code: Code

    /// What happened and what to do next, in one or two sentences.
    public let message: String

    /// The name or path of the database, where one is involved.
    public var database: String?

    /// The SQL that failed, with placeholders instead of values.
    public var sql: String?

    /// The engine's result code, if the engine reported the failure.
    public var resultCode: ResultCode?

    /// The stored value that does not match, for the code `typeMismatch`.
    public internal(set) var mismatch: TypeMismatch?

    /// The constraint that the change violates, for the code `constraint`, as far as the engine reports it.
    public internal(set) var constraint: ConstraintFailure?

    /// The error that led to this one, as for the codes `migrationFailed`, `damaged` and `replicaDamaged`. No message
    /// contains it, since it may contain a value.
    public internal(set) var underlying: (any Error)?

    /// The function or collation that is missing, for the codes `missingFunction` and `missingCollation`.
    var missing: MissingName?

    /// The result of a diagnosis, for a failure to open a file; its type is declared in an upper layer.
    var finding: (any Sendable)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: What happened and what to do next; no key, no stored value.
    ///   - database: The name or path of the database.
    ///   - sql: The SQL that failed, with placeholders instead of values.
    ///   - resultCode: The engine's own result code.
    public init(
        _ code: Code,
        _ message: String,
        database: String? = nil,
        sql: String? = nil,
        resultCode: ResultCode? = nil
    ) {
        self.code = code
        self.message = message
        self.database = database
        self.sql = sql
        self.resultCode = resultCode
    }
}

extension StrongroomError: Equatable {
    /// Whether two errors have the same content; the underlying errors are not compared.
    public static func == (left: StrongroomError, right: StrongroomError) -> Bool {
        left.code == right.code && left.message == right.message && left.database == right.database
            && left.sql == right.sql && left.resultCode == right.resultCode && left.mismatch == right.mismatch
            && left.constraint == right.constraint
    }
}

extension StrongroomError: CustomStringConvertible {
    /// The code, the message, and if known the database, the SQL and the engine's result code; no key, no bound value.
    public var description: String {
        var text = "\(code): \(message)"
        if let database { text += " [database: \(database)]" }
        if let sql { text += " [SQL: \(sql)]" }
        if let resultCode { text += " [engine: \(resultCode)]" }
        return text
    }
}

extension StrongroomError {
    /// This error with the database's name, unless it already has one.
    func naming(_ database: String) -> StrongroomError {
        var copy = self
        copy.database = copy.database ?? database
        return copy
    }

    func with(message: String) -> StrongroomError {
        var other = StrongroomError(code, message, database: database, sql: sql, resultCode: resultCode)
        (other.mismatch, other.constraint, other.underlying) = (mismatch, constraint, underlying)
        (other.missing, other.finding) = (missing, finding)
        return other
    }
}

extension StrongroomError {
    /// What a failure is about, and so who can do something about it.
    ///
    /// There are ten families, and no later version adds one, so that a `switch` needs no default:
    ///
    /// ```swift
    /// switch error.family {
    /// case .contention: retryLater()
    /// case .keys: askForTheKey()
    /// case .damage: restoreFromBackup()
    /// case .system, .replication: callTheOperator(error.message)
    /// case .data: reject(error.message)
    /// case .file, .query, .usage, .schema: report(error)
    /// }
    /// ```
    public enum Family: String, Sendable, CaseIterable {
        /// The keys, or the envelope with them, do not fit: give others.
        case keys
        /// The file's content is damaged: restore a backup, recover or salvage.
        case damage
        /// The file at the path is none that the library can use: correct the path, or move the file.
        case file
        /// The machine does not allow it or is out of something: permissions, space, memory, the engine.
        case system
        /// Somebody else was at it, or it took too long: try again.
        case contention
        /// A record, a row or a request does not fit: correct it.
        case data
        /// The engine cannot run the statement or the query: correct it, or link another engine.
        case query
        /// The program uses the library in a way that it does not allow, or is configured wrongly: correct the program.
        case usage
        /// The file's schema, the declared tables and the migrator do not fit together: migrate, or correct them.
        case schema
        /// The replica or its object store.
        case replication
    }

    /// The family of ``code``.
    public var family: Family { code.family }

    /// Whether the same call may succeed later; see ``Code-swift.struct/canRetry``.
    public var canRetry: Bool { code.canRetry }
}
