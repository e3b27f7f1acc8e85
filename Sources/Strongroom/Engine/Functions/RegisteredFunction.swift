import CSQLCipher

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
