/// A property of a record: its children, the records of another table that refer to it.
///
/// It is no column. What it stands for is said by the table's ``Table/relations``:
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
/// that was not loaded says nothing about the rows: saving the record adds what is in the list, and takes nothing away.
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

    /// Makes the property of a record that is not loaded.
    ///
    /// - Parameter wrappedValue: The children.
    public init(wrappedValue: [Child]) {
        related = Related(values: wrappedValue)
    }

    /// Whether the list is all there is: it has been loaded, or saved with a record that was new.
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

/// A property of a record: its only child, the record of another table that refers to it.
///
/// As ``HasMany``, with at most one:
///
/// ```swift
/// @HasOne var photo: Photo? = nil
/// ```
@propertyWrapper
public struct HasOne<Child: Table>: Sendable where Child.RecordType == Child {
    // A list, so that two types can have each other.
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

    /// Makes the property of a record that is not loaded.
    ///
    /// - Parameter wrappedValue: The child.
    public init(wrappedValue: Child?) {
        related = Related(values: wrappedValue.map { [$0] } ?? [])
    }

    /// Whether the child, or that there is none, has been loaded, or saved with a record that was new.
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
