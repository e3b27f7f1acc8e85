public import Foundation

/// A key's place in the envelope of a database, as it is listed.
///
/// Label and date stand in the sidecar in the clear; they are authenticated, so that a change of them is found out.
public struct KeySlot: Sendable, Hashable {
    /// What the key is told by; nothing of the key.
    public let fingerprint: KeyFingerprint
    /// What it was called when the slot was made.
    public let label: String
    /// When the slot was made, to the second.
    public let created: Date
    /// Whether it is the slot of a recovery key.
    public let isRecovery: Bool
}

/// What a key of an envelope is told by, such as `9f3c-01ab-77de-4e20`.
///
/// It is made of what the slow derivation of a passphrase gives, so it helps nobody to guess one. The same key has
/// another one in each database.
///
/// ```swift
/// let fingerprint = KeyFingerprint("9f3c-01ab-77de-4e20")
/// ```
public struct KeyFingerprint: Sendable, Hashable {
    static let length = 8

    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension KeyFingerprint: LosslessStringConvertible {
    /// Reads the printed form.
    ///
    /// - Parameter description: 16 hexadecimal digits of either case, with or without hyphens.
    public init?(_ description: String) {
        var digits: [UInt8] = []
        for character in description where character != "-" {
            guard character.isASCII, let digit = character.hexDigitValue else { return nil }
            digits.append(UInt8(digit))
        }
        guard digits.count == 2 * Self.length else { return nil }
        bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// 16 hexadecimal digits in four groups.
    public var description: String {
        var text = ""
        for (place, byte) in bytes.enumerated() {
            if place > 0 && place.isMultiple(of: 2) { text += "-" }
            text += String(byte >> 4, radix: 16)
            text += String(byte & 0xF, radix: 16)
        }
        return text
    }
}
