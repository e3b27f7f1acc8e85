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
