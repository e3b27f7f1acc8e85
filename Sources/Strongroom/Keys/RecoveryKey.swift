/// A random key that is written down and stored separately, in case the key chain is lost.
///
/// Its text has eight groups of five characters; the last character of each is a check character for the group and its
/// position: `3VKQ7-M0XHA-…`. It contains 160 random bits. The text has no `O`, `I` or `L`: when read, each counts as
/// the digit `0` or `1` that it resembles.
///
/// ```swift
/// let chain = try KeyChain(.recovery(RecoveryKey("3vkq7 m0xha …")))
/// ```
///
/// ``shares(threshold:of:)`` splits it for several holders.
public struct RecoveryKey: Sendable, Equatable {
    let secret: SecretBytes

    static let length = 20

    /// A new key from the system's random number generator.
    static func random() -> RecoveryKey {
        RecoveryKey(secret: .random(count: length))
    }

    init(secret: SecretBytes) {
        self.secret = secret
    }

    /// Parses a recovery key's text.
    ///
    /// - Parameter text: The text, in either case. Spaces and hyphens are ignored, except that they help to identify an
    ///   incorrect group.
    /// - Throws: ``StrongroomError`` with `invalidKey`, which names the incorrect groups; the error contains no part of
    ///   the text.
    public init(_ text: String) throws {
        var bytes = try RecoveryText.key.bytes(of: text)
        secret = SecretBytes(bytes)
        bytes.withUnsafeMutableBytes { $0.wipe() }
    }

    /// The key as text in capital letters. Show it once; Swift cannot wipe a `String`.
    public var text: String { secret.withUnsafeBytes { RecoveryText.text(of: $0) } }

    /// The raw key of its slot.
    fileprivate var key: Key {
        let raw = Cryptography.expand(
            secret, "strongroom envelope: recovery key", count: Cryptography.keyLength)
        return Key(material: .raw(raw, salt: nil))
    }
}

extension RecoveryKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type's name, never the key, which ``text`` returns.
    public var description: String { "RecoveryKey" }
    /// The type's name, never the key.
    public var debugDescription: String { description }
    /// Empty, so that `dump` prints nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Key {
    /// A recovery key as a key of a chain: it opens the envelope for which it was created.
    ///
    /// - Parameter recovery: The recovery key.
    /// - Returns: The key.
    public static func recovery(_ recovery: RecoveryKey) -> Key { recovery.key }
}

/// The text of a recovery key or a share: Crockford's base 32, with four characters and a check character per group.
struct RecoveryText {
    /// What it is the text of, in errors.
    let name: String
    /// What may precede it in a line of a key file.
    let prefix: String
    let groupCount: Int
    /// The index of the byte with the number of a share.
    var numberIndex: Int?

    static let key = RecoveryText(name: "recovery key", prefix: "recovery:", groupCount: 8)
    static let share = RecoveryText(
        name: "share of a recovery key", prefix: "share:", groupCount: 12, numberIndex: 4)

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let groupLength = 5
    private static let bitsOfCharacter = 5
    private static let bitsOfGroup = (groupLength - 1) * bitsOfCharacter

