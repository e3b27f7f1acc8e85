import CSQLCipher

/// A text from the engine, whose bytes need not be valid in its encoding.
struct EncodedText: Hashable {
    /// The text encoding of a database.
    enum Encoding: String {
        case utf8 = "UTF-8"
        case utf16Little = "UTF-16le"
        case utf16Big = "UTF-16be"
    }

    let bytes: WipedBytes
    let encoding: Encoding
}

extension Statement {
    /// Binds the first parameters to the values of another statement's current row.
    ///
    /// - Parameter count: The number of columns.
    func bindRow(of source: Statement, count: Int) throws {
        let bindings = Bindings(self)
        for index in 0..<count { try bindings.bind(column: index, of: source, at: index) }
    }

    /// Resets the statement for another execution by the same caller, with every parameter NULL.
    func rewind() {
        sqlite3_reset(pointer)
        parameters.pointee.clear(for: pointer)
    }
}

/// The content of a column where the engine has it, without a copy.
package enum StoredContent {
    case null
    case integer(Int64)
    case real(Double)
    /// In the encoding that the engine converts texts to, UTF-8, which is not validated.
    case text(UnsafeBufferPointer<UInt8>)
    case blob
}
