/// A property of a record for its children, the records of another table that reference it.
///
/// The property is not stored in a column. It is declared in the table's ``Table/relations``:
///
/// ```swift
/// @Table("contact", in: "addressbook.sqlite")
/// struct Contact {
///     var id: Int64?
///     var name: String
///     @HasMany var phones: [Phone] = []
///
///     static let relations: Relations<Contact>? = Relations()
///         .hasMany(\.$phones, by: \.contact, orphans: .delete)
/// }
/// ```
///
/// A record that is read has an empty list until the children are loaded: `try await contacts.load(\.$phones)`. A list
/// that was not loaded says nothing about the rows: saving the record adds the children in the list and removes none.
@propertyWrapper
public struct HasMany<Child: Table>: Sendable where Child.RecordType == Child {
    var related: Related<Child>

    /// The children, in their order.
    public var wrappedValue: [Child] {
        get { related.values }
        set { related.values = newValue }
    }

    /// The property itself, for ``Relations`` and `load`.
    public var projectedValue: HasMany {
        get { self }
        set { self = newValue }
    }

    /// Creates the property of a record; the children are not loaded.
    ///
    /// - Parameter wrappedValue: The children.
    public init(wrappedValue: [Child]) {
        related = Related(values: wrappedValue)
    }

    /// Whether the list contains all children: it was loaded, or saved with a new record.
    public var isLoaded: Bool { related.isComplete }
}

extension HasMany: Equatable where Child: Equatable {}
extension HasMany: Hashable where Child: Hashable {}

/// A property of a record for its only child, the record of another table that references it.
///
/// Like ``HasMany``, with at most one child:
///
/// ```swift
/// @HasOne var photo: Photo? = nil
/// ```
@propertyWrapper
public struct HasOne<Child: Table>: Sendable where Child.RecordType == Child {
    // An array, so that two types can contain each other.
    var related: Related<Child>

    /// The child, or nil.
    public var wrappedValue: Child? {
        get { related.values.first }
        set { related.values = newValue.map { [$0] } ?? [] }
    }

    /// The property itself, for ``Relations`` and `load`.
    public var projectedValue: HasOne {
        get { self }
        set { self = newValue }
    }

    /// Creates the property of a record; the child is not loaded.
    ///
    /// - Parameter wrappedValue: The child.
    public init(wrappedValue: Child?) {
        related = Related(values: wrappedValue.map { [$0] } ?? [])
    }

    /// Whether the child, or its absence, was loaded, or saved with a new record.
    public var isLoaded: Bool { related.isComplete }
}

extension HasOne: Equatable where Child: Equatable {}
extension HasOne: Hashable where Child: Hashable {}

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

extension BelongsTo: Equatable where Parent: Equatable {}
extension BelongsTo: Hashable where Parent: Hashable {}

/// The children of a record, and the known state of their rows.
struct Related<Child: Table>: Sendable where Child.RecordType == Child {
    var values: [Child]
    /// The keys of the rows that were read when the children were loaded, or written when they were saved.
    var known = KeySet<Child>()
    var isComplete = false

    init(values: [Child]) {
        self.values = values
    }

    init(written values: [Child], isComplete: Bool) throws {
        self.values = values
        known = try KeySet(values.compactMap(Child.key(of:)))
        self.isComplete = isComplete
    }
}

// The children alone: what is known of their rows is no part of a record.
extension Related: Equatable where Child: Equatable {
    static func == (left: Related, right: Related) -> Bool { left.values == right.values }
}

extension Related: Hashable where Child: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

protocol ChildProperty: Sendable {
    associatedtype Child: Table where Child.RecordType == Child
    var related: Related<Child> { get set }
}

extension HasMany: ChildProperty {}
extension HasOne: ChildProperty {}

/// A property for records of another table: ``HasMany``, ``HasOne`` or ``BelongsTo``.
public protocol _RelatedProperty: Sendable {}

extension HasMany: _RelatedProperty {}
extension HasOne: _RelatedProperty {}
extension BelongsTo: _RelatedProperty {}

// Related records in the JSON of a record that is `Codable`: what is in the property, loaded or not. A text that omits
// them leaves the property empty.

extension HasMany: Codable where Child: Codable {
    /// Writes the children as an array.
    public func encode(to encoder: any Encoder) throws {
        try wrappedValue.encode(to: encoder)
    }

    /// Reads the children from an array.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try [Child](from: decoder))
    }
}

extension HasOne: Codable where Child: Codable {
    /// Writes the child, or null.
    public func encode(to encoder: any Encoder) throws {
        try wrappedValue.encode(to: encoder)
    }

    /// Reads the child, or null.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try Child?(from: decoder))
    }
}

extension BelongsTo: Codable where Parent: Codable {
    /// Writes the parent, or null.
    public func encode(to encoder: any Encoder) throws {
        try wrappedValue.encode(to: encoder)
    }

    /// Reads the parent, or null.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try Parent?(from: decoder))
    }
}

extension KeyedDecodingContainer {
    /// The children of the key; none if the text omits it.
    public func decode<Child>(_ type: HasMany<Child>.Type, forKey key: Key) throws -> HasMany<Child>
    where Child: Codable {
        try decodeIfPresent(type, forKey: key) ?? HasMany(wrappedValue: [])
    }

    /// The child of the key; none if the text omits it.
    public func decode<Child>(_ type: HasOne<Child>.Type, forKey key: Key) throws -> HasOne<Child>
    where Child: Codable {
        try decodeIfPresent(type, forKey: key) ?? HasOne(wrappedValue: nil)
    }

    /// The parent of the key; none if the text omits it.
    public func decode<Parent>(_ type: BelongsTo<Parent>.Type, forKey key: Key) throws -> BelongsTo<Parent>
    where Parent: Codable {
        try decodeIfPresent(type, forKey: key) ?? BelongsTo(wrappedValue: nil)
    }
}
