import Foundation
import Strongroom

/// A slot, for JSON and as text.
struct SlotDetail: Encodable {
    let fingerprint: String
    let label: String
    /// ISO 8601.
    let created: String
    /// The full days since then; nil if it is in the future, as after the clock was wrong.
    let ageDays: Int?
    let isRecovery: Bool
    /// Whether its kind is one that only a newer version can use.
    let isUnknown: Bool
    /// The identifier of the provider and its key; nil for a key that is no external one.
    let external: String?
    /// The public key as PEM; nil for another key.
    let publicKey: String?
    /// The number of the key in the chain that has the slot, from 1 for the oldest; nil if none has it, or if that was
    /// not looked for.
    private(set) var key: Int?
    /// A new recovery key.
    var recoveryKey: String?
    /// The shares of a new recovery key that is not given itself.
    var recoveryShares: [String]?

    init(_ slot: KeySlot, key: KeyUse? = nil) {
        fingerprint = "\(slot.fingerprint)"
        label = slot.label
        created = slot.created.formatted(.iso8601)
        ageDays = slot.created.ageInDays
        isRecovery = slot.isRecovery
        isUnknown = slot.isUnknown
        external = slot.externalIdentifier
        publicKey = slot.publicKey
        self.key = key.map { $0.position + 1 }
    }

    /// `chain`, `external`, `public`, `recovery` or `unknown`.
    var kind: String {
        if publicKey != nil { return "public" }
        return isUnknown ? "unknown" : isRecovery ? "recovery" : external == nil ? "chain" : "external"
    }

    /// Fingerprint and label.
    var title: String { label.isEmpty ? fingerprint : "\(fingerprint) (\(label))" }

    /// Fingerprint, label and age.
    var summary: String { "\(title) \(ageDays.map { HumanReadable.count($0, "day") } ?? "of unknown age")" }
}

extension Date {
    /// The full days since then; nil if it is in the future.
    var ageInDays: Int? {
        let seconds = Date.now.timeIntervalSince(self)
        return seconds < -60 ? nil : Int(max(0, seconds) / 86_400)
    }
}
