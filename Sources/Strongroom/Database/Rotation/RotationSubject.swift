/// The key that a rotation replaces.
public enum RotationSubject: Sendable, Hashable {
    /// The key of the chain: the current one replaces the older one.
    case chain
    /// The random data key with which the file is encrypted and which its envelope wraps: the file is rewritten.
    case dataKey
}
