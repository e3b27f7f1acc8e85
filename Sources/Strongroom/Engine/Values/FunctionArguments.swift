import CSQLCipher

/// The arguments of one call of a function, and its result; valid during the call.
@usableFromInline
struct FunctionArguments {
    @usableFromInline typealias Values = UnsafeMutablePointer<OpaquePointer?>

    @usableFromInline let values: Values?
    @usableFromInline let count: Int
    let context: OpaquePointer

    init(_ context: OpaquePointer, _ values: Values?, _ count: Int32) {
        self.context = context
        self.values = values
        self.count = Int(count)
    }

    /// Whether one of some arguments is NULL.
    @usableFromInline
    func hasNull(among indices: [Int]) -> Bool {
        guard let values else { return false }
        for index in indices where sqlite3_value_type(values[index]) == SQLITE_NULL { return true }
        return false
    }

    @inlinable
    func next<V: ColumnValue>(_ type: V.Type, at index: inout Int) throws -> V {
        defer { index += 1 }
        return try V(from: Row(self), at: index)
    }

    @inlinable
    func setResult<V: ColumnValue>(_ value: V) throws {
        try value.bind(to: Bindings(self), at: 0)
    }

    @usableFromInline
    func setNull() { sqlite3_result_null(context) }

    /// Sets the result; the engine copies it.
    func setResult(_ value: SQLValue) throws {
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: sqlite3_result_null(context)
        case .integer(let number): sqlite3_result_int64(context, number)
        case .real(let number): sqlite3_result_double(context, number)
        case .text(let text):
            let count = text.utf8.count
            text.withCString { sqlite3_result_text64(context, $0, UInt64(count), copied, UInt8(SQLITE_UTF8)) }
        case .blob(let bytes):
            // A null pointer would be NULL.
            guard !bytes.isEmpty else { return sqlite3_result_zeroblob(context, 0) }
            bytes.withUnsafeBytes { sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), copied) }
        }
    }
}
