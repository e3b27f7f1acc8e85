/// A property of a record for its parent, the record of another table that it references.
///
/// The property is not stored in a column; the column that is stored has the parent's key:
///
/// ```swift
/// @Table("phone", in: "addressbook.sqlite")
/// struct Phone {
///     var id: Int64?
///     var number: String
///     @Column(references: Reference("contact", onDelete: .cascade)) var contact: Int64?
///     @BelongsTo var owner: Contact? = nil
///
///     static let relations: Relations<Phone>? = Relations().belongsTo(\.$owner, by: \.contact)
/// }
/// ```
///
/// A cascading save saves the parent before the record and sets the record's key property. If the parent is nil, the
/// key property is used unchanged.
@propertyWrapper
public struct BelongsTo<Parent: Table>: Sendable where Parent.RecordType == Parent {
    // An array, so that two types can contain each other.
    private var values: [Parent]

    /// The parent, or nil.
    public var wrappedValue: Parent? {
        get { values.first }
        set { values = newValue.map { [$0] } ?? [] }
    }

    /// The property itself, for ``Relations`` and `load`.
    public var projectedValue: BelongsTo {
        get { self }
        set { self = newValue }
    }

    /// Creates the property.
    ///
    /// - Parameter wrappedValue: The parent.
    public init(wrappedValue: Parent?) {
        values = wrappedValue.map { [$0] } ?? []
    }
}

extension BelongsTo: Equatable where Parent: Equatable {
    /// Whether the parents are equal.
    public static func == (left: BelongsTo, right: BelongsTo) -> Bool { left.wrappedValue == right.wrappedValue }
}

extension BelongsTo: Hashable where Parent: Hashable {
    /// Hashes the parent.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}
