/// A name, hashed and compared as the engine compares names: case-insensitively for A to Z, otherwise byte by byte.
/// Names that are equal in Swift but differ in their Unicode composition are different.
struct SQLName: Hashable, Sendable {
    private let folded: [UInt8]

    init(_ name: String) { folded = Array(name.asciiFolded.utf8) }
}
