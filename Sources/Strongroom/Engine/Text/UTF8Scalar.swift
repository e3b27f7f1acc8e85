/// Reads and writes scalars of valid UTF-8.
enum UTF8Scalar {
    /// The scalar at a position of valid UTF-8, and the position after it.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> (scalar: UInt32, end: Int) {
        let first = UInt32(bytes[position])
        func next(_ offset: Int) -> UInt32 {
            position + offset < bytes.count ? UInt32(bytes[position + offset] & 0x3F) : 0
        }
        switch first {
        case ..<0x80: return (first, position + 1)
        case ..<0xE0: return ((first & 0x1F) << 6 | next(1), position + 2)
        case ..<0xF0: return ((first & 0x0F) << 12 | next(1) << 6 | next(2), position + 3)
        default: return ((first & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3), position + 4)
        }
    }

    /// Appends the bytes of a scalar.
    static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        func continuation(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3F) }
        switch scalar {
        case ..<0x80:
            bytes.append(UInt8(scalar))
        case ..<0x800:
            bytes.append(UInt8(0xC0 | scalar >> 6))
            bytes.append(continuation(0))
        case ..<0x1_0000:
            bytes.append(UInt8(0xE0 | scalar >> 12))
            bytes.append(continuation(6))
            bytes.append(continuation(0))
        default:
            bytes.append(UInt8(0xF0 | scalar >> 18 & 0x07))
            bytes.append(continuation(12))
            bytes.append(continuation(6))
            bytes.append(continuation(0))
        }
    }
}
