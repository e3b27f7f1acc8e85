/// What a rotation did.
public struct RotationReport: Sendable, Hashable {
    /// How the file was rewritten.
    public enum Method: String, Sendable, Hashable {
        /// Nothing was to be done: the file is on the current key, with the current settings.
        case unchanged
        /// A copy with the new key was made, verified and put in the file's place.
        case copy
        /// Each page was rewritten in the file, in one transaction, since other processes have it open.
        case inPlace
        /// The file stayed as it is: the current key took the place of the older one in the envelope.
        case envelope
    }

    /// How the file was rewritten.
    public let method: Method
    /// The place in the chain of the key that opened the file or its envelope, 0 for the oldest; nil for one that was
    /// plaintext.
    public let from: Int?
    /// The place in the chain of the key that the file, or its envelope, has now.
    public let to: Int
    /// The cipher settings that the file had; nil for one that was plaintext.
    public let formerSettings: CipherSettings?
    /// The cipher settings that the file has now.
    public let settings: CipherSettings
    /// The file's size in bytes; with ``Method/envelope`` that of the envelope.
    public let bytes: Int64
    /// Whether nothing is left of what was encrypted with the older key: not when another process has read from before
    /// the rotation for so long that the WAL could not be checkpointed; a later checkpoint does it.
    public let isOldContentGone: Bool
    /// How long rewriting took, with the waiting for others.
    public let writingDuration: Duration
    /// How long the proofs took, before and after.
    public let verificationDuration: Duration
    /// The names of the extended attributes that the file that lies there now could not be given.
    public internal(set) var attributesNotKept: [String] = []

    /// Whether anything was done.
    public var isRotated: Bool { method != .unchanged }
}

extension RotationReport: CustomStringConvertible {
    /// For people, in one line. Keys are counted from 1, the oldest.
    public var description: String {
        let change = "from \(from.map { "key \($0 + 1)" } ?? "plaintext") to key \(to + 1)"
        let settings = formerSettings == nil || formerSettings == settings ? "" : ", now with \(settings)"
        let names = attributesNotKept.joined(separator: ", ")
        let lost = names.isEmpty ? "" : "; without the attributes \(names)"
        let rest = (isOldContentGone ? "" : "; what the older key opens is still in the log") + lost
        switch method {
        case .unchanged: return "on key \(to + 1), as it should be"
        case .copy: return "rotated \(change) by a copy of \(bytes) bytes\(settings)\(rest)"
        case .inPlace: return "rotated \(change) in place, \(bytes) bytes\(settings)\(rest)"
        case .envelope: return "envelope rotated \(change)"
        }
    }
}
