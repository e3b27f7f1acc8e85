/// Text in UTF-8 that grows at its end.
package struct TextBytes {
    private(set) var bytes: [UInt8] = []

    package init() {}

    /// The text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    var count: Int { bytes.count }

    mutating func removeAll() {
        // The memory of a very large value is not kept for the rest of the rows.
        bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
    }

    package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    mutating func append(byte: UInt8) {
        bytes.append(byte)
    }

    /// - Parameter part: Valid UTF-8.
    mutating func append(utf8 part: UnsafeBufferPointer<UInt8>) {
        bytes.append(contentsOf: part)
    }

    mutating func append(_ scalar: Unicode.Scalar) {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? .init())
    }

    /// The decimal digits of a number.
    mutating func append(_ number: Int64) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        var rest = number.magnitude
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
            rest = quotient
        } while rest > 0
        bytes[start...].reverse()
    }

    /// The shortest text that is parsed as the same number, always with a point or an exponent.
    ///
    /// - Parameter column: The column of the number, for the error.
    /// - Throws: ``CommandFailure`` for a number that is not finite.
    mutating func append(_ number: Double, column: String) throws {
        guard number.isFinite else { throw CommandFailure.notFinite(number, column) }
        append(String(number))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether all bytes are ASCII.
    var isASCII: Bool { reduce(0) { $0 | $1 } < 0x80 }
}
