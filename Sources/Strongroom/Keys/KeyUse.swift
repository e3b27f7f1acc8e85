/// Which key of a chain opens a file, or the envelope that its key lies in.
public struct KeyUse: Sendable, Hashable {
    /// The key's place in the chain: 0 is the oldest.
    public let place: Int
    /// The number of keys in the chain.
    public let count: Int

    /// Whether it is the current key. If not, the file is still to be rotated.
    public var isCurrent: Bool { place == count - 1 }
}

extension KeyUse: CustomStringConvertible {
    /// For people, counted from 1, the oldest: `key 2 of 3`.
    public var description: String { "key \(place + 1) of \(count)" }
}
