/// What has happened to a key of a database; it never has a key.
///
/// ```swift
/// struct KeyLog: OperationObserver {
///     let logger: Logger
///
///     func operationEnded(_ operation: FinishedOperation) {}
///
///     func keyEventOccurred(_ event: KeyEvent) {
///         logger.notice("\(event.name.fileName): \(event)")
///     }
/// }
/// ```
public struct KeyEvent: Sendable {
    /// What has happened. The set is open: later versions add to it.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        private enum Name: String {
            case opened, failed, added, replaced, revoked, labelled, rewrapped, dataKeyReplaced
        }

        private let name: Name

        private init(_ name: Name) {
            self.name = name
        }

        /// Its name, for logs and metrics.
        public var description: String { name.rawValue }

        /// The key of the slot has opened the envelope in an opening of the store; see ``KeySlot/isRecovery``.
        public static let opened = Kind(.opened)
        /// The provider of the slot's key has failed, also if another key opened the envelope. Without a slot: the
        /// store was not opened, because of its keys.
        public static let failed = Kind(.failed)
        /// A key got a slot.
        public static let added = Kind(.added)
        /// A rotation replaced ``KeyEvent/previousSlot`` by the slot.
        public static let replaced = Kind(.replaced)
        /// The slot was removed, also by a rotation to a key that had its slot before.
        public static let revoked = Kind(.revoked)
        /// The slot got another label than ``KeyEvent/previousSlot`` has.
        public static let labelled = Kind(.labelled)
        /// The slot wraps a new data key, which the file gets next. That of an external key gets another fingerprint
        /// than ``KeyEvent/previousSlot`` has.
        public static let rewrapped = Kind(.rewrapped)
        /// The file has a new data key, and the older one was removed from the envelope. Without a slot.
        public static let dataKeyReplaced = Kind(.dataKeyReplaced)
    }

    /// The database's name.
    public let name: DatabaseName
    /// What has happened.
    public let kind: Kind
    /// The slot; nil for an event of no particular one.
    public let slot: KeySlot?
    /// What the slot was before.
    public let previousSlot: KeySlot?
    /// Why it failed; nil if the configuration gave no chain, for a reason that is no ``StrongroomError``.
    public let error: StrongroomError?
}

extension KeyEvent: CustomStringConvertible {
    /// A description in one line, with fingerprints and labels.
    public var description: String {
        let slots = [previousSlot, slot].compactMap { $0?.summary }.joined(separator: " -> ")
        return [kind.description, slots, error?.message ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension KeyEvent {
    /// How slots have changed.
    typealias Change = (kind: Kind, slot: KeySlot?, previous: KeySlot?)

    /// What a change of an envelope does to its slots.
    ///
    /// - Parameter old: Nil for a new envelope.
    static func changes(from old: OpenEnvelope?, to new: OpenEnvelope) -> [Change] {
        let hasNewDataKey = old.map { $0.dataKeys.each.last != new.dataKeys.each.last } ?? false
        var (gone, added) = (old?.keySlots ?? [], [KeySlot]())
        var changes: [Change] = []
        for slot in new.keySlots {
            guard let index = gone.firstIndex(where: { $0.hasSameKey(as: slot) }) else {
                added.append(slot)
                continue
            }
            let previous = gone.remove(at: index)
            if hasNewDataKey { changes.append((.rewrapped, slot, previous)) }
            if previous.label != slot.label { changes.append((.labelled, slot, previous)) }
        }
        if let successor = added.last, !gone.isEmpty {
            // Only a rotation removes and adds in one step.
            changes += gone.map { (.replaced, successor, $0) }
            added.removeLast()
        } else {
            changes += gone.map { (.revoked, $0, nil) }
        }
        changes += added.map { (.added, $0, nil) }
        if let old, !hasNewDataKey, old.dataKeys.count > new.dataKeys.count {
            changes.append((.dataKeyReplaced, nil, nil))
        }
        return changes
    }
}

extension KeySlot {
    /// An external key, of which there is one slot, gets another fingerprint when its slot is rewrapped.
    fileprivate func hasSameKey(as other: KeySlot) -> Bool {
        fingerprint == other.fingerprint
            || externalIdentifier != nil && externalIdentifier == other.externalIdentifier
    }
}

/// What happens to the keys of a database, until the observers receive it when no lock is held.
final class KeyEvents: EnvelopeObserver {
    private struct State {
        var pending: [KeyEvent] = []
        /// Whether a thread is calling the observers. It also delivers what is added meanwhile, in that order.
        var isDelivering = false
    }

    private let name: DatabaseName
    private let observers: [any OperationObserver]
    private let state = Locked(State())

    /// Nil without observers.
    init?(_ name: DatabaseName, _ observers: [any OperationObserver]) {
        guard !observers.isEmpty else { return nil }
        (self.name, self.observers) = (name, observers)
    }

    func add(_ kind: KeyEvent.Kind, _ slot: KeySlot?, previous: KeySlot? = nil, _ error: StrongroomError? = nil) {
        let event = KeyEvent(name: name, kind: kind, slot: slot, previousSlot: previous, error: error)
        state.withLock { $0.pending.append(event) }
    }

    func envelopeChanged(from old: OpenEnvelope?, to new: OpenEnvelope) {
        for change in KeyEvent.changes(from: old, to: new) { add(change.kind, change.slot, previous: change.previous) }
    }

    func slotFailed(_ slot: KeySlot, _ error: StrongroomError) {
        // Both copies of the envelope may have been tried.
        let isKnown = state.withLock { $0.pending.contains { $0.kind == .failed && $0.slot == slot } }
        if !isKnown { add(.failed, slot, error) }
    }

    /// Reports an opening that failed because of the keys, unless it is the failure of a slot that was reported.
    func openingFailed(_ error: StrongroomError) {
        guard error.family == .keys || error.code == .envelopeDamaged else { return }
        let isKnown = state.withLock { $0.pending.contains { $0.kind == .failed && $0.error?.code == error.code } }
        if !isKnown { add(.failed, nil, error) }
    }

    /// Calls the observers with what was added and not delivered yet; to be called without a lock.
    func deliver() {
        var isOwn = false
        func next() -> [KeyEvent]? {
            state.withLock { state in
                guard isOwn || !state.isDelivering else { return nil }
                isOwn = !state.pending.isEmpty
                state.isDelivering = isOwn
                defer { state.pending = [] }
                return isOwn ? state.pending : nil
            }
        }
        while let events = next() {
            for event in events { observers.forEach { $0.keyEventOccurred(event) } }
        }
    }
}
