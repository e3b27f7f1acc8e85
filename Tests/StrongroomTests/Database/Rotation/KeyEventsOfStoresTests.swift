import Foundation
import Logging
// Internal: an envelope is changed by hand, and locks are tried.
@testable import Strongroom
import StrongroomTesting
import Testing

/// Keeps the events of keys.
final class KeyEventLog: OperationObserver {
    private let events = Locked<[KeyEvent]>([])
    private let whenCalled: @Sendable (KeyEvent) -> Void

    init(whenCalled: @escaping @Sendable (KeyEvent) -> Void = { _ in }) { self.whenCalled = whenCalled }

    func operationEnded(_ operation: FinishedOperation) {}

    func keyEventOccurred(_ event: KeyEvent) {
        events.withLock { $0.append(event) }
        whenCalled(event)
    }

    /// The events since the last call.
    func take() -> [KeyEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// The kinds with the labels of the slots before and after.
    func texts() -> [String] {
        take().map { event in
            ([event.kind.description] + [event.previousSlot, event.slot].compactMap { $0?.label })
                .joined(separator: " ")
        }
    }
}

@Suite("What an observer receives of keys", .ending)
struct KeyEventsOfStoresTests {
    private let vault: EnvelopeVault
    private let log = KeyEventLog()
    private static let raw = "key chain: raw key"

    init() throws { vault = try EnvelopeVault() }

    /// Opens the vault in a registry with the observer, works with it, and closes it.
    @discardableResult
    private func using<T>(_ vault: Vault, _ work: (Store) async throws -> T) async throws -> T {
        let stores = try Stores(vault)
        stores.operationObservers = [log]
        let store = try await stores.open("vault.sqlite")
        do {
            let result = try await work(store)
            try await store.close()
            return result
        } catch {
            try? await store.close()
            throw error
        }
    }

    private func open(_ vault: Vault) async throws -> [String] {
        try await using(vault) { _ in }
        return log.texts()
    }

    // MARK: Openings

    @Test func `an opening says which slot opened the file, and what it did to the slots`() async throws {
        #expect(try await open(vault(1)) == ["added \(Self.raw)"])
        try await using(vault(1)) { store in
            let slot = try #require(try await store.keySlots().first)
            #expect(store.openReport.keySlot == slot)
            let event = try #require(log.take().first)
            #expect(event.kind == .opened && event.slot == slot && event.previousSlot == nil && event.error == nil)
            #expect(event.name == store.name && "\(event)" == "opened \(slot.fingerprint) (\(Self.raw))")
        }
        let report = try await using(vault(1, 2)) { $0.openReport }
        let events = log.take()
        try #require(events.map(\.kind) == [.opened, .replaced])
        #expect(report.keySlot == events[0].slot)
        #expect(events[1].previousSlot == events[0].slot && events[1].slot != events[0].slot)
        #expect(try vault.envelope(2).keySlots == [events[1].slot])
    }

    @Test func `a file that gets its envelope has an added slot, and one without has none`() async throws {
        #expect(try await open(vault.direct(.numbered(1))).isEmpty)
        let report = try await using(vault(1)) { $0.openReport }
        #expect(report.rotation?.method == .copy && report.keySlot == nil)
        #expect(log.texts() == ["added \(Self.raw)"])
    }

    @Test func `an opening without a key that fits has failed`() async throws {
        try await vault(1).keep("first")
        try await expectFailure(.wrongKey) { try await open(vault(8)) }
        let events = log.take()
        try #require(events.map(\.kind) == [.failed])
        #expect(events[0].slot == nil && events[0].error?.code == .wrongKey)
        try vault.put([1], [1])
        try await expectFailure(.envelopeDamaged) { try await open(vault(1)) }
        #expect(log.take().map { $0.error?.code } == [.envelopeDamaged])
        try vault.put(nil, nil)
        try await expectFailure(.envelopeMissing) { try await open(vault(1)) }
        #expect(log.take().map { $0.error?.code } == [.envelopeMissing])
        struct Unreachable: Error {}
        var away = vault(1)
        away.keyChain = { _ in throw Unreachable() }
        await #expect(throws: Unreachable.self) { try await open(away) }
        let unreachable = log.take()
        #expect(unreachable.map(\.kind) == [.failed] && unreachable.first?.error == nil)
        // Of another kind.
        try Data().write(to: URL(filePath: vault.sidecar.databasePath))
        try await expectFailure(.emptyFile) { try await open(vault(1)) }
        #expect(log.take().isEmpty)
    }

