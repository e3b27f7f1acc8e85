import CSQLCipher

/// A function registered on a connection; the engine keeps it until the connection is closed.
final class RegisteredFunction {
    typealias Body = (FunctionArguments, FunctionCalls) throws -> Void

    private let name: String
    private let calls: FunctionCalls
    private let body: Body

    private init(_ name: String, _ calls: FunctionCalls, _ body: @escaping Body) {
        self.name = name
        self.calls = calls
        self.body = body
    }

    /// The flag of functions that a schema may call although `trusted_schema` is off: SQLITE_INNOCUOUS, which older
    /// engines than 3.31 do not have.
    static let trusted: Int32 = sqlite3_libversion_number() >= 3_031_000 ? 0x20_0000 : 0

    /// Registers a function. See SQLite's documentation, "Create Or Redefine SQL Functions"
    /// (sqlite.org/c3ref/create_function.html).
    static func install(
        _ name: String, count: Int, isDeterministic: Bool = true, _ calls: FunctionCalls,
        on connection: OpaquePointer, _ body: @escaping Body
    ) -> Int32 {
        // Also released by the engine if it refuses the function.
        let function = Unmanaged.passRetained(RegisteredFunction(name, calls, body)).toOpaque()
        return sqlite3_create_function_v2(
            connection, name, Int32(clamping: count),
            SQLITE_UTF8 | trusted | (isDeterministic ? SQLITE_DETERMINISTIC : 0), function,
            { context, count, values in
                guard let context, let function = sqlite3_user_data(context) else { return }
                Unmanaged<RegisteredFunction>.fromOpaque(function)._withUnsafeGuaranteedRef {
                    $0.run(FunctionArguments(context, values, count))
                }
            }, nil, nil,
            { function in
                if let function { Unmanaged<RegisteredFunction>.fromOpaque(function).release() }
            })
    }

    @inline(__always)
    private func run(_ arguments: FunctionArguments) {
        calls.run(arguments.context) {
            do {
                try body(arguments, calls)
            } catch let error as StrongroomError {
                throw error.located(inFunction: name)
            }
        }
    }
}

/// The state that the Swift functions of one connection share.
final class FunctionCalls {  // guarded by the slot, as the connection is
    private let cancellation: CancellationFlag
    private let authorizer: Authorizer
    /// The error of the function that has ended the running statement.
    @exclusivity(unchecked) private var failure: (any Error)?
    var tokenizers: [TextTokenizer] = []

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
    /// roll back the transaction, which other work may share.
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
        failure = error
        sqlite3_result_error(context, Self.message, -1)
    }

    /// The engine's message for a statement that a function has ended.
    static let message = "a function in Swift has failed"

    /// Returns and clears the error of the function that has ended the statement.
    func removeFailure() -> (any Error)? { failure.take() }
}

extension StrongroomError {
    /// Adds the database and the statement, unless the error has them.
    func naming(_ database: String, sql: String) -> StrongroomError {
        var error = naming(database)
        error.sql = error.sql ?? sql
        return error
    }
}

/// A function in Swift that SQL calls by its name: a ``SQLFunction``.
///
/// A configuration lists the functions of its databases in ``Configuration/functions(for:)``.
public protocol DatabaseFunction: Sendable {
    /// The function without its Swift types.
    var _definition: _FunctionDefinition { get }
}

/// A function in Swift, without its Swift types.
public struct _FunctionDefinition: Sendable {
    /// The name in SQL; the case of A to Z is ignored.
    let name: String
    let argumentCount: Int
    /// Whether equal arguments always give the same result, so that indexes and checks may call the function.
    let isDeterministic: Bool

    let body: @Sendable (FunctionArguments) throws -> Void

    @usableFromInline
    init(
        _ name: String, count: Int, isDeterministic: Bool,
        _ body: @escaping @Sendable (FunctionArguments) throws -> Void
    ) {
        self.name = name
        argumentCount = count
        self.isDeterministic = isDeterministic
        self.body = body
    }
}
