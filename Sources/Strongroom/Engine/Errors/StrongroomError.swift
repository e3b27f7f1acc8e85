/// What went wrong, and what to do next.
///
/// Every throwing function of the library throws this type, `CancellationError`, or what your own closure threw.
/// The description never holds a key or a value that was bound to a statement.
///
/// ```swift
/// do {
///     let store = try await stores.open("addressbook.sqlite")
/// } catch let error as StrongroomError where error.code == .wrongKey {
///     print(error.message)
/// }
/// ```
public struct StrongroomError: Error, Sendable {
    /// What kind of failure it is; compare it with the constants of ``Code-swift.struct``.
    public let code: Code

    /// What happened and what to do next, in one or two sentences.
    public let message: String

    /// The name or path of the database, where one is involved.
    public var database: String?

    /// The SQL that failed, with placeholders in place of values.
    public var sql: String?

    /// The engine's own result code, where the engine reported the failure.
    public var resultCode: ResultCode?

    /// Where a value lies that does not fit, for the code `typeMismatch`.
    public internal(set) var mismatch: TypeMismatch?

    /// Which constraint refused the change, for the code `constraint`, as far as the engine tells.
    public internal(set) var constraint: ConstraintFailure?

    /// What your own code threw, for the codes `migrationFailed` and `damaged`. It stands in no message, since it may
    /// hold a value.
    public internal(set) var underlying: (any Error)?

    /// What is known of the file, for a failure of opening: of a type that only those above know.
    var finding: (any Sendable)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What kind of failure it is.
    ///   - message: What happened and what to do next; no key, no stored value.
    ///   - database: The name or path of the database.
    ///   - sql: The SQL that failed, with placeholders in place of values.
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
    /// Whether two errors tell the same; what lies under them does not count.
    public static func == (left: StrongroomError, right: StrongroomError) -> Bool {
        left.code == right.code && left.message == right.message && left.database == right.database
            && left.sql == right.sql && left.resultCode == right.resultCode && left.mismatch == right.mismatch
            && left.constraint == right.constraint
    }
}

extension StrongroomError: CustomStringConvertible {
    /// The code, the message, and where known the database, the SQL and the engine's code; no key, no bound value.
    public var description: String {
        var text = "\(code): \(message)"
        if let database { text += " [database: \(database)]" }
        if let sql { text += " [SQL: \(sql)]" }
        if let resultCode { text += " [engine: \(resultCode)]" }
        return text
    }
}

extension StrongroomError {
    /// This error with the database's name added where none is known yet.
    func naming(_ database: String) -> StrongroomError {
        var copy = self
        copy.database = copy.database ?? database
        return copy
    }
}
