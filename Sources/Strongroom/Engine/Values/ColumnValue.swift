/// A Swift type that a column can hold.
///
/// `Bool`, all integers, `Float`, `Double`, `String`, `[UInt8]`, ``Value``, optionals of these, and enums whose raw
/// value is one of these conform. An enum of your own needs no more than the conformance:
///
/// ```swift
/// enum Priority: Int, ColumnValue { case low, high }
/// ```
public protocol ColumnValue: Sendable {
    /// The type without its optional: `Int` for `Int?`, itself for any other.
    associatedtype Unwrapped: ColumnValue = Self

    /// The storage class that a column of this type is declared with.
    static var storageClass: StorageClass { get }

    /// The type that a column of this type is declared with; by default the name of its storage class.
    static var declaredType: String { get }

    /// Whether a column of this type may hold NULL.
    static var isNullable: Bool { get }

    /// Reads the value of one column.
    ///
    /// - Parameters:
    ///   - row: The row that the engine stands on.
    ///   - index: The column, counted from 0.
    /// - Throws: ``StrongroomError`` with ``StrongroomError/Code-swift.struct/typeMismatch`` when what is stored does
    ///   not fit.
    init(from row: borrowing Row, at index: Int) throws

    /// The value as the engine keeps it.
    ///
    /// - Throws: ``StrongroomError`` with ``StrongroomError/Code-swift.struct/valueNotStorable`` when the engine has no
    ///   such value.
    func stored() throws -> Value

    /// Binds the value to a parameter of a statement.
    ///
    /// - Parameters:
    ///   - bindings: The statement's parameters.
    ///   - index: The parameter, counted from 0.
    /// - Throws: ``StrongroomError`` with ``StrongroomError/Code-swift.struct/valueNotStorable`` when the engine has no
    ///   such value.
    func bind(to bindings: borrowing Bindings, at index: Int) throws
}

extension ColumnValue {
    /// The name of the storage class.
    public static var declaredType: String { storageClass.rawValue }

    /// False: only optionals may be NULL.
    @inlinable public static var isNullable: Bool { false }

    /// Binds what ``stored()`` gives.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(stored(), at: index)
    }
}
