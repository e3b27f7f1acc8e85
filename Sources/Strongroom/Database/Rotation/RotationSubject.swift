/// What a rotation replaces.
public enum RotationSubject: Sendable, Hashable {
    /// The key of the chain: the current one takes the older one's place.
    case chain
    /// The random key that the file is encrypted with and that its envelope wraps: the file is rewritten.
    case dataKey
}
