extension Substring: ColumnValue {
    /// A text column.
    @inlinable public static var storageClass: StorageClass { .text }

    /// Reads text, including any NUL characters.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        self.init(try row.text(at: index))
    }

    /// The text.
    @inlinable public func stored() -> Value { .text(String(self)) }

    /// Binds the text, including any NUL characters.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(String(self), at: index)
    }
}
