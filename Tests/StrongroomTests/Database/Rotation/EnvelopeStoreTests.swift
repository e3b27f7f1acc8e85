import Foundation
// Internal: the envelope's data keys cannot be seen through the public interface.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Envelope of an open store", .ending)
struct EnvelopeStoreTests {
    private let vault: EnvelopeVault
    private let numbers = Locked<[UInt8]>([1])

    init() throws {
        vault = try EnvelopeVault()
    }

    /// A vault whose chain changes while it is open.
    private var changing: Vault {
        Vault(vault.directory.path(""), numbers: numbers).with(\.protection, .envelope)
    }

    // MARK: The chain's key

    @Test func rotatingWaitsForNoOperationAndDoesNotChangeTheFile() async throws {
        try await vault(1).keep("first")
        let file = try vault.file
        let store = try await changing.open()
        numbers.withLock { $0 = [1, 2] }
        // Whoever reads for long is not waited for.
        let mayEnd = Moment()
        let reader = try await store.holdReader(until: mayEnd)
        let done = try await ending { try await store.rotate() }
        #expect(done.method == .envelope && done.from == 0 && done.to == 1)
        #expect(try done.bytes == vault.copies[0].map { Int64($0.count) })
        mayEnd.come()
        try await reader.value
        #expect(try await store.rotate().method == .unchanged)
        #expect(try await store.lines() == ["first"])
        try await store.close()
        #expect(try vault.file == file)
        try await expectFailure(.wrongKey) { try await vault(1).open() }
        #expect(try await vault(2).lines() == ["first"])
        try vault.expectNothingLeft()
    }

    @Test func rotatingGivesAFileItsEnvelope() async throws {
        try await vault.direct(.numbered(1)).keep("first")
        let store = try await vault(1).with(\.settings.rotation, .manual).open()
        try await expectFailure(.notDeclared) { try await store.keySlots() }
        try await expectFailure(.notDeclared) { try await store.addKey(.numbered(2)) }
        try await expectFailure(.notDeclared) { try await store.recoveryKey() }
        let names = try FileManager.default.contentsOfDirectory(atPath: vault.directory.path(""))
        #expect(!names.contains { $0.contains(".keys") })
        let report = try await store.rotate()
        #expect(report.method == .copy && report.from == 0 && report.to == 0)
        #expect(try await store.keySlots().count == 1)
        #expect(try await store.rotate().method == .unchanged)
        try await store.close()
        #expect(try vault.isOnDataKey(1))
        try vault.expectNothingLeft()
    }

    @Test func aChainThatOpensNothingIsToldAndTheStoreGoesOn() async throws {
        let store = try await changing.open()
        numbers.withLock { $0 = [8, 9] }
        try await expectFailure(.wrongKey) { try await store.rotate() }
        try await expectFailure(.wrongKey) { try await store.rotate(.dataKey) }
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('after')") }
        try await store.close()
        #expect(try await vault(1).lines() == ["after"])
    }

    // MARK: Slots

    @Test func keysAreAddedListedAndRevokedAndTheFileStaysAsItIs() async throws {
        try await vault(1).keep("first")
        let file = try vault.file
        try await vault(1).using { store in
            let added = try await store.addKey(.numbered(2), label: "backup")
            let recovery = try await store.recoveryKey(label: "safe")
            let slots = try await store.keySlots()
            #expect(slots.map(\.label) == ["key chain: raw key", "backup", "safe"] && slots[1] == added)
            #expect(slots.map(\.isRecovery) == [false, false, true])
            try await expectFailure(.keySlot) { try await store.addKey(.numbered(2), label: "again") }
            try await expectFailure(.invalidKey) { try await store.addKey(.legacyUTF16("пароль"), label: "cut") }
            try await store.revokeKey(slots[0].fingerprint)
            try await expectFailure(.keySlot) { try await store.revokeKey(slots[0].fingerprint) }
            try await expectFailure(.keySlot) { try await store.revokeKey(slots[1].fingerprint) }
            #expect(try await store.keySlots() == Array(slots.dropFirst()))
            #expect(try await store.lines() == ["first"])
            _ = recovery
        }
        #expect(try vault.file == file)
        try await expectFailure(.wrongKey) { try await vault(1).open() }
        #expect(try await vault(2).lines() == ["first"])
        try vault.expectNothingLeft()
    }