    /// Whether a text has as many groups, of which at most one has another length: another text is hardly meant.
    func isInGroups(_ text: ArraySlice<UInt8>) -> Bool {
        let groups = text.split { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: " ") }
        return groups.count == groupCount && groups.count { $0.count == Self.groupLength } >= groupCount - 1
    }

    /// The characters without the separators.
    var characterCount: Int { groupCount * Self.groupLength }

    static func text(of bytes: UnsafeRawBufferPointer) -> String {
        var groups: [String] = []
        for group in 0..<bytes.count * 8 / bitsOfGroup {
            let values = (0..<groupLength - 1).map { index in
                value(in: bytes, at: group * (groupLength - 1) + index)
            }
            let characters = (values + [check(values, group)]).map { Character(UnicodeScalar(alphabet[Int($0)])) }
            groups.append(String(characters))
        }
        return groups.joined(separator: "-")
    }

    func bytes(of text: String) throws -> [UInt8] {
        let groups = try groups(of: text)
        let values = groups.map { group in group.map { Self.value(of: $0) } }
        let wrong = values.indices.filter { index in
            let known = values[index].compactMap { $0 }
            return known.count < Self.groupLength || Self.check(known.dropLast(), index) != known[Self.groupLength - 1]
        }
        var bytes: [UInt8] = []
        // Reserved at once, so that growing the array leaves no partial copy behind.
        bytes.reserveCapacity(groupCount * Self.bitsOfGroup / 8)
        var (rest, bits) = (UInt32(0), 0)
        for value in values.flatMap({ $0.dropLast() }) {
            rest = (rest << Self.bitsOfCharacter | UInt32(value ?? 0)) & 0xFFF
            bits += Self.bitsOfCharacter
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: rest >> bits))
        }
        guard wrong.isEmpty else {
            let number = numberIndex.flatMap { wrong.contains($0 * 8 / Self.bitsOfGroup) ? nil : bytes[$0] }
            bytes.withUnsafeMutableBytes { $0.wipe() }
            throw mistake(in: wrong, number)
        }
        return bytes
    }

    /// The characters in groups of five: split at the separators, or counted if the separators do not split them.
    private func groups(of text: String) throws -> [ArraySlice<Unicode.Scalar>] {
        let isSeparator = { (scalar: Unicode.Scalar) in
            scalar.properties.isWhitespace || scalar.properties.generalCategory == .dashPunctuation
        }
        let parts = Array(text.unicodeScalars).split(whereSeparator: isSeparator)
        if parts.count == groupCount {
            let wrong = parts.indices.filter { parts[$0].count != Self.groupLength }
            guard wrong.isEmpty else { throw mistake(in: wrong) }
            return parts
        }
        let all = parts.flatMap { $0 }
        guard all.count == characterCount else {
            throw refusal(
                """
                has \(all.count) characters where \(groupCount) groups of \(Self.groupLength) are needed; compare it \
                with what was written down
                """
            )
        }
        return stride(from: 0, to: all.count, by: Self.groupLength).map { all[$0..<$0 + Self.groupLength] }
    }

    /// Five bits of a key, as an integer.
    private static func value(in bytes: UnsafeRawBufferPointer, at index: Int) -> UInt8 {
        let bit = index * bitsOfCharacter
        let pair = UInt16(bytes[bit / 8]) << 8 | (bit / 8 + 1 < bytes.count ? UInt16(bytes[bit / 8 + 1]) : 0)
        return UInt8(pair >> (16 - bitsOfCharacter - bit % 8) & 0x1F)
    }

    private static func value(of scalar: Unicode.Scalar) -> UInt8? {
        guard scalar.isASCII else { return nil }
        var letter = UInt8(scalar.value)
        if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) { letter -= 0x20 }
        switch letter {
        case UInt8(ascii: "O"): return 0
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
        default: return alphabet.firstIndex(of: letter).map { UInt8($0) }
        }
    }

    /// A group's check character: a weighted sum over the field of 32 elements, in which every character and the
    /// group's position has its own weight, so that one wrong character, two exchanged characters, and two exchanged
    /// groups are always detected.
    private static func check(_ values: some Sequence<UInt8>, _ group: Int) -> UInt8 {
        timesTwo(values.reduce(UInt8(group) + 1) { timesTwo($0) ^ $1 })
    }

    /// Multiplies in the field of 32 elements with the polynomial x⁵ + x² + 1.
    private static func timesTwo(_ value: UInt8) -> UInt8 {
        value & 0x10 == 0 ? value << 1 : (value << 1 ^ 0x25) & 0x1F
    }

    /// - Parameter number: That of a share, if it is known.
    private func mistake(in groups: [Int], _ number: UInt8? = nil) -> StrongroomError {
        let numbers = groups.map { String($0 + 1) }
        let list = numbers.count == 1 ? "group \(numbers[0])" : "groups \(numbers.joined(separator: ", "))"
        return refusal("has a mistake in \(list) of \(groupCount); compare it with what was written down", number)
    }

    private func refusal(_ reason: String, _ number: UInt8? = nil) -> StrongroomError {
        let subject = number.map { "Share \($0) of the recovery key" } ?? "The \(name)"
        return StrongroomError(.invalidKey, "\(subject) \(reason).")
    }
}
