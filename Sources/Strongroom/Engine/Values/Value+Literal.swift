extension Value {
    /// The value as SQL text, for statements in which the engine does not accept parameters.
    var literal: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): "(\(number))"
        case .real(let number): number.isInfinite ? (number < 0 ? "(-9e999)" : "(9e999)") : "(\(number))"
        case .text(let text) where text.utf8.contains(0): "(CAST(x'\(Self.hex(Array(text.utf8)))' AS TEXT))"
        case .text(let text): "'\(Identifier.doubling("'", in: text))'"
        case .blob(let bytes): "x'\(Self.hex(bytes))'"
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
    }
}
