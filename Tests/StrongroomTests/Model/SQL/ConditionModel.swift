import Strongroom

/// A condition made twice: as the library makes it, and as a function on a record in memory. Nil is SQL's unknown.
struct ModelledCondition: Sendable {
    let condition: Condition
    let holds: @Sendable (Sample) -> Bool?

    init(_ condition: Condition, _ holds: @escaping @Sendable (Sample) -> Bool?) {
        self.condition = condition
        self.holds = holds
    }

    static func && (left: Self, right: Self) -> Self {
        Self(left.condition && right.condition) { sample in
            switch (left.holds(sample), right.holds(sample)) {
            case (false, _), (_, false): false
            case (true, true): true
            default: nil
            }
        }
    }

    static func || (left: Self, right: Self) -> Self {
        Self(left.condition || right.condition) { sample in
            switch (left.holds(sample), right.holds(sample)) {
            case (true, _), (_, true): true
            case (false, false): false
            default: nil
            }
        }
    }

    static prefix func ! (one: Self) -> Self {
        Self(!one.condition) { sample in one.holds(sample).map { !$0 } }
    }
}

/// A value in the order of the engine: texts and bytes byte by byte, numbers by size.
enum Sortable: Comparable {
    case bytes([UInt8])
    case number(Double)

    static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.bytes(let left), .bytes(let right)): left.lexicographicallyPrecedes(right)
        case (.number(let left), .number(let right)): left < right
        case (.number, .bytes): true
        case (.bytes, .number): false
        }
    }

    init(_ text: String) { self = .bytes(Array(text.utf8)) }
    init(_ number: Double) { self = .number(number) }
    init(_ number: Int64) { self = .number(Double(number)) }
    init(_ flag: Bool) { self = .number(flag ? 1 : 0) }
    init(_ bytes: [UInt8]) { self = .bytes(bytes) }
}

extension String {
    /// Whether the text fits a LIKE pattern: scalar by scalar, A to Z as a to z, both only up to a NUL.
    func isLike(_ pattern: String) -> Bool {
        func letters(_ text: String) -> [Unicode.Scalar] {
            Array(text.unicodeScalars.prefix { $0 != "\0" })
        }
        return Self.matches(letters(self)[...], letters(pattern)[...])
    }

    private static func matches(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case "%":
            return (text.startIndex...text.endIndex).contains { matches(text[$0...], rest) }
        case "_":
            return !text.isEmpty && matches(text.dropFirst(), rest)
        case "\\":
            guard let literal = rest.first, let letter = text.first, same(literal, letter) else { return false }
            return matches(text.dropFirst(), rest.dropFirst())
        default:
            guard let letter = text.first, same(first, letter) else { return false }
            return matches(text.dropFirst(), rest)
        }
    }

    private static func same(_ left: Unicode.Scalar, _ right: Unicode.Scalar) -> Bool {
        func lower(_ scalar: Unicode.Scalar) -> UInt32 {
            ("A"..."Z").contains(scalar) ? scalar.value + 32 : scalar.value
        }
        return lower(left) == lower(right)
    }
}
