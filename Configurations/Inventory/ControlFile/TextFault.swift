/// The reason why a line is not valid text.
enum TextFault: Sendable {
    case nulByte
    case invalidUTF8

    /// Checks `bytes`; nil if there is no fault.
    init?(in bytes: UnsafeRawBufferPointer) {
        var highBits: UInt64 = 0
        var zeros: UInt64 = 0
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            highBits |= word
            // The usual test for a zero byte in a word: only a zero borrows into its own, clear, high bit.
            zeros |= (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
            index += 8
        }
        while index < bytes.count {
            highBits |= UInt64(bytes[index])
            if bytes[index] == 0 { zeros = 1 }
            index += 1
        }
        if zeros != 0 {
            self = .nulByte
        } else if highBits & 0x8080_8080_8080_8080 != 0, String(validating: bytes, as: UTF8.self) == nil {
            self = .invalidUTF8
        } else {
            return nil
        }
    }
}