    @Test func `a provider that is away is named once, whether another key opens the file or none`() async throws {
        let provider = ImitatedProvider()
        let key = try Key.external(provider)
        try await vault([key]).using { store in try await store.addKey(.numbered(1), label: "spare") }
        // Both copies are tried.
        try vault.put(vault.copies[0], nil)
        provider.fault = .fails
        for fault in [ImitatedProvider.Fault.fails, .anotherKey] {
            provider.fault = fault
            let report = try await using(vault([.numbered(1), key])) { $0.openReport }
            #expect(report.rotationFailure?.code == .keyProvider)
            let events = log.take()
            try #require(events.map(\.kind) == [.failed, .opened])
            #expect(events[0].slot?.externalIdentifier == "imitation:1" && events[0].error?.code == .keyProvider)
            #expect(events[1].slot?.label == "spare" && events[1].error == nil)
            try await expectFailure(.keyProvider) { try await open(vault([key])) }
            let failed = log.take()
            try #require(failed.map(\.kind) == [.failed])
            #expect(failed[0].slot == events[0].slot)
        }
    }

    @Test func `the use of a recovery key is reported and logged`() async throws {
        try await vault(1).keep("first")
        let logged = CollectedLog()
        let recovery = try await using(vault(1).with(\.logger, logged.logger(.info))) { store in
            try await store.recoveryKey(label: "safe")
        }
        #expect(log.texts() == ["opened \(Self.raw)", "added safe"])
        #expect(logged.entries.allSatisfy { $0.message != "opened with a recovery key" })
        try await using(vault([.recovery(recovery), .numbered(3)]).with(\.logger, logged.logger(.info))) { store in
            #expect(store.openReport.keySlot?.isRecovery == true)
        }
        let events = log.take()
        try #require(events.map(\.kind) == [.opened, .added])
        #expect(events[0].slot?.isRecovery == true && events[1].slot?.isRecovery == false)
        let notice = try #require(logged.entries.first { $0.message == "opened with a recovery key" })
        let fingerprint = try #require(events[0].slot).fingerprint
        #expect(notice.level == .notice && notice.metadata["slot"] == "\(fingerprint)")
        #expect(!"\(events) \(logged.entries)".contains(recovery.text))
    }

    // MARK: Open stores

