import Foundation

/// An envelope that a key has opened: its content is authenticated, and it can be changed.
///
/// Changes apply to the value; ``EnvelopeFile`` writes it to disk.
struct OpenEnvelope: Sendable {
    /// The content on disk, or the content to be written.
    private(set) var sealed: Envelope
    private(set) var dataKeys: DataKeys
    /// The index in the chain of the key that opens it, oldest first; nil if none was needed.
    var position: Int?
    /// Whether both copies on disk are intact and equal; if not, ``EnvelopeFile/replace(_:)`` restores them.
    var isIntact = true
    private(set) var usedSlot: KeyFingerprint?
    private var wrappingKeys: WrappingKeys

    init(
        _ sealed: Envelope, dataKeys: DataKeys, position: Int?, usedSlot: KeyFingerprint?, wrappingKeys: WrappingKeys
    ) {
        self.sealed = sealed
        self.dataKeys = dataKeys
        self.position = position
        self.usedSlot = usedSlot
        self.wrappingKeys = wrappingKeys
    }

    /// Creates an envelope with one slot.
    init(
        databaseSalt: [UInt8], dataKeys: DataKeys = .random(), key: Key, label: String, date: Date,
        cost: ScryptCost = .standard
    ) throws {
        self.dataKeys = dataKeys
        sealed = Envelope(
            databaseSalt: databaseSalt, dataKeyIdentifier: dataKeys.identifier, dataKeyCount: dataKeys.count)
        usedSlot = nil
        wrappingKeys = WrappingKeys()
        try add(key, label: label, date: date, cost: cost)
    }

    var keySlots: [KeySlot] { sealed.slots.map(\.keySlot) }

    /// The slot whose key has opened it; nil if none was needed.
    var openedSlot: KeySlot? { keySlots.first { $0.fingerprint == usedSlot } }

    var databaseSalt: [UInt8] { sealed.databaseSalt }

    var bytes: [UInt8] { sealed.bytes }

    /// The keys of the database's file: one, or two while the data key is being replaced, oldest first.
    var fileKeys: [Key] { dataKeys.fileKeys(salt: sealed.databaseSalt) }

    /// The slot of a key; that of an external key is found by its identifier, without its provider, and that of a pair
    /// by the public key.
    mutating func slot(of key: Key) throws -> KeySlot? {
        switch key.material {
        case .external, .pair: sealed.slots.first { $0.derivation.suits(key) }?.keySlot
        default: try slotOpened(by: key)
        }
    }

    /// The slot of a key that opens it now.
    ///
    /// - Throws: ``StrongroomError`` with `keyProvider` if the provider of an external key does not unwrap it.
    mutating func slotOpened(by key: Key) throws -> KeySlot? {
        for derivation in sealed.derivations {
            if let (slot, _) = try sealed.slot(of: key, derivation, &wrappingKeys) { return slot.keySlot }
        }
        return nil
    }
}

extension OpenEnvelope {
    @discardableResult
    mutating func add(
        _ key: Key, label: String, date: Date, use: EnvelopeSlot.Use = .chain, cost: ScryptCost = .standard
    ) throws -> KeySlot {
        let label = try Self.checked(label)
        if let slot = try slot(of: key) { throw Self.refusal("The key has a slot already, \"\(slot.fingerprint)\"") }
        guard sealed.slots.count < Envelope.maxSlots else {
            throw Self.refusal("There are \(Envelope.maxSlots) slots already; revoke one that is not needed any more")
        }
        let wrapping = try newWrappingKey(for: key, cost)
        // It does not open the envelope where it is, so no key of a chain is left with it alone.
        let use = key.isPublicKey ? .recovery : use
        let created = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0
        let slot = try EnvelopeSlot(
            dataKeys, with: wrapping, header: sealed.header, label: label, created: created, use: use)
        try change { $0.sealed.slots.append(slot) }
        return slot.keySlot
    }

    /// Creates a random recovery key and its slot.
    ///
    /// - Returns: The slot, and the key, to be shown once.
    mutating func addRecoveryKey(label: String, date: Date) throws -> (slot: KeySlot, key: RecoveryKey) {
        let recovery = RecoveryKey.random()
        return (try add(.recovery(recovery), label: label, date: date, use: .recovery), recovery)
    }