    @Test func manyTasksChangeTheSlotsAndNoneIsLost() async throws {
        try await vault(1).using { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 2...12 as ClosedRange<UInt8> {
                    group.addTask {
                        try await store.write { db in try db.execute("INSERT INTO line VALUES ('x')") }
                        try await store.addKey(.numbered(number), label: "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await Set(store.keySlots().map(\.label)).count == 12)
        }
        #expect(try await vault(7).lines().count == 11)
    }

    @Test func aLostEnvelopeIsNamedWhileTheStoreGoesOn() async throws {
        let store = try await vault(1).open()
        let whole = try vault.copies[0]
        try vault.put(nil, nil)
        try await expectFailure(.envelopeMissing) { try await store.keySlots() }
        try await expectFailure(.envelopeMissing) { try await store.addKey(.numbered(2)) }
        try await expectFailure(.envelopeMissing) { try await store.rotate() }
        try await expectFailure(.envelopeMissing) { try await store.rotate(.dataKey) }
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('after')") }
        try vault.put(whole, whole)
        try await store.close()
        #expect(try await vault(1).lines() == ["after"])
    }

    // MARK: The data key

    @Test func anotherDataKeyTakesTheFileAndEverySlotAlong() async throws {
        try await vault(1).keep("first")
        let former = try vault.envelope(1).fileKeys
        let file = try vault.file
        let old = try vault.copies[0]
        try await vault(1).using { store in
            try await store.addKey(.numbered(2), label: "backup")
            let recovery = try await store.recoveryKey(label: "safe")
            let error = try await expectFailure(.keySlot) { try await store.rotate(.dataKey, keys: [.numbered(2)]) }
            #expect(error.message.contains("safe") && !error.message.contains("backup"))
            let slots = try await store.keySlots()
            let report = try await store.rotate(.dataKey, keys: [.numbered(2), .recovery(recovery)])
            #expect(report.method == .copy && report.from == 0 && report.to == 0)
            #expect(try await store.keySlots() == slots)
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('second')") }
        }
        #expect(try vault.file != file)
        #expect(try vault.isOnDataKey(1) && vault.isOnDataKey(2))
        #expect(try vault.envelope(1).fileKeys != former)
        #expect(try await vault(2).lines() == ["first", "second"])
        try vault.expectNothingLeft()
        // Whoever has the leaked envelope reads nothing with it any more.
        try vault.put(old, old)
        try await expectFailure(.wrongKey) { try await vault(1).open() }
    }

    @Test(arguments: [WorkProgress.Phase.writing, .verifying])
    func anotherDataKeyThatIsCancelledIsTakenTheNextTime(phase: WorkProgress.Phase) async throws {
        let store = try await vault(1).open()
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('first')") }
        await expectCancelled(at: phase) { report in try await store.rotate(.dataKey) { report($0) } }
        #expect(try await store.lines() == ["first"])
        try await store.addKey(.numbered(2))
        let report = try await store.rotate()
        #expect(report.method == .copy)
        try await store.close()
        #expect(try await vault(1).lines() == ["first"])
        #expect(try vault.envelope(2).keySlots.count == 2)
        try vault.expectNothingLeft()
    }

    @Test func aDataKeyIsNotForgottenWhileTheFileIsOnIt() async throws {
        try await vault(1).keep("first")
        try vault.addDataKey(1)
        try await vault(1).with(\.settings.rotation, .manual).using { store in
            let methods = try await [store.rotate(.dataKey).method, store.rotate(.dataKey).method]
            #expect(methods == [.copy, .copy])
        }
        #expect(try vault.isOnDataKey(1))
        #expect(try await vault(1).lines() == ["first"])
        try vault.expectNothingLeft()
    }

    @Test(arguments: ["writing", "verifying"], [false, true])
    func aProcessThatIsKilledWhileTheDataKeyIsReplacedLosesNothing(phase: String, isSecond: Bool) async throws {
        try await vault(1).keep("first")
        // The file is on the older one of two already, as another process left it.
        if isSecond { try vault.addDataKey(1) }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = vault.directory.path("") as String, phase = phase as String] in
            let store = try await Vault(root, keys: .numbered(1)).with(\.settings.rotation, .manual).open()
            try await store.rotate(.dataKey) { progress in
                if progress.phase.rawValue == phase { kill(getpid(), SIGKILL) }
            }
        }
        #expect(try vault.envelope(1).fileKeys.count == 2)
        let report = try await vault(1).keep("second")
        #expect(report.rotation?.method == .copy)
        #expect(try vault.isOnDataKey(1))
        #expect(try await vault(1).lines() == ["first", "second"])
        try vault.expectNothingLeft()
    }

    // MARK: Other processes

    @Test func aRotationOfTheEnvelopeByAnotherProcessIsNotNoticed() async throws {
        let store = try await changing.open()
        await #expect(processExitsWith: .success) { [root = vault.directory.path("") as String] in
            let other = try await Vault(root, keys: .numbered(1), .numbered(2)).open()
            #expect(other.openReport.rotation?.method == .envelope)
            try await other.write { db in try db.execute("INSERT INTO line VALUES ('from there')") }
            try await other.close()
        }
        // Not even with a chain that does not know the key.
        #expect(try await store.lines() == ["from there"])
        #expect(try await store.keySlots().count == 1)
        numbers.withLock { $0 = [2] }
        #expect(try await store.rotate().method == .unchanged)
        try await store.close()
        #expect(try await vault(2).lines() == ["from there"])
    }

