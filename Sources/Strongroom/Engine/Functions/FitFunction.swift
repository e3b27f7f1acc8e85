import CSQLCipher

/// The function `strongroom_fit(value, type)`, through which a calculated value is assigned to a column.
///
/// The engine calculates with 64-bit integers and floating-point numbers, whatever the type of the column: 255 + 1
/// would be stored in a column of `UInt8`, and no query could read the row any more. See "Datatypes In SQLite",
/// section 4 (sqlite.org/datatype3.html).
enum FitFunction {
    static let name = "strongroom_fit"

    private typealias Conversion = @Sendable (Value) throws -> Value

    /// The types that were assigned to, by identity and by the name that stands in the SQL.
    private struct Types {
        var names: [ObjectIdentifier: String] = [:]
        var conversions: [String: Conversion] = [:]
    }

    private static let types = Locked(Types())

    /// The name of a type in SQL, by which the function finds the type.
    static func name<V: ColumnValue>(of type: V.Type) -> String {
        types.withLock { types in
            if let name = types.names[ObjectIdentifier(type)] { return name }
            let name = String(reflecting: type)
            types.names[ObjectIdentifier(type)] = name
            types.conversions[name] = conversion(to: type)
            return name
        }
    }

    /// Registers the function.
    static func install(_ calls: FunctionCalls, on connection: OpaquePointer) -> Int32 {
        StandardFunction.install(name, calls, on: connection) { context, count, values in
            StandardFunction.run(context, count, values) { context, values, arguments, calls in
                try arguments.setResult(FitFunction.result(values[0], arguments))
            }
        }
    }

    private static func result(_ value: OpaquePointer?, _ arguments: FunctionArguments) throws -> Value {
        // As the column would do: text that is a number becomes one.
        _ = sqlite3_value_numeric_type(value)
        let row = Row(arguments)
        let name = try row.text(at: 1)
        guard let conversion = conversion(to: name) else {
            throw StrongroomError(.notAuthorized, "\(Self.name) is called by the library's own statements alone.")
        }
        return try conversion(row.value(at: 0))
    }

    private static func conversion(to name: String) -> Conversion? { types.withLock { $0.conversions[name] } }

    /// - Returns: Converts a value to what a column of the type stores.
    private static func conversion<V: ColumnValue>(to type: V.Type) -> Conversion {
        { value in
            if value == .null { return .null }
            let stored = stored(value, in: type)
            guard (try? V.read(stored)) != nil else { throw tooFar(type) }
            return stored
        }
    }

    private static func stored<V: ColumnValue>(_ value: Value, in type: V.Type) -> Value {
        guard case .real(let number) = value else { return value }
        // Rounded as arithmetic in Swift is; a number out of range would become infinite.
        if type == Float.self, Float(number).isFinite { return .real(Double(Float(number))) }
        // As the column would do, where the number is exact.
        if type.storageClass == .integer, let whole = Int64(exactly: number), abs(number) < exactlyBelow {
            return .integer(whole)
        }
        return value
    }

    /// 2⁵³: from here on, not every integer is a floating-point number.
    private static let exactlyBelow: Double = 9_007_199_254_740_992

    private static func tooFar<V: ColumnValue>(_ type: V.Type) -> StrongroomError {
        StrongroomError(
            .limit,
            """
            The result of a calculation does not fit into the type of its column, \(type), and no row was changed. \
            Leave out such rows by a condition, or give the column a type with a larger range.
            """)
    }
}
