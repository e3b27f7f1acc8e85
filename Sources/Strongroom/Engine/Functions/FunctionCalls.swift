import CSQLCipher
import Foundation

/// The state that the Swift functions of one connection share.
final class FunctionCalls {  // guarded by the slot, as the connection is
    private let cancellation: CancellationFlag
    private let authorizer: Authorizer
    /// The error of the function that has ended the running statement.
    @exclusivity(unchecked) private var failure: (any Error)?
    /// The functions and collations that the connection was given.
    var declared = ConnectionFunctions()

    init(_ cancellation: CancellationFlag, _ authorizer: Authorizer) {
        self.cancellation = cancellation
        self.authorizer = authorizer
    }

    /// Whether the work whose statement calls a function has been cancelled, or its time is over. The library's own
    /// statements run to their end.
    @inline(__always)
    var isCancelled: Bool { cancellation.isSet && !authorizer.isTrusting }

    /// Runs a function. An error becomes that of the statement: it must not pass through the engine's frames.
    ///
    /// The statement of cancelled work ends here with an error of the function: after an interrupt, the engine would
    /// roll back the whole transaction, which other work may share.
    @inline(__always)
    func run(_ context: OpaquePointer, _ body: () throws -> Void) {
        do {
            if isCancelled { throw CancellationError() }
            try body()
        } catch {
            fail(context, error)
        }
    }

    func fail(_ context: OpaquePointer, _ error: any Error) {
        if failure == nil { failure = error }
        sqlite3_result_error(context, Self.message, -1)
    }

    /// The engine's message for a statement that a function has ended.
    static let message = "a function in Swift has failed"

    /// Clears an error that has not ended a statement.
    @inline(__always)
    func dropFailure() {
        if failure != nil { failure = nil }
    }

    /// Returns and clears the error of the function that has ended the statement.
    func removeFailure() -> (any Error)? {
        guard failure != nil else { return nil }
        return failure.take()
    }
}

extension StrongroomError {
    /// Adds the function to the error for an argument of another type.
    func located(inFunction name: String) -> StrongroomError {
        guard var mismatch, mismatch.table == nil, mismatch.function == nil else { return self }
        mismatch.function = name
        var error = StrongroomError.typeMismatch(mismatch, sql: sql)
        error.database = database
        return error
    }

    /// Adds the database and the statement, unless the error has them.
    func naming(_ database: String, sql: String) -> StrongroomError {
        var error = naming(database)
        error.sql = error.sql ?? sql
        return error
    }
}