    @Test func `changes of an open store are reported once, when they are on the disk`() async throws {
        let sidecar = vault.sidecar
        let seen = Locked<[[KeySlot]]>([])
        let log = KeyEventLog { _ in
            let stored = try? EnvelopeFile(databasePath: sidecar.databasePath, name: "").stored()
            let slots = stored.flatMap { try? Envelope(bytes: $0).slots.map(\.keySlot) }
            seen.withLock { $0.append(slots ?? []) }
        }
        let stores = try Stores(vault(1))
        stores.operationObservers = [log]
        let store = try await stores.open("vault.sqlite")
        #expect(log.texts() == ["added \(Self.raw)"])
        let slot = try await store.addKey(.numbered(2), label: "office")
        #expect(log.texts() == ["added office"])
        #expect(seen.withLock { $0.last?.map(\.label) } == [Self.raw, "office"])
        try await expectFailure(.keySlot) { try await store.addKey(.numbered(2), label: "again") }
        #expect(log.texts().isEmpty)
        _ = try await store.labelKey(#require(try await store.keySlots().first).fingerprint, "first")
        #expect(log.texts() == ["labelled \(Self.raw) first"])
        try await store.revokeKey(slot.fingerprint)
        #expect(log.texts() == ["revoked office"])
        #expect(seen.withLock { $0.last?.map(\.label) } == ["first"])
        try await store.close()
    }

    @Test func `rotations of an open store are reported`() async throws {
        let numbers = Locked<[UInt8]>([1])
        let changing = Vault(vault.directory.path(""), numbers: numbers).with(\.protection, .envelope)
        try await using(changing) { store in
            _ = log.take()
            numbers.withLock { $0 = [1, 2] }
            try await store.rotate()
            #expect(log.texts() == ["replaced \(Self.raw) \(Self.raw)"])
            try await store.rotate()
            #expect(log.texts().isEmpty)
            let office = try await store.addKey(.numbered(5), label: "office")
            _ = log.take()
            // Without the keys of all slots nothing happens.
            try await expectFailure(.keySlot) { try await store.rotate(.dataKey) }
            #expect(log.texts().isEmpty)
            try await store.rotate(.dataKey, keys: [.numbered(5)])
            #expect(
                log.texts() == ["rewrapped \(Self.raw) \(Self.raw)", "rewrapped office office", "dataKeyReplaced"])
            #expect(try await store.keySlots().last == office)
        }
    }

