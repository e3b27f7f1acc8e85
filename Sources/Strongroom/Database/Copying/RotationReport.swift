/// What a rotation did.
public struct RotationReport: Sendable, Hashable {
    /// How the file was rewritten.
    public enum Method: String, Sendable, Hashable {
        /// There was nothing to do: the file has the current key and the current settings.
        case unchanged
        /// A copy with the new key was created and verified, and replaced the file.
        case copy
        /// Each page was rewritten in place, in one transaction, because other processes have the file open.
        case inPlace
        /// The file was not changed: the current key replaced the older one in the envelope.
        case envelope
    }

    /// How the file was rewritten.
    public let method: Method
    /// The index in the chain of the key that opened the file or its envelope, 0 for the oldest; nil for a file that
    /// was plaintext.
    public let from: Int?
    /// The index in the chain of the current key of the file or its envelope.
    public let to: Int
    /// The cipher settings that the file had; nil for a file that was plaintext.
    public let previousSettings: CipherSettings?
    /// The cipher settings that the file has now.
    public let settings: CipherSettings
    /// The file's size in bytes; with ``Method/envelope`` the envelope's size.
    public let bytes: Int64
    /// Whether no content encrypted with the older key is left. False if another process has held a snapshot from
    /// before the rotation for so long that the WAL could not be checkpointed; a later checkpoint completes it.
    public internal(set) var isOldContentGone = true
    /// The duration of the rewrite, including waits for other processes.
    public internal(set) var writingDuration = Duration.zero
    /// The duration of the checks before and after.
    public internal(set) var verificationDuration = Duration.zero
    /// The names of the extended attributes that could not be copied to the new file.
    public internal(set) var attributesNotKept: [String] = []

    /// Whether anything was done.
    public var isRotated: Bool { method != .unchanged }
}

extension RotationReport: CustomStringConvertible {
    /// A description for people, in one line. Keys are counted from 1, the oldest.
    public var description: String {
        let change = "from \(from.map { "key \($0 + 1)" } ?? "plaintext") to key \(to + 1)"
        let settings = previousSettings == nil || previousSettings == settings ? "" : ", now with \(settings)"
        let names = attributesNotKept.joined(separator: ", ")
        let lost = names.isEmpty ? "" : "; without the attributes \(names)"
        let rest = (isOldContentGone ? "" : "; what the older key opens is still in the log") + lost
        switch method {
        case .unchanged: return "already on the current key, key \(to + 1)"
        case .copy: return "rotated \(change) by a copy of \(bytes) bytes\(settings)\(rest)"
        case .inPlace: return "rotated \(change) in place, \(bytes) bytes\(settings)\(rest)"
        case .envelope: return "envelope rotated \(change)"
        }
    }
}

/// The key that a rotation replaces.
public enum RotationSubject: Sendable, Hashable {
    /// The key of the chain: the current one replaces the older one.
    case chain
    /// The random data key with which the file is encrypted and which its envelope wraps: the file is rewritten.
    case dataKey
}
