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
