import CSQLCipher

/// A function in Swift that SQL calls for each row.
///
/// ```swift
/// let slug = SQLFunction("slug", deterministic: true) { (title: String) in
///     title.lowercased().replacing(" ", with: "-")
/// }
/// ```
///
/// The configuration lists it in ``Configuration/functions(for:)``; every connection of its stores then has it. It is
/// called by its name in SQL, and with columns in queries:
///
/// ```swift
/// let found = try Note.where { slug($0.title) == "first-note" }.fetch(in: db)
/// ```
///
/// - Arguments and results are ``ColumnValue``s. A stored value that does not match the argument's type ends the
///   statement with `typeMismatch`.
/// - If an argument that is not optional is NULL, the result is NULL and the function is not called, as for most
///   functions of the engine. An optional argument is nil.
/// - An error that the function throws ends the statement, and is thrown by the call that ran the statement.
/// - The function runs on the thread of the statement, possibly on several threads at once. It must not use the store
///   whose statement calls it: the blocking forms throw `nestedAccess`.
/// - Triggers and views may call any function; indexes, checks and generated columns only those that are declared
///   deterministic. See SQLite's documentation, "Application-Defined SQL Functions" (sqlite.org/appfunc.html) and
///   "Deterministic SQL Functions" (sqlite.org/deterministic.html).
public struct SQLFunction<Result: ColumnValue, each Argument: ColumnValue>: DatabaseFunction {
    /// The function without its Swift types.
    public let _definition: _FunctionDefinition

    /// Declares a function.
    ///
    /// - Parameters:
    ///   - name: The name in SQL: letters, digits and `_`, at most 255 bytes, not that of a function of the engine.
    ///   - deterministic: Whether equal arguments always give the same result. The result of one that says so is stored
    ///     in indexes and computed once for several rows: the answer of a clock or of a changing dictionary does not
    ///     qualify.
    ///   - body: The function; at most 100 arguments.
    @inlinable
    public init(
        _ name: String, deterministic: Bool = false,
        _ body: @escaping @Sendable (repeat each Argument) throws -> Result
    ) {
        var count = 0
        var required: [Int] = []
        for type in repeat (each Argument).self {
            if !type._isNullable { required.append(count) }
            count += 1
        }
        let required_ = required
        _definition = _FunctionDefinition(name, count: count, isDeterministic: deterministic) { arguments in
            guard !arguments.hasNull(among: required_) else { return arguments.setNull() }
            var index = 0
            let result = try body(repeat try arguments.next((each Argument).self, at: &index))
            try arguments.setResult(result)
        }
    }
}

/// A function in Swift that aggregates the rows of a group, or of a whole query.
///
/// ```swift
/// let median = SQLAggregate("median", into: [Double]()) { (prices: inout [Double], price: Double) in
///     prices.append(price)
/// } result: { prices -> Double? in
///     prices.isEmpty ? nil : prices.sorted()[prices.count / 2]
/// }
/// ```
///
/// The configuration lists it in ``Configuration/functions(for:)``. In queries it is called with columns:
///
/// ```swift
/// let medians = try Product.group { $0.kind }.select { ($0.kind, median($0.price)) }.fetch(in: db)
/// ```
///
/// A row with NULL for an argument that is not optional is left out, as with the engine's `sum`. The result of a group
/// without rows is that of the initial state. Errors, threads and calls of the store are as for ``SQLFunction``. An
/// aggregate is no window function.
public struct SQLAggregate<Result: ColumnValue, each Argument: ColumnValue>: DatabaseFunction {
    /// The function without its Swift types.
    public let _definition: _FunctionDefinition

    /// Declares an aggregate.
    ///
    /// - Parameters:
    ///   - name: The name in SQL: letters, digits and `_`, at most 255 bytes, not that of a function of the engine.
    ///   - initial: The state before the first row of a group; evaluated for each group.
    ///   - step: Adds a row to the state.
    ///   - result: The result of a group.
    @inlinable
    public init<State>(
        _ name: String, into initial: @autoclosure @escaping @Sendable () -> State,
        _ step: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
        result: @escaping @Sendable (State) throws -> Result
    ) {
        var count = 0
        var required: [Int] = []
        for type in repeat (each Argument).self {
            if !type._isNullable { required.append(count) }
            count += 1
        }
        let required_ = required
        _definition = _FunctionDefinition(name, count: count) {
            Accumulator(
                initial(),
                step: { state, arguments in
                    guard !arguments.hasNull(among: required_) else { return }
                    var index = 0
                    try step(&state, repeat try arguments.next((each Argument).self, at: &index))
                },
                finish: { state, arguments in try arguments.setResult(result(state)) })
        }
    }
}

/// The state of one group.
@usableFromInline
final class Accumulator<State>: Aggregation {
    @usableFromInline var state: State
    @usableFromInline let add: (inout State, FunctionArguments) throws -> Void
    @usableFromInline let end: (State, FunctionArguments) throws -> Void

    @inlinable
    init(
        _ state: State, step: @escaping (inout State, FunctionArguments) throws -> Void,
        finish: @escaping (State, FunctionArguments) throws -> Void
    ) {
        self.state = state
        add = step
        end = finish
    }

    @inlinable
    func step(_ arguments: FunctionArguments) throws { try add(&state, arguments) }

    @inlinable
    func finish(_ arguments: FunctionArguments) throws { try end(state, arguments) }
}

/// The arguments of one call of a function, and its result; valid during the call.
@usableFromInline
struct FunctionArguments {
    @usableFromInline typealias Values = UnsafeMutablePointer<OpaquePointer?>

    @usableFromInline let values: Values?
    @usableFromInline let count: Int
    private let context: OpaquePointer

    init(_ context: OpaquePointer, _ values: Values?, _ count: Int32) {
        self.context = context
        self.values = values
        self.count = Int(count)
    }

    /// Whether one of some arguments is NULL.
    @usableFromInline
    func hasNull(among indices: [Int]) -> Bool {
        guard let values else { return false }
        for index in indices where sqlite3_value_type(values[index]) == SQLITE_NULL { return true }
        return false
    }

    /// The next argument.
    @inlinable
    func next<V: ColumnValue>(_ type: V.Type, at index: inout Int) throws -> V {
        defer { index += 1 }
        return try V(from: Row(self), at: index)
    }

    /// Sets the result.
    @inlinable
    func setResult<V: ColumnValue>(_ value: V) throws {
        try value.bind(to: Bindings(self), at: 0)
    }

    @usableFromInline
    func setNull() { sqlite3_result_null(context) }

    /// Sets the result; the engine copies it.
    func setResult(_ value: Value) throws {
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: sqlite3_result_null(context)
        case .integer(let number): sqlite3_result_int64(context, number)
        case .real(let number): sqlite3_result_double(context, number)
        case .text(let text):
            let count = text.utf8.count
            text.withCString { sqlite3_result_text64(context, $0, UInt64(count), copied, UInt8(SQLITE_UTF8)) }
        case .blob(let bytes):
            // A null pointer would be NULL.
            guard !bytes.isEmpty else { return sqlite3_result_zeroblob(context, 0) }
            bytes.withUnsafeBytes { sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), copied) }
        }
    }
}
