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
    /// Binds the first parameters to the values of another statement's current row, of any type; the statements may
    /// belong to different connections.
    ///
    /// - Parameter count: The number of columns.
    func bindRow(of source: Statement, count: Int) throws {
        for index in 0..<Int32(count) {
            try check(sqlite3_bind_value(pointer, index + 1, sqlite3_column_value(source.pointer, index)))
        }
    }

    /// Binds text to a parameter.
    ///
    /// - Parameter index: The parameter, counted from 0.
    func bind(_ text: EncodedText, at index: Int) throws {
        let encoding =
            switch text.encoding {
            case .utf8: SQLITE_UTF8
            case .utf16Little: SQLITE_UTF16LE
            case .utf16Big: SQLITE_UTF16BE
            }
        // SQLITE_TRANSIENT: the engine makes a copy.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        try text.bytes.withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: CChar.self).baseAddress
            try check(
                sqlite3_bind_text64(
                    pointer, Int32(index + 1), start, UInt64(bytes.count), copied, UInt8(encoding)))
        }
    }

    /// Resets the statement and keeps its bindings.
    func rewind() {
        sqlite3_reset(pointer)
    }

    private func check(_ result: Int32) throws {
        guard result != SQLITE_OK else { return }
        let code = ResultCode(extended: result)
        throw StrongroomError(
            StrongroomError.Code(code), "A value could not be bound. \(StrongroomError.Code(code).advice)", sql: sql,
            resultCode: code)
    }
}
