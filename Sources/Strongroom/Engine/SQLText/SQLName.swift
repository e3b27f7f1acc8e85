/// A name that can be hashed and looked up as the engine compares it: without the case of A to Z, and byte by byte, so
/// that names whose letters are composed otherwise, which Swift takes for equal, are two.
struct SQLName: Hashable, Sendable {
    private let folded: [UInt8]

    init(_ name: String) { folded = Array(name.asciiFolded.utf8) }
}
