import CSQLCipher

/// Rows as bytes: the storage class and the bytes of each value, in the order of the rows.
final class RowBytes {
    private let buffer = WipedMemory(count: 64 << 10)
    private var used = 0
    private let isUTF16: Bool
    private let consume: (UnsafeRawBufferPointer) -> Void
    private(set) var rows: Int64 = 0

    /// - Parameters:
    ///   - encoding: The text encoding of the database; text is not converted.
    ///   - consume: Called with the bytes, in parts.
    init(_ encoding: EncodedText.Encoding, consume: @escaping (UnsafeRawBufferPointer) -> Void) {
        isUTF16 = encoding != .utf8
        self.consume = consume
    }

    /// Adds the current row of a statement.
    func add(_ statement: Statement) {
        let pointer = statement.pointer
        for column in 0..<sqlite3_column_count(pointer) {
            let type = sqlite3_column_type(pointer, column)
            switch type {
            case SQLITE_INTEGER: add(type, UInt64(bitPattern: sqlite3_column_int64(pointer, column)))
            case SQLITE_FLOAT: add(type, sqlite3_column_double(pointer, column).bitPattern)
            case SQLITE_TEXT where isUTF16:
                let text = UnsafeRawPointer(sqlite3_column_text16(pointer, column))
                add(type, text, Int(sqlite3_column_bytes16(pointer, column)))
            case SQLITE_TEXT:
                let text = UnsafeRawPointer(sqlite3_column_text(pointer, column))
                add(type, text, Int(sqlite3_column_bytes(pointer, column)))
            case SQLITE_BLOB:
                let blob = sqlite3_column_blob(pointer, column)
                add(type, blob, Int(sqlite3_column_bytes(pointer, column)))
            default: add(type, 0)
            }
        }
        rows += 1
    }

    /// - Parameter number: The value, or the length of one that follows.
    private func add(_ type: Int32, _ number: UInt64) {
        let length = 1 + MemoryLayout<UInt64>.size
        if buffer.bytes.count - used < length { flush() }
        buffer.bytes[used] = UInt8(truncatingIfNeeded: type)
        buffer.bytes.storeBytes(of: number.littleEndian, toByteOffset: used + 1, as: UInt64.self)
        used += length
    }

    private func add(_ type: Int32, _ start: UnsafeRawPointer?, _ count: Int) {
        add(type, UInt64(count))
        guard let start, count > 0 else { return }
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        if count > buffer.bytes.count - used { flush() }
        guard count <= buffer.bytes.count else { return consume(bytes) }
        UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[used..<used + count]).copyMemory(from: bytes)
        used += count
    }

    /// Hands over the bytes that are left; to be called after the last row.
    func flush() {
        consume(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<used]))
        used = 0
    }
}