    @Test func aNewDataKeyOfAnotherProcessIsNotNoticed() async throws {
        let store = try await vault(1).open()
        #expect(try await store.lines() == [])
        await #expect(processExitsWith: .success) { [root = vault.directory.path("") as String] in
            let other = try await Vault(root, keys: .numbered(1)).open()
            #expect(try await other.rotate(.dataKey).method == .inPlace)
            try await other.write { db in try db.execute("INSERT INTO line VALUES ('from there')") }
            try await other.close()
        }
        // The envelope is read anew before the file has been.
        #expect(try await store.addKey(.numbered(2)).label == "")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    let found = try await store.lines()
                    #expect(found.first == "from there")
                }
                group.addTask {
                    let line = "from here \(number)"
                    try await store.write { db in try db.execute("INSERT INTO line VALUES (\(line))") }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.rotate().method == .unchanged)
        try await store.close()
        #expect(try await vault(2).lines().count == 5)
        #expect(try vault.isOnDataKey(1))
        try vault.expectNothingLeft()
    }

    @Test func anEnvelopeCreatedByAnotherProcessIsNotNoticed() async throws {
        try await vault.direct(.numbered(1)).keep("first")
        let store = try await vault.direct(.numbered(1)).open()
        #expect(try await store.lines() == ["first"])
        try await expectFailure(.notDeclared) { try await store.rotate(.dataKey) }
        await #expect(processExitsWith: .success) { [root = vault.directory.path("") as String] in
            let other = try await Vault(root, keys: .numbered(1)).with(\.protection, .envelope)
                .with(\.settings.busyTimeout, .milliseconds(100)).open()
            #expect(other.openReport.rotation?.method == .inPlace)
            try await other.close()
        }
        #expect(try await store.lines() == ["first"])
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('second')") }
        #expect(try await store.keySlots().count == 1)
        try await store.close()
        #expect(try vault.isOnDataKey(1))
        #expect(try await vault(1).lines() == ["first", "second"])
    }

    @Test func whatIsLeftOfADamagedFileIsSalvaged() async throws {
        let count = 500
        try await vault(1).write { db in
            for number in 1...count {
                try db.execute("INSERT INTO line (text) VALUES (\("\(number): some words that fill the pages"))")
            }
        }
        var bytes = try vault.file
        bytes[bytes.count - 100] ^= 1
        try bytes.write(to: URL(filePath: vault.directory.path("vault.sqlite")))
        let rescued = vault.directory.path("rescued")
        let report = try await Stores(vault(1, 2)).salvage("vault.sqlite", to: rescued + "/vault.sqlite")
        #expect(report.damagedPages.count == 1)
        let new = Vault(rescued, keys: .numbered(2)).with(\.protection, .envelope)
        let left = try await new.lines()
        #expect(!left.isEmpty && left.count < count)
        #expect(try await new.using { store in try await store.keySlots().count } == 1)
    }

    // MARK: What belongs together

    @Test func aFileThatIsNotOnItsDataKeyYetKeepsItsSlotsAsTheyAre() async throws {
        try await vault.direct(.numbered(1)).keep("first")
        try vault.makeEnvelope(.numbered(1))
        let before = try vault.copies
        let waiting = vault(1, 2).with(\.settings.rotation, .manual)
        try await waiting.using { store in
            try await expectFailure(.keySlot) { try await store.addKey(.numbered(3)) }
            try await expectFailure(.keySlot) { try await store.recoveryKey() }
            try await expectFailure(.keySlot) { try await store.keySlots() }
        }
        #expect(try vault.copies == before)
        try await waiting.using { store in
            #expect(try await store.rotate().isRotated)
            try await store.addKey(.numbered(3))
        }
        #expect(try await vault(3).lines() == ["first"])
    }

    @Test func aFileThatCannotBeBroughtToItsDataKeySaysSoEachTime() async throws {
        // A damaged page keeps the file on its key for good.
        let specimen = try await DamageSpecimen()
        var bytes = specimen.whole
        bytes[bytes.count - 40] ^= 1
        try bytes.write(to: URL(filePath: specimen.vault.path))
        let both = Vault(specimen.vault.directory, keys: .numbered(1), .numbered(2))
            .with(\.protection, .envelope).with(\.migrator, DamageSpecimen.migrator)
        for _ in 0..<2 {
            try await both.using { store in
                #expect(store.openReport.rotationFailure?.code == .damaged && store.openReport.rotation == nil)
                #expect(store.openReport.key?.position == 0)
            }
        }
    }

    @Test func rotatingTakesTheSlotsOfOlderKeysAwayAlsoWhenTheCurrentOneWasThere() async throws {
        try await vault(1).using { store in try await store.addKey(.numbered(2)) }
        try await vault(1, 2).using { store in
            #expect(store.openReport.rotation == nil)
            let report = try await store.rotate()
            #expect(report.method == .envelope && report.from == 0 && report.to == 1)
            #expect(try await store.keySlots().count == 1)
            #expect(try await store.rotate().method == .unchanged)
        }
        try await expectFailure(.wrongKey) { try await vault(1).open() }
    }

    @Test func theLastWrappedKeyOfAnotherDatabaseIsNotOverwritten() async throws {
        try await vault(1).keep("first")
        let other = try EnvelopeVault()
        try await other(1).keep("other")
        let (own, foreign) = (try vault.copies[0], try other.copies[1])
        try vault.put(own, foreign)
        try await vault(1).using { store in
            #expect(store.openReport.rotationFailure?.code == .foreignEnvelope)
            try await expectFailure(.foreignEnvelope) { try await store.addKey(.numbered(2)) }
        }
        #expect(try vault.copies == [own, foreign])
    }

    @Test func aFileOfAnotherTimeThanItsEnvelopeIsToldFromAWrongKey() async throws {
        try await vault(1).keep("first")
        let old = try vault.file
        try await vault(1).using { store in try await store.rotate(.dataKey) }
        try old.write(to: URL(filePath: vault.directory.path("vault.sqlite")))
        try await expectFailure(.wrongKey, saying: "Restore both") { try await vault(1).open() }
        #expect(try await Stores(vault(1)).diagnose("vault.sqlite").reason?.contains("Restore both") == true)
    }

    @Test func theEnvelopeHasTheAccessRightsOfTheFile() async throws {
        try await vault.direct(.numbered(1)).keep("first")
        let path = vault.directory.path("vault.sqlite")
        try #require(chmod(path, 0o640) == 0)
        try await vault(1).using { store in try await store.addKey(.numbered(2)) }
        for name in EnvelopeVault.names {
            let attributes = try FileManager.default.attributesOfItem(atPath: vault.directory.path(name))
            #expect(attributes[.posixPermissions] as? Int == 0o640, "\(name)")
        }
    }

    // MARK: A data key is forgotten when nothing needs it

    @Test func aFormerDataKeyStaysUntilEverythingIsOnTheDisk() async throws {
        try await vault(1).keep("first")
        // Read before it is open: who closes a descriptor of a file gives the engine's locks on it up.
        let salt = try vault.salt
        let store = try await vault(1).open()
        try vault.addDataKey(1, salt: salt)
        let mayEnd = Moment()
        let reader = try await store.holdReader(until: mayEnd)
        // The reader holds its place in the log, so that not all of it can be brought into the file.
        await #expect(processExitsWith: .success) { [root = vault.directory.path("") as String] in
            let other = try await Vault(root) { _ in try KeyChain(.numbered(1)) }.with(\.protection, .envelope)
                .with(\.settings.busyTimeout, .milliseconds(100)).open()
            #expect(other.openReport.rotation?.method == .inPlace)
            // The envelope has no room for a third data key, and still needs the first.
            try await expectFailure(.locked) { try await other.rotate(.dataKey) }
            try await other.close()
        }
        let kept = Result { try vault.envelope(1, salt: salt).dataKeys.count }
        mayEnd.come()
        try await reader.value
        #expect(try kept.get() == 2)
        try await store.close()
        #expect(try await vault(1).lines() == ["first"])
        #expect(try vault.envelope(1).dataKeys.count == 1)
        #expect(try vault.isOnDataKey(1))
    }
}
