import CSQLCipher
import Foundation

/// A function registered on a connection; the engine keeps it until the connection is closed.
final class RegisteredFunction {
    private let definition: _FunctionDefinition
    private let calls: FunctionCalls

    private init(_ definition: _FunctionDefinition, _ calls: FunctionCalls) {
        self.definition = definition
        self.calls = calls
    }

    /// The flag of functions that a schema may call although `trusted_schema` is off: SQLITE_INNOCUOUS, which older
    /// engines than 3.31 do not have.
    static let trusted: Int32 = sqlite3_libversion_number() >= 3_031_000 ? 0x20_0000 : 0

    /// Registers a function. See SQLite's documentation, "Create Or Redefine SQL Functions"
    /// (sqlite.org/c3ref/create_function.html).
    ///
    /// - Returns: The engine's result code.
    static func install(
        _ definition: _FunctionDefinition, _ calls: FunctionCalls, on connection: OpaquePointer
    ) -> Int32 {
        var flags = SQLITE_UTF8 | trusted
        if definition.isDeterministic { flags |= SQLITE_DETERMINISTIC }
        // Also released by the engine if it refuses the function.
        let function = Unmanaged.passRetained(RegisteredFunction(definition, calls)).toOpaque()
        let count = Int32(clamping: definition.argumentCount)
        let isAggregate = definition.isAggregate
        return sqlite3_create_function_v2(
            connection, definition.name, count, flags, function, isAggregate ? nil : call,
            isAggregate ? step : nil, isAggregate ? finish : nil, release)
    }

    private typealias Call = @convention(c) (OpaquePointer?, Int32, FunctionArguments.Values?) -> Void

    private static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { function in
        if let function { Unmanaged<RegisteredFunction>.fromOpaque(function).release() }
    }

    private static let call: Call = { context, count, values in
        guard let context, let function = sqlite3_user_data(context) else { return }
        Unmanaged<RegisteredFunction>.fromOpaque(function)._withUnsafeGuaranteedRef { function in
            guard case .scalar(let body) = function.definition.body else { return }
            function.run(context) { try body(FunctionArguments(context, values, count)) }
        }
    }

    private static let step: Call = { context, count, values in
        guard let context, let function = sqlite3_user_data(context) else { return }
        Unmanaged<RegisteredFunction>.fromOpaque(function)._withUnsafeGuaranteedRef { function in
            guard let group = function.group(context) else { return sqlite3_result_error_nomem(context) }
            function.run(context) { try group.step(FunctionArguments(context, values, count)) }
        }
    }

    /// Also called for a group whose statement has failed or is reset, so that its state is released.
    private static let finish: @convention(c) (OpaquePointer?) -> Void = { context in
        guard let context, let function = sqlite3_user_data(context) else { return }
        Unmanaged<RegisteredFunction>.fromOpaque(function)._withUnsafeGuaranteedRef { function in
            guard let group = function.removeGroup(context) else { return }
            function.run(context) { try group.finish(FunctionArguments(context, nil, 0)) }
        }
    }

    @inline(__always)
    private func run(_ context: OpaquePointer, _ body: () throws -> Void) {
        calls.run(context) {
            do {
                try body()
            } catch let error as StrongroomError {
                throw error.located(inFunction: definition.name)
            }
        }
    }

    // MARK: Groups

    private final class Group {
        let aggregation: any Aggregation

        init(_ aggregation: any Aggregation) { self.aggregation = aggregation }
    }

    /// The state of the current group, made by its first row. See SQLite's documentation, "Obtain Aggregate Function
    /// Context" (sqlite.org/c3ref/aggregate_context.html).
    ///
    /// - Returns: The state, or nil if memory ran out.
    private func group(_ context: OpaquePointer) -> (any Aggregation)? {
        guard case .aggregate(let make) = definition.body,
            let slot = sqlite3_aggregate_context(context, Int32(MemoryLayout<UnsafeRawPointer?>.size))
        else { return nil }
        let pointer = slot.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        if let made = pointer.pointee { return Unmanaged<Group>.fromOpaque(made).takeUnretainedValue().aggregation }
        let group = Group(make())
        pointer.pointee = Unmanaged.passRetained(group).toOpaque()
        return group.aggregation
    }

    /// The state of the group that ends; a new one if there were no rows.
    private func removeGroup(_ context: OpaquePointer) -> (any Aggregation)? {
        guard case .aggregate(let make) = definition.body else { return nil }
        // With a length of 0 the engine allocates nothing.
        let slot = sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        guard let made = slot?.pointee else { return make() }
        slot?.pointee = nil
        return Unmanaged<Group>.fromOpaque(made).takeRetainedValue().aggregation
    }
}

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

/// A function in Swift that SQL calls by its name: a ``SQLFunction`` or a ``SQLAggregate``.
///
/// A configuration lists the functions of its databases in ``Configuration/functions(for:)``.
public protocol DatabaseFunction: Sendable {
    /// The function without its Swift types.
    var _definition: _FunctionDefinition { get }
}

/// The name and the kind of a function in Swift, without its Swift types.
public struct _FunctionDefinition: Sendable {
    /// The name in SQL; the case of A to Z is ignored.
    let name: String
    /// The number of arguments.
    let argumentCount: Int
    /// Whether equal arguments always give the same result, so that indexes and checks may call the function.
    let isDeterministic: Bool

    /// How the function is run.
    let body: Body

    enum Body: Sendable {
        case scalar(@Sendable (FunctionArguments) throws -> Void)
        case aggregate(@Sendable () -> any Aggregation)
    }

    /// Whether the function aggregates the rows of a group.
    var isAggregate: Bool {
        if case .aggregate = body { true } else { false }
    }

    @usableFromInline
    init(
        _ name: String, count: Int, isDeterministic: Bool,
        _ body: @escaping @Sendable (FunctionArguments) throws -> Void
    ) {
        self.name = name
        argumentCount = count
        self.isDeterministic = isDeterministic
        self.body = .scalar(body)
    }

    @usableFromInline
    init(_ name: String, count: Int, aggregating make: @escaping @Sendable () -> any Aggregation) {
        self.name = name
        argumentCount = count
        isDeterministic = true
        body = .aggregate(make)
    }
}

/// One group of an aggregate.
@usableFromInline
protocol Aggregation: AnyObject {
    /// Adds a row.
    func step(_ arguments: FunctionArguments) throws

    /// Sets the result of the group.
    func finish(_ arguments: FunctionArguments) throws
}
