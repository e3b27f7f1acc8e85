import Logging

/// What opening a store did.
public struct OpenReport: Sendable, Equatable {
    /// How the file was found.
    public enum Outcome: Sendable, Equatable {
        /// There was none; it was made.
        case created
        /// It was there.
        case opened
    }

    /// How the file was found.
    public internal(set) var outcome = Outcome.opened
    /// The key that the file is on, after a rotation, or that opens its envelope; nil for plaintext that stays so.
    public internal(set) var key: KeyUse?
    /// What the migrator did; nil without one.
    public internal(set) var migration: MigrationReport?
    /// How the file was rewritten with the current key, or the envelope alone (``RotationReport/Method/envelope``); nil
    /// when nothing was to be done, or not while opening.
    public internal(set) var rotation: RotationReport?
    /// Why the file is still on an older key, or has older cipher settings, although it should have been rewritten: it
    /// was tried and is tried again at the next opening, or call `rotate()`.
    public internal(set) var rotationFailure: StrongroomError?
    /// How long finding the key took, with the derivations.
    public internal(set) var keyDuration = Duration.zero
    /// How long making or migrating took.
    public internal(set) var migrationDuration = Duration.zero
    /// How long opening took altogether.
    public internal(set) var duration = Duration.zero

    /// That of an opening which has just begun.
    init() {}
}

extension OpenReport: CustomStringConvertible {
    /// For people, in one line.
    public var description: String {
        var words = [outcome == .created ? "made" : "opened"]
        words[0] += key.map { " with \($0.description)" } ?? ", not encrypted"
        if let rotation, rotation.isRotated { words.append("\(rotation)") }
        if let rotationFailure { words.append("not rotated: \(rotationFailure.message)") }
        if let migration, outcome == .opened { words.append("\(migration)") }
        return words.joined(separator: "; ") + "; in \(duration.milliseconds) ms"
    }
}

extension OpenReport {
    /// What a logger is told.
    var logged: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "outcome": "\(outcome)", "milliseconds": .stringConvertible(duration.fineMilliseconds),
        ]
        if let key { metadata["key"] = "\(key.place + 1) of \(key.count)" }
        if let rotation { metadata["rotated"] = "\(rotation.method)" }
        if let version = migration?.to { metadata["version"] = .string(version) }
        return metadata
    }
}
