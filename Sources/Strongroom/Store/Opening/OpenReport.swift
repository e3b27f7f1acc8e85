import Logging

/// What opening a store did.
public struct OpenReport: Sendable, Equatable {
    /// The state in which the file was found.
    public enum Outcome: Sendable, Equatable {
        /// There was none; it was created.
        case created
        /// It existed.
        case opened
    }

    /// The state in which the file was found.
    public internal(set) var outcome = Outcome.opened
    /// The key of the file, after a rotation, or the key that opens its envelope; nil for a file that stays plaintext.
    public internal(set) var key: KeyUse?
    /// The slot of the key that opened the envelope, before a rotation; nil for a file that no data key opens, and for
    /// a new one.
    public internal(set) var keySlot: KeySlot?
    /// The slots of the envelope whose kind this version does not know (``KeySlot/isUnknown``).
    public internal(set) var unknownKeySlots: [KeySlot] = []
    /// The migrator's report; nil without a migrator.
    public internal(set) var migration: MigrationReport?
    /// How the file was rewritten with the current key, or the envelope alone (``RotationReport/Method/envelope``); nil
    /// if nothing was necessary, or not while opening.
    public internal(set) var rotation: RotationReport?
    /// Why the file still has an older key or older cipher settings although it should have been rewritten: the
    /// rotation is tried again at the next opening, or call `rotate()`.
    public internal(set) var rotationFailure: StrongroomError?
    /// How long finding the key took, including derivations.
    public internal(set) var keyDuration = Duration.zero
    /// How long creating or migrating took.
    public internal(set) var migrationDuration = Duration.zero
    /// How long opening took in total.
    public internal(set) var duration = Duration.zero
}

extension OpenReport: CustomStringConvertible {
    /// A description in one line.
    public var description: String {
        var parts = ["\(outcome)"]
        parts[0] += key.map { " with \($0.description)" } ?? ", not encrypted"
        if !unknownKeySlots.isEmpty { parts.append(unknownKeySlots.count.counting("key slot") + " of an unknown kind") }
        if let rotation, rotation.isRotated { parts.append("\(rotation)") }
        if let rotationFailure { parts.append("not rotated: \(rotationFailure.message)") }
        if let migration, outcome == .opened { parts.append("\(migration)") }
        return parts.joined(separator: "; ") + "; in \(duration.milliseconds) ms"
    }
}

extension OpenReport {
    var logged: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "outcome": "\(outcome)", "milliseconds": .stringConvertible(duration.fineMilliseconds),
        ]
        if let key { metadata["key"] = "\(key.position + 1) of \(key.count)" }
        if let keySlot { metadata["slot"] = "\(keySlot.fingerprint)" }
        if let rotation { metadata["rotated"] = "\(rotation.method)" }
        if !unknownKeySlots.isEmpty { metadata["unknownKeySlots"] = "\(unknownKeySlots.count)" }
        if let version = migration?.to { metadata["version"] = .string(version) }
        return metadata
    }
}
