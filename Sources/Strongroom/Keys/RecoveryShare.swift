/// A part of a recovery key for one of several holders, of whom a number that was chosen can restore the key together.
///
/// Its text has twelve groups of five characters in the form of a ``RecoveryKey``; all shares of a split begin with the
/// same group. Fewer shares than the threshold tell nothing about the key: each key is as likely with them as without.
///
/// ```swift
/// let texts = try recoveryKey.shares(threshold: 3, of: 5).map(\.text)
/// let restored = try RecoveryKey(shares: [texts[4], texts[0], texts[2]].map { try RecoveryShare($0) })
/// ```
public struct RecoveryShare: Sendable, Equatable {
    /// Identifier of the split, threshold, number, then the share of each byte of the key and of its check.
    let bytes: SecretBytes

    private static let identifierLength = 3
    private static let headLength = identifierLength + 2
    fileprivate static let checkLength = 5
    /// The maximum number of shares; later versions may give higher numbers a meaning.
    fileprivate static let maxCount = 16

    /// Parses a share's text.
    ///
    /// - Parameter text: The text, in either case. Spaces and hyphens are ignored, except that they help to identify an
    ///   incorrect group.
    /// - Throws: ``StrongroomError`` with `invalidKey`, which names the incorrect groups; the error contains no part of
    ///   the text.
    public init(_ text: String) throws {
        var bytes = try RecoveryText.share.bytes(of: text)
        defer { bytes.withUnsafeMutableBytes { $0.wipe() } }
        guard (2...Self.maxCount).contains(Int(bytes[3])), (1...Self.maxCount).contains(Int(bytes[4])) else {
            throw Self.refusal("The share of a recovery key is one that only a newer version can read; use that")
        }
        self.bytes = SecretBytes(bytes)
    }

    /// The values of polynomials at the share's number, one for each byte of a content, which is its value at 0.
    ///
    /// - Parameters:
    ///   - coefficients: As many bytes as the content has, for each power from the highest to the first.
    ///   - head: Identifier, threshold, number.
    init(of content: SecretBytes, _ coefficients: SecretBytes, head: [UInt8]) {
        bytes = SecretBytes(count: head.count + content.count) { share in
            share.copyBytes(from: head)
            content.withUnsafeBytes { content in
                coefficients.withUnsafeBytes { coefficients in
                    for index in content.indices {
                        var value: UInt8 = 0
                        for power in stride(from: 0, to: coefficients.count, by: content.count) {
                            value = ByteField.product(value ^ coefficients[power + index], head[head.count - 1])
                        }
                        share[head.count + index] = value ^ content[index]
                    }
                }
            }
        }
    }

    /// The share as text in capital letters, for its holder. Show it once; Swift cannot wipe a `String`.
    public var text: String { bytes.withUnsafeBytes { RecoveryText.text(of: $0) } }

    /// The number of shares that restore the key.
    package var threshold: Int { bytes.withUnsafeBytes { Int($0[3]) } }

    /// From 1.
    fileprivate var number: UInt8 { bytes.withUnsafeBytes { $0[4] } }

    /// The same for all shares of a split: identifier and threshold.
    fileprivate var split: [UInt8] { bytes.withUnsafeBytes { Array($0.prefix(Self.headLength - 1)) } }

    /// - Throws: ``StrongroomError`` with `invalidKey` for shares of several splits, and for one that occurs twice.
    package static func requireDistinct(_ shares: [RecoveryShare]) throws {
        for (index, share) in shares.enumerated() {
            guard share.split == shares[0].split else {
                throw refusal(
                    """
                    The shares \(shares[0].number) and \(share.number) belong to different recovery keys, or to \
                    different splits of one; give shares whose first group is the same
                    """)
            }
            guard !shares[..<index].contains(where: { $0.number == share.number }) else {
                throw refusal("Share \(share.number) of the recovery key is given twice; give another one")
            }
        }
    }

    /// The value at 0 of the polynomials through the shares, by Lagrange's formula.
    static func combined(_ shares: [RecoveryShare]) -> SecretBytes {
        SecretBytes(count: (shares.first?.bytes.count ?? headLength) - headLength) { content in
            for share in shares {
                let weight = shares.map(\.number).reduce(1 as UInt8) { weight, other in
                    guard other != share.number else { return weight }
                    return ByteField.product(
                        weight, ByteField.product(other, ByteField.inverse(other ^ share.number)))
                }
                share.bytes.withUnsafeBytes { bytes in
                    for index in content.indices {
                        content[index] ^= ByteField.product(weight, bytes[headLength + index])
                    }
                }
            }
        }
    }

