/// An input, from which a reader takes numbers, bytes and text; at its end these are zeros and empty.
struct Input {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    /// A number below a limit, which is at most 65,536.
    mutating func number(below limit: Int) -> Int { (Int(byte()) << 8 | Int(byte())) % limit }

    mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
        bytes(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// At most so many bytes.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Bytes whose number precedes them.
    mutating func part() -> [UInt8] { bytes(number(below: 1 << 16)) }

    mutating func remainder() -> [UInt8] { bytes(rest.count) }

    /// Text, in which a byte that is not UTF-8 is replaced.
    mutating func text(_ count: Int) -> String { String(decoding: bytes(count), as: UTF8.self) }

    mutating func text() -> String { text(rest.count) }

    /// Any element.
    mutating func element<Element>(of list: [Element]) -> Element { list[Int(byte()) % list.count] }
}
