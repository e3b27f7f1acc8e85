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
    ///   - deterministic: Whether equal arguments always give the same result. That of a deterministic one is stored
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
