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
