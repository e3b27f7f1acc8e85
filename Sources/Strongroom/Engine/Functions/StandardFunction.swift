import CSQLCipher

/// A function of the library's own that every connection has. Its result depends on its arguments alone, and a schema
/// may call it.
enum StandardFunction {
    typealias Call = @convention(c) (OpaquePointer?, Int32, FunctionArguments.Values?) -> Void

    /// Registers a function, whose calls have the connection's state.
    ///
    /// - Returns: The engine's result code.
    static func install(
        _ name: String, arguments: Int32 = 2, _ calls: FunctionCalls, on connection: OpaquePointer, _ call: Call
    ) -> Int32 {
        // Also released by the engine if it refuses the function.
        sqlite3_create_function_v2(
            connection, name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | RegisteredFunction.trusted,
            Unmanaged.passRetained(calls).toOpaque(), call, nil, nil,
            { calls in
                if let calls { Unmanaged<FunctionCalls>.fromOpaque(calls).release() }
            })
    }

    /// Runs the body of a call.
    @inline(__always)
    static func run(
        _ context: OpaquePointer?, _ count: Int32, _ values: FunctionArguments.Values?,
        _ body: (OpaquePointer, FunctionArguments.Values, FunctionArguments, FunctionCalls) throws -> Void
    ) {
        guard let context, let values, let calls = sqlite3_user_data(context) else { return }
        Unmanaged<FunctionCalls>.fromOpaque(calls)._withUnsafeGuaranteedRef { calls in
            calls.run(context) {
                try body(context, values, FunctionArguments(context, values, count), calls)
            }
        }
    }
}
