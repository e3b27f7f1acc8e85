/// The key of a chain that opens a file, or the envelope with the file's key.
public struct KeyUse: Sendable, Hashable {
    /// The key's index in the chain: 0 is the oldest.
    public let place: Int
    /// The number of keys in the chain.
    public let count: Int

    /// Whether it is the current key. If not, the file has not been rotated yet.
    public var isCurrent: Bool { place == count - 1 }
}

extension KeyUse: CustomStringConvertible {
    /// A description for people, counted from 1, the oldest: `key 2 of 3`.
    public var description: String { "key \(place + 1) of \(count)" }
}
