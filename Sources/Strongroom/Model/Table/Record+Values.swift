extension Record {
    /// The record's values by column, in their stored form.
    ///
    /// ```swift
    /// let values = try contact.columnValues()
    /// print(values["name"] ?? .null)
    /// ```
    ///
    /// - Returns: A value for each of ``columnNames``; nil is `Value.null`.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a value that the engine cannot store.
    package func columnValues() throws -> [String: Value] {
        let list = try values()
        return Dictionary(zip(list.names, list.values), uniquingKeysWith: { first, _ in first })
    }

    /// Copies the values of another record, of this type or of any other, for the columns that both have.
    ///
    /// Nil values of the other record are not copied. Without overriding, only values that are nil in this record are
    /// set.
    ///
    /// ```swift
    /// try contact.merge(imported)                       // fills the gaps
    /// try contact.merge(imported, overriding: true)     // the import counts more
    /// ```
    ///
    /// - Parameters:
    ///   - other: The other record.
    ///   - overriding: Whether values that are not nil in this record are replaced.
    ///   - columns: The columns to copy; nil for all.
    /// - Throws: ``StrongroomError`` with `typeMismatch` if a value of the other record does not fit this one; nothing
    ///   is changed then. `valueNotStorable` for a value that the engine cannot store.
    public mutating func merge(
        _ other: some Record,
        overriding: Bool = false,
        columns: Set<String>? = nil
    ) throws {
        var list = try values()
        let theirs = try other.values()
        let chosen = columns.map(Array.init)
        for (index, name) in list.names.enumerated() {
            if let chosen, Identifier.index(of: name, in: chosen) == nil { continue }
            guard let value = theirs[name], value != .null else { continue }
            if overriding || list.values[index] == .null { list.values[index] = value }
        }
        var merged = self
        try withUnsafePointer(to: list) { try merged._update(from: Row($0)) }
        self = merged
    }

    /// The indices of the columns in which the record differs from another one.
    func columns(differingFrom other: Self) throws -> Set<Int> {
        let (list, others) = try (values(), other.values())
        return Set(list.values.indices.filter { list.values[$0].exact != others.values[$0].exact })
    }

    func values() throws -> ValueList {
        var list = ValueList(Self.columnNames)
        try withUnsafeMutablePointer(to: &list.values) { try encode(to: Bindings($0)) }
        return list
    }
}
