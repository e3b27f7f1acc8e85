import CSQLCipher

/// A digest of rows: of the storage class and the bytes of each value, in the order of the rows.
struct RowsDigest: ~Copyable {
    private var digest = PartwiseDigest()
    private let buffer = WipedMemory(count: 64 << 10)
    private var used = 0
    private let isUTF16: Bool
    private(set) var rows: Int64 = 0

    /// - Parameter encoding: The text encoding of the database; text is not converted.
    init(_ encoding: EncodedText.Encoding) {
        isUTF16 = encoding != .utf8
    }

    /// Adds the current row of a statement.
    mutating func add(_ statement: Statement) {
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

    /// - Returns: The digest of all rows, 32 bytes.
    consuming func finish() -> [UInt8] {
        digest.update(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<used]))
        return digest.finish()
    }

    /// - Parameter number: The value, or the length of one that follows.
    private mutating func add(_ type: Int32, _ number: UInt64) {
        let length = 1 + MemoryLayout<UInt64>.size
        if buffer.bytes.count - used < length { flush() }
        buffer.bytes[used] = UInt8(truncatingIfNeeded: type)
        buffer.bytes.storeBytes(of: number.littleEndian, toByteOffset: used + 1, as: UInt64.self)
        used += length
    }

    private mutating func add(_ type: Int32, _ start: UnsafeRawPointer?, _ count: Int) {
        add(type, UInt64(count))
        guard let start, count > 0 else { return }
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        if count > buffer.bytes.count - used { flush() }
        guard count <= buffer.bytes.count else { return digest.update(bytes) }
        UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[used..<used + count]).copyMemory(from: bytes)
        used += count
    }

    private mutating func flush() {
        digest.update(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<used]))
        used = 0
    }
}