    fileprivate static func refusal(_ reason: String) -> StrongroomError {
        StrongroomError(.invalidKey, "\(reason).")
    }
}

extension RecoveryShare: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type's name, never the share, which ``text`` returns.
    public var description: String { "RecoveryShare" }
    /// The type's name, never the share.
    public var debugDescription: String { description }
    /// Empty, so that `dump` prints nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension RecoveryKey {
    /// Splits the key into shares by Shamir's scheme, with new random numbers each time.
    ///
    /// - Parameters:
    ///   - threshold: How many shares restore the key: 2 to `count`.
    ///   - count: How many shares there are, at most 16.
    /// - Returns: The shares, for one holder each.
    /// - Throws: ``StrongroomError`` with `invalidArgument` for other numbers.
    public func shares(threshold: Int, of count: Int) throws -> [RecoveryShare] {
        guard (2...RecoveryShare.maxCount).contains(count), (2...count).contains(threshold) else {
            throw StrongroomError(
                .invalidArgument,
                """
                A recovery key cannot be split into \(count.counting("share")) of which \(threshold) restore it; give \
                2 to \(RecoveryShare.maxCount) shares, and a threshold from 2 to their number.
                """)
        }
        let check = check
        let content = SecretBytes(count: Self.length + check.count) { content in
            secret.withUnsafeBytes { content.copyMemory(from: $0) }
            check.withUnsafeBytes { content[Self.length...].copyBytes(from: $0) }
        }
        let coefficients = SecretBytes.random(count: (threshold - 1) * content.count)
        let identifier = (0..<3).map { _ in UInt8.random(in: 0...UInt8.max) }
        return (1...count).map { number in
            RecoveryShare(of: content, coefficients, head: identifier + [UInt8(threshold), UInt8(number)])
        }
    }

    /// Restores the key from its shares.
    ///
    /// - Parameter shares: At least as many shares of one split as its threshold, in any order.
    /// - Throws: ``StrongroomError`` with `invalidKey` for too few, for shares of different keys or splits, for a share
    ///   that is given twice, and if one of them is not as it was printed.
    public init(shares: [RecoveryShare]) throws {
        try RecoveryShare.requireDistinct(shares)
        let needed = shares.first?.threshold ?? 2
        guard shares.count >= needed else {
            throw RecoveryShare.refusal(
                "There are \(shares.count) of \(needed) shares of the recovery key; give \(needed - shares.count) more")
        }
        let content = RecoveryShare.combined(shares)
        secret = content.withUnsafeBytes { SecretBytes(UnsafeRawBufferPointer(rebasing: $0[..<Self.length])) }
        let found = content.withUnsafeBytes { SecretBytes(UnsafeRawBufferPointer(rebasing: $0[Self.length...])) }
        guard found == check else {
            throw RecoveryShare.refusal(
                """
                The shares \(shares.map { String($0.number) }.joined(separator: ", ")) do not restore a recovery key: \
                one of them is another than was printed, although its check characters fit; try others
                """)
        }
    }

    /// Tells a wrong key. It is split along with the key, so that fewer shares than the threshold tell nothing about
    /// it, either; of a key of 160 random bits 40 bits of a digest would be no help to guess it.
    private var check: SecretBytes {
        Cryptography.expand(secret, "strongroom envelope: recovery shares", count: RecoveryShare.checkLength)
    }
}

/// The field of 256 elements with the polynomial x⁸ + x⁴ + x³ + x + 1, whose addition is exclusive or.
private enum ByteField {
    /// Multiplies without a branch and without a table, so that the time tells nothing about the factors.
    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var (product, left) = (UInt8(0), left)
        for bit in UInt8(0)..<8 {
            product ^= left & (0 &- (right &>> bit & 1))
            left = (left &<< 1) ^ (0x1B & (0 &- left &>> 7))
        }
        return product
    }

    /// The inverse: the power of 254.
    static func inverse(_ value: UInt8) -> UInt8 { (0..<253).reduce(value) { power, _ in product(power, value) } }
}
