public import Foundation

/// The slot of a key in the envelope of a database, as listed.
///
/// Label and date are stored in plaintext in the sidecar; they are authenticated, so that a change is detected.
public struct KeySlot: Sendable, Hashable {
    /// Identifies the key without revealing it.
    public let fingerprint: KeyFingerprint
    /// The label given when the slot was created.
    public let label: String
    /// When the slot was created, to the second.
    public let created: Date
    /// Whether it is the slot of a recovery key.
    public let isRecovery: Bool
}

extension KeySlot {
    /// Fingerprint, label and use, for messages.
    var inWords: String {
        let remarks = [label.isEmpty ? nil : label, isRecovery ? "recovery key" : nil].compactMap(\.self)
        return remarks.isEmpty ? "\(fingerprint)" : "\(fingerprint) (\(remarks.joined(separator: ", ")))"
    }
}

/// Identifies a key of an envelope, such as `9f3c-01ab-77de-4e20`.
///
/// It is computed from the result of a passphrase's slow derivation, so it does not make guesses cheaper. The same key
/// has another fingerprint in each database.
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
    /// Parses the printed form.
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
        for (index, byte) in bytes.enumerated() {
            if index > 0 && index.isMultiple(of: 2) { text += "-" }
            text += String(byte >> 4, radix: 16)
            text += String(byte & 0xF, radix: 16)
        }
        return text
    }
}
