/// A property of a record: the record of another table that it refers to, its parent.
///
/// It is no column; the column is the one with the parent's key:
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
/// A parent that is set is saved before the record by a cascading save, and the record gets its key; nil says nothing,
/// and the key's property counts.
@propertyWrapper
public struct BelongsTo<Parent: Table>: Sendable where Parent.RecordType == Parent {
    // A list, so that two types can have each other.
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

    /// Makes the property of a record.
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
