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

extension HasMany: Equatable where Child: Equatable {
    /// Whether the children are equal.
    public static func == (left: HasMany, right: HasMany) -> Bool { left.wrappedValue == right.wrappedValue }
}

extension HasMany: Hashable where Child: Hashable {
    /// Hashes the children.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

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

extension HasOne: Equatable where Child: Equatable {
    /// Whether the children are equal.
    public static func == (left: HasOne, right: HasOne) -> Bool { left.wrappedValue == right.wrappedValue }
}

extension HasOne: Hashable where Child: Hashable {
    /// Hashes the child.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}