    /// Gives a slot another label. The slot's tag covers the label, so its key is needed; for a pair the public one.
    mutating func label(_ fingerprint: KeyFingerprint, _ label: String, keys: [Key]) throws -> KeySlot {
        let label = try Self.checked(label)
        let index = try index(of: fingerprint)
        let old = sealed.slots[index]
        let sealedTo = old.derivation.publicKey.map { Key(material: .pair(publicKey: $0, privateKey: nil)) }
        for key in keys + [sealedTo].compactMap(\.self) {
            guard let wrapping = try wrappingKey(of: old, key, renews: false) else { continue }
            let slot = try old.wrapping(dataKeys, with: wrapping, header: sealed.header, label: label)
            try change { $0.sealed.slots[index] = slot }
            return slot.keySlot
        }
        throw Self.refusal(
            "The label of the slot \(old.keySlot.summary) is sealed with its key, which was not given; give that key")
    }

    mutating func revoke(_ fingerprint: KeyFingerprint) throws {
        let index = try index(of: fingerprint)
        let isLast = !sealed.slots.enumerated().contains {
            $0.offset != index && $0.element.use == .chain && !$0.element.isUnknown
        }
        guard !isLast else {
            throw Self.refusal("The slot \"\(fingerprint)\" is the last that a key chain opens; add another key first")
        }
        try change { $0.sealed.slots.remove(at: index) }
    }

    private func index(of fingerprint: KeyFingerprint) throws -> Int {
        guard let index = sealed.slots.firstIndex(where: { $0.fingerprint == fingerprint }) else {
            throw Self.refusal("There is no slot \"\(fingerprint)\"; list the slots to see which there are")
        }
        return index
    }

    /// Replaces a key by another one: the rotation of an envelope. A key that has a slot already must open it, so that
    /// the key of a provider that is away does not become the only one.
    @discardableResult
    mutating func replace(
        _ fingerprint: KeyFingerprint, with key: Key, label: String, date: Date, cost: ScryptCost = .standard
    ) throws -> KeySlot {
        var changed = self
        let slot = try changed.slotOpened(by: key) ?? changed.add(key, label: label, date: date, cost: cost)
        if slot.fingerprint != fingerprint { try changed.revoke(fingerprint) }
        self = changed
        return slot
    }

    /// Wraps other data keys. The slots of the given keys are kept; the others are removed, because they cannot be
    /// rewritten without their keys. With a new data key, providers wrap new keys of their slots: an attacker with the
    /// old data key may know those of the slots, too.
    ///
    /// - Parameter keys: The keys whose slots are kept; every key of the chain, and available recovery keys. For the
    ///   slot of a pair the public key is enough, but it has to be named: an attacker with the old data key may have
    ///   added another.
    /// - Returns: The removed slots.
    mutating func rewrap(_ dataKeys: DataKeys, keys: [Key]) throws -> [KeySlot] {
        var removed: [KeySlot] = []
        try change { changed in
            changed.dataKeys = dataKeys
            changed.sealed.dataKeyIdentifier = dataKeys.identifier
            changed.sealed.dataKeyCount = dataKeys.count
            let header = changed.sealed.header
            let slots = changed.sealed.slots
            changed.sealed.slots = try slots.compactMap { slot in
                for key in keys {
                    guard let wrapping = try changed.wrappingKey(of: slot, key, renews: dataKeys.count > 1) else {
                        continue
                    }
                    // That of an external key is renewed.
                    if changed.usedSlot == slot.fingerprint { changed.usedSlot = wrapping.fingerprint }
                    return try slot.wrapping(dataKeys, with: wrapping, header: header)
                }
                removed.append(slot.keySlot)
                return nil
            }
            guard changed.sealed.slots.contains(where: { $0.use == .chain }) else {
                throw Self.refusal(
                    "None of the given keys has a slot that a key chain opens; give the key chain that opened it")
            }
        }
        return removed
    }

    /// The key with which a slot of other data keys is encrypted; nil if it is the slot of another key.
    ///
    /// - Parameter renews: Whether a provider wraps a new key.
    private mutating func wrappingKey(of slot: EnvelopeSlot, _ key: Key, renews: Bool) throws -> WrappingKey? {
        if case .pair = key.material {
            return slot.derivation.suits(key) ? try newWrappingKey(for: key, .standard) : nil
        }
        guard let (own, wrapping) = try sealed.slot(of: key, slot.derivation, &wrappingKeys),
            own.fingerprint == slot.fingerprint
        else { return nil }
        // Only once it has opened the slot: a provider with the same identifier may have another key.
        guard renews, case .external(let external) = key.material else { return wrapping }
        return try wrappingKeys.makeKey(wrappedBy: external, key, context: databaseSalt)
    }