    @Test func `an observer may use the store: no lock is held`() async throws {
        try await vault(1).keep("first")
        let file = DatabaseFile(
            path: vault.sidecar.databasePath, name: "vault.sqlite", busyTimeout: 0, log: nil)
        let isFree = Locked<[Bool]>([])
        let log = KeyEventLog { _ in
            // A program that another test starts has the descriptor of a lock that is released, for a moment.
            for attempt in 1...200 {
                let lock = try? file.tryLock()
                guard lock == nil, attempt < 200 else {
                    isFree.withLock { $0.append(lock != nil) }
                    lock?.release()
                    break
                }
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
        let stores = try Stores(vault(1, 2))
        stores.operationObservers = [log]
        let store = try await stores.open("vault.sqlite")
        try await store.rotate(.dataKey)
        try await store.revokeKey(store.addKey(.numbered(3)).fingerprint)
        try await store.close()
        #expect(log.take().count == 6)
        #expect(isFree.withLock { $0 } == [Bool](repeating: true, count: 6))
    }

    /// Another process gives the open file a data key, and the envelope a slot whose provider is away.
    private func changeKeysElsewhere() async {
        await #expect(processExitsWith: .success) { [root = vault.directory.path("") as String] in
            let other = try await Vault(root, keys: .numbered(1)).with(\.protection, .envelope).open()
            if other.openReport.rotation == nil { try await other.rotate(.dataKey) }
            try await other.addKey(Key.external(ImitatedProvider()), label: "away")
            try await other.close()
        }
    }

    /// The vault, whose chain gets a key of a provider that is away.
    private func vault(whoseKeyIsAway isAway: Locked<Bool>) throws -> Vault {
        let provider = ImitatedProvider()
        provider.fault = .fails
        let keys = [Key.numbered(1), try Key.external(provider)]
        var changing = vault(1).with(\.settings.rotation, .never)
        changing.keyChain = { _ in try KeyChain(isAway.withLock { $0 } ? keys : [keys[0]]) }
        return changing
    }

    @Test func `a provider that is away when an envelope is changed is reported without a lock`() async throws {
        try await vault.direct(.numbered(1)).keep("first")
        let file = DatabaseFile(path: vault.sidecar.databasePath, name: "vault.sqlite", busyTimeout: 0, log: nil)
        let (isAway, isFree) = (Locked(false), Locked<[Bool]>([]))
        let log = KeyEventLog { _ in
            let lock = try? file.tryLock()
            isFree.withLock { $0.append(lock != nil) }
            lock?.release()
        }
        let stores = try Stores(vault(whoseKeyIsAway: isAway))
        stores.operationObservers = [log]
        let store = try await stores.open("vault.sqlite")
        await changeKeysElsewhere()
        isAway.withLock { $0 = true }
        try await store.addKey(.numbered(2), label: "office")
        #expect(log.texts() == ["failed away", "added office"])
        #expect(isFree.withLock { $0 } == [true, true])
        try await store.close()
    }

    @Test func `a read that finds a new data key does not wait for the observer`() async throws {
        try await vault(1).keep("first")
        let (isAway, mayReturn, hasWaited) = (Locked(false), Moment(), Locked<[Bool]>([]))
        let log = KeyEventLog { event in
            guard event.kind == .failed else { return }
            let isRead = (try? mayReturn.block()) != nil
            hasWaited.withLock { $0.append(isRead) }
        }
        let stores = try Stores(vault(whoseKeyIsAway: isAway))
        stores.operationObservers = [log]
        let store = try await stores.open("vault.sqlite")
        await changeKeysElsewhere()
        isAway.withLock { $0 = true }
        #expect(try await store.lines() == ["first"])
        mayReturn.come()
        try await eventually { hasWaited.withLock { !$0.isEmpty } }
        #expect(hasWaited.withLock { $0 } == [true])
        #expect(log.texts().contains("failed away"))
        try await store.close()
    }

    @Test func `a failed change is reported if the first copy on the disk has it`() throws {
        let sidecar = Sidecar(vault.directory.path(""))
        let old = try OpenEnvelope.with(.numbered(1))
        var new = old
        try new.add(.numbered(2), label: "second", date: .fixed)
        // It is not overwritten.
        let foreign = try OpenEnvelope(databaseSalt: .salt.reversed(), key: .numbered(1), label: "", date: .fixed)
        let events = try #require(KeyEvents(DatabaseName("vault.sqlite"), [log]))
        for (first, expected) in [(old, []), (new, ["added second"])] {
            try sidecar.put(first.bytes, foreign.bytes)
            try expectFailure(.foreignEnvelope) { try sidecar.file.replace(old, with: new, events) }
            events.deliver()
            #expect(log.texts() == expected)
        }
    }

    @Test func `a restore that brings an envelope has added its slots`() async throws {
        let backup = vault.directory.path("backup.sqlite")
        try await vault(1).keep("first")
        try await vault(1).backUp(to: backup)
        let other = try EnvelopeVault()
        let stores = try Stores(other(1))
        stores.operationObservers = [log]
        try await stores.restore("vault.sqlite", from: backup)
        #expect(log.texts() == ["added \(Self.raw)"])
        // It keeps its own now.
        try await stores.restore("vault.sqlite", from: backup)
        #expect(log.texts().isEmpty)
    }

    @Test func `events of concurrent changes come one after the other, each once`() async throws {
        let (isCalled, mayReturn) = (Moment(), Moment())
        let calls = Locked((now: 0, most: 0))
        let log = KeyEventLog { event in
            calls.withLock { calls in
                calls.now += 1
                calls.most = max(calls.most, calls.now)
            }
            if event.slot?.label == "2" {
                isCalled.come()
                try? mayReturn.block()
            }
            calls.withLock { $0.now -= 1 }
        }
        let stores = try Stores(vault(1))
        stores.operationObservers = [log]
        let store = try await stores.open("vault.sqlite")
        let first = Task { try await store.addKey(.numbered(2), label: "2") }
        try await isCalled.wait()
        // They do not wait for the observer.
        for number in UInt8(3)...5 { try await store.addKey(.numbered(number), label: "\(number)") }
        mayReturn.come()
        _ = try await first.value
        try await store.close()
        #expect(log.texts() == ["added \(Self.raw)"] + (2...5).map { "added \($0)" })
        #expect(calls.withLock { $0.most } == 1)
    }
}
