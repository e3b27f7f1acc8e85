extension Optional: ColumnValue where Wrapped: ColumnValue {
    /// The wrapped type.
    public typealias Unwrapped = Wrapped

    /// The storage class of the wrapped type.
    @inlinable public static var storageClass: StorageClass { Wrapped.storageClass }

    /// The declared type of the wrapped type.
    public static var declaredType: String { Wrapped.declaredType }

    /// True.
    @inlinable public static var _isNullable: Bool { true }

    /// Reads NULL as nil.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        self = try Wrapped._ifPresent(in: row, at: index)
    }

    /// The wrapped value, or NULL.
    @inlinable public func stored() throws -> Value {
        try self?.stored() ?? .null
    }

    /// Binds the wrapped value, or NULL.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        if let self {
            try self.bind(to: bindings, at: index)
        } else {
            try bindings.bindNull(at: index)
        }
    }
}

extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
    /// The storage class of the raw value.
    @inlinable public static var storageClass: StorageClass { RawValue.storageClass }

    /// The declared type of the raw value.
    public static var declaredType: String { RawValue.declaredType }

    /// Reads the raw value; throws if there is no case with it.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        guard let value = Self(rawValue: try RawValue(from: row, at: index)) else {
            throw row.mismatch(at: index, wanted: "\(Self.self)")
        }
        self = value
    }

    /// The raw value.
    @inlinable public func stored() throws -> Value { try rawValue.stored() }

    /// Binds the raw value.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try rawValue.bind(to: bindings, at: index)
    }
}

extension Value: ColumnValue {
    /// A column without a declared type.
    @inlinable public static var storageClass: StorageClass { .blob }

    /// True.
    @inlinable public static var _isNullable: Bool { true }

    /// Reads the stored value of any type.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        self = try row.value(at: index)
    }

    /// The value itself; throws for NaN.
    public func stored() throws -> Value {
        if case .real(let number) = self { return try number.stored() }
        return self
    }

    /// Binds the value.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(self, at: index)
    }
}