    private mutating func newWrappingKey(for key: Key, _ cost: ScryptCost) throws -> WrappingKey {
        if case .external(let external) = key.material {
            return try wrappingKeys.makeKey(wrappedBy: external, key, context: databaseSalt)
        }
        if case .pair(let publicKey, _) = key.material {
            return try WrappingKey(sealedTo: publicKey, key, context: databaseSalt)
        }
        return try wrappingKeys.key(for: key, derivation(for: key, cost), context: databaseSalt)
    }

    /// Changes the content and authenticates it; if either fails, nothing is changed.
    private mutating func change(_ body: (inout OpenEnvelope) throws -> Void) throws {
        var changed = self
        try body(&changed)
        changed.sealed.generation &+= 1
        changed.sealed.authentication = try changed.dataKeys.authentication(of: changed.sealed.signedBytes)
        guard changed.bytes.count <= Envelope.maxBytes else {
            throw Self.refusal("The envelope would be longer than 64 KiB; revoke a slot that is not needed any more")
        }
        // What no reader takes is not written.
        do {
            _ = try Envelope(bytes: changed.bytes)
        } catch EnvelopeDefect.damaged(let reason) {
            throw Self.refusal("The envelope could not be read any more: \(reason); report this")
        }
        self = changed
    }

    /// The newest slot's derivation for such a key, so that one derivation determines whether a passphrase has a slot;
    /// a new one if there is none or its cost is too low.
    private func derivation(for key: Key, _ cost: ScryptCost) -> SlotDerivation {
        let derivations = sealed.derivations
        let isFull = sealed.derivationCount >= Envelope.maxDerivations
        return switch (derivations.first { $0.suits(key) }, key.material) {
        case (.raw(let salt)?, _): .raw(salt: salt)
        case (.scrypt(let used, let salt)?, _) where isFull || used.isAtLeast(cost): .scrypt(used, salt: salt)
        case (_, .passphrase): .scrypt(cost, salt: CipherSettings.randomSalt())
        default: .raw(salt: CipherSettings.randomSalt())
        }
    }

    private static func checked(_ label: String) throws -> String {
        guard label.utf8.count <= Envelope.longestLabel else {
            throw refusal("A label of \(label.utf8.count) bytes is longer than \(Envelope.longestLabel); shorten it")
        }
        guard !label.hasControlCharacter else {
            throw refusal("A label has a control character in it; leave it out")
        }
        return label
    }

    private static func refusal(_ reason: String) -> StrongroomError {
        StrongroomError(.keySlot, "\(reason). Nothing was changed.")
    }
}

/// The keys with which the database's file may be encrypted: one, or two while it is being replaced, oldest first.
struct DataKeys: Sendable, Equatable {
    private let material: SecretBytes

    static let length = 32
    static let identifierLength = 16

    static func random() -> DataKeys { DataKeys(material: .random(count: length)) }

    init(material: SecretBytes) {
        self.material = material
    }

    /// Keys from their concatenated bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        material = SecretBytes(bytes)
    }

    var count: Int { material.count / Self.length }

    /// The keys, oldest first, as keys of the file: raw ones with the file's salt.
    func fileKeys(salt: [UInt8]) -> [Key] { each.map { Key(material: .raw($0.material, salt: salt)) } }

    /// Each key by itself, oldest first.
    var each: [DataKeys] {
        material.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: Self.length).map { start in
                DataKeys(UnsafeRawBufferPointer(rebasing: bytes[start..<start + Self.length]))
            }
        }
    }

    /// The newest key, followed by a random one.
    func withSuccessor() -> DataKeys {
        guard let newest = each.last else { return self }
        let successor = DataKeys.random()
        let both = SecretBytes(count: 2 * Self.length) { both in
            newest.withUnsafeBytes { both.copyMemory(from: $0) }
            successor.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: both[Self.length...]).copyMemory(from: $0)
            }
        }
        return DataKeys(material: both)
    }

    func withUnsafeBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        try material.withUnsafeBytes(body)
    }

    /// Identifies the keys without revealing them.
    var identifier: [UInt8] {
        Cryptography.expand(material, "strongroom envelope: identifier", count: Self.identifierLength)
            .withUnsafeBytes { Array($0) }
    }

    func authentication(of content: [UInt8]) throws -> [UInt8] {
        let key = Cryptography.expand(
            material, "strongroom envelope: authentication", count: Cryptography.keyLength)
        let authentication = try MessageAuthentication(key: key, hash: .sha256)
        return content.withUnsafeBytes { authentication.withCode(of: $0) { Array($0) } }
    }

    /// Whether a code belongs to the content, compared in constant time.
    func isAuthentic(_ code: [UInt8], for content: [UInt8]) throws -> Bool {
        try SecretBytes(authentication(of: content)) == SecretBytes(code)
    }
}
