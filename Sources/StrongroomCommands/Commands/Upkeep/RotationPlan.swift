import Strongroom

/// What a rotation of a database would do, and which keys would open it afterwards, for JSON and as text. Keys are
/// counted from 1, the oldest.
struct RotationPlan: Encodable, Sendable {
    /// A key that opens the file now.
    struct Access: Encodable, Sendable {
        /// The number of the key in the chain; nil for one that is not in it.
        let key: Int?
        /// The fingerprint and the label of its slot; nil for a file without an envelope.
        let slot: String?
        let label: String?

        init(key: KeyUse) { (self.key, slot, label) = (key.position + 1, nil, nil) }

        init(_ slot: KeySlot, key: KeyUse?) {
            (self.key, self.slot, label) = (key.map { $0.position + 1 }, "\(slot.fingerprint)", slot.label)
        }

        /// A description such as "key 1 (slot 5e5f-e4c6-dc13-1562, key chain: raw key)".
        var text: String {
            guard let slot else { return "key \(key ?? 0)" }
            let name = label.flatMap { $0.isEmpty ? nil : $0 }
            guard let key else { return "slot \(slot)\(name.map { " (\($0))" } ?? "")" }
            return "key \(key) (slot \(slot)\(name.map { ", \($0)" } ?? ""))"
        }
    }

    /// Whether there is something to do.
    let due: Bool
    /// Nil for a plaintext file.
    let fromKey: Int?
    let toKey: Int
    /// Whether the file is rewritten; otherwise only its envelope.
    let rewritesFile: Bool
    /// Who can open the file now, and no longer after the rotation.
    let losesAccess: [Access]
    /// Who can open it before and afterwards, besides the current key.
    let keepsAccess: [Access]
    /// The processes that have it open: they need the current key.
    let holders: [StatusDetail.Process]
    /// Whether `rotate` is refused without --in-use.
    let needsInUse: Bool

    /// - Parameters:
    ///   - slots: The slots of the envelope; empty if there is none.
    ///   - chain: The keys.
    init(_ survey: FileDiagnosis, _ slots: [(slot: KeySlot, key: KeyUse?)], _ chain: KeyChain) {
        let others = slots.filter { $0.key?.isCurrent != true }
        let isReplaced = { (slot: KeySlot, key: KeyUse?) in
            key.map { !slot.isRecovery && !chain.isPublicKey(at: $0.position) } ?? false
        }
        let isEnvelopeDue = survey.wantsEnvelope && !survey.hasEnvelope
        fromKey = survey.key.map { $0.position + 1 }
        toKey = chain.count
        rewritesFile =
            survey.finding == .plaintext || isEnvelopeDue || survey.settings != survey.wantedSettings
            || (!survey.hasEnvelope && survey.key?.isCurrent == false)
        let direct = survey.key.flatMap { key in
            survey.hasEnvelope || key.isCurrent ? nil : Access(key: key)
        }
        losesAccess = others.filter(isReplaced).map(Access.init) + (direct.map { [$0] } ?? [])
        keepsAccess = others.filter { !isReplaced($0, $1) }.map(Access.init)
        due = rewritesFile || survey.key?.isCurrent == false || !losesAccess.isEmpty
        holders = survey.holders.map { StatusDetail.Process(process: $0.process, name: $0.name) }
        needsInUse = !holders.isEmpty && rewritesFile && !survey.hasEnvelope && survey.finding != .plaintext
    }

    /// A description.
    var summary: String {
        let from = fromKey.map { "key \($0)" } ?? "plaintext"
        let way = fromKey == toKey ? "stay on key \(toKey)" : "go from \(from) to key \(toKey)"
        let lost = losesAccess.isEmpty ? "no key loses access" : "access is lost by \(Self.list(losesAccess))"
        let kept = keepsAccess.isEmpty ? "" : "; kept by \(Self.list(keepsAccess))"
        let names = holders.map { holder in holder.name.map { "\(holder.process) (\($0))" } ?? "\(holder.process)" }
        let refused = needsInUse ? "; without --in-use it would be refused, with exit code 75" : ""
        let open = names.isEmpty ? "" : "; open in process \(names.joined(separator: ", ")), which needs key \(toKey)"
        return due ? "would \(way); \(lost)\(kept)\(open)\(refused)" : "on key \(toKey) of \(toKey) already\(kept)"
    }

    private static func list(_ accesses: [Access]) -> String { accesses.map(\.text).joined(separator: ", ") }
}

extension OperatedDatabase {
    /// What a rotation would do; the file is not changed.
    func rotationPlan() async throws -> RotationPlan {
        let (survey, chain) = (try await survey(countsTables: false), try await configuration.keyChain(for: name))
        guard survey.finding != .plaintext || (chain.opensPlaintext && !chain.isPlaintext) else {
            throw Self.plaintext(path)
        }
        let slots =
            try await survey.hasEnvelope ? readOnly().using { try await $0.keySlotsWithKeys() } : []
        return RotationPlan(survey, slots, chain)
    }

    static func plaintext(_ path: String) -> CommandFailure {
        CommandFailure(
            "plaintextFile",
            "The file \"\(path)\" is a plaintext database. Encrypt it with `convert`.", .configuration)
    }
}
