import Foundation
// Internal: dates in the past are recorded by hand.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Age of a data key", .ending)
struct DataKeyAgeTests {
    private let vault: EnvelopeVault

    init() throws { vault = try EnvelopeVault() }

    /// The date of the data key of the closed file.
    private func date(_ numbers: UInt8...) async throws -> Date? {
        try await vault(numbers.map(Key.numbered)).with(\.settings.rotation, .manual).using { store in
            try await store.dataKeyDate()
        }
    }

    /// Records another date for the data key of the closed file.
    private func record(_ date: Date) throws {
        try onFile { envelope, connection in
            try connection.record(DataKeyRecord(#require(envelope.dataKeys.each.last), date: date))
        }
    }

    private func onFile(_ work: (OpenEnvelope, Connection) throws -> Void) throws {
        let envelope = try vault.envelope(1)
        let file = DatabaseFile(path: vault.sidecar.databasePath, name: "vault.sqlite", busyTimeout: 0, log: nil)
        let key = try DerivedKey(#require(envelope.fileKeys.last), salt: vault.salt, settings: .engineDefault())
        let connection = try file.connect(.existing, key: key)
        defer { connection.close() }
        try connection.proveKey()
        try work(envelope, connection)
    }

    private func expectNow(_ date: Date?, sourceLocation: SourceLocation = #_sourceLocation) {
        let age = date.map { Date.now.timeIntervalSince($0) } ?? -1
        #expect((0..<3_600).contains(age), sourceLocation: sourceLocation)
    }

    private static let day: TimeInterval = 86_400

    // MARK: The record

    @Test(arguments: [true, false])
    func `a new file has the date, with a migrator and without`(hasMigrator: Bool) async throws {
        let own = hasMigrator ? vault(1) : vault(1).with(\.migrator, nil)
        try await own.using { store in expectNow(try await store.dataKeyDate()) }
        try await own.using { store in
            expectNow(try await store.dataKeyDate())
            // A file without a migrator is new to one.
            #expect(try await store.read { db in try db.tableNames() } == (hasMigrator ? ["line"] : []))
        }
        guard !hasMigrator else { return }
        let automatic = vault(1).with(\.migrator, .automatic(tables: []))
        #expect(try await automatic.keep().migration?.from == nil)
    }

    @Test func `a file that gets its envelope gets the date with it`() async throws {
        try await vault.direct(.numbered(1)).keep("first")
        try await expectFailure(.notDeclared) {
            try await vault.direct(.numbered(1)).using { store in try await store.dataKeyDate() }
        }
        try await vault(1).keep("second")
        expectNow(try await date(1))
        #expect(try await vault(1).lines() == ["first", "second"])
    }

    @Test func `plaintext that gets its envelope gets the date with it`() async throws {
        try await Vault(vault.directory.path("")) { _ in .plaintext }.keep("first")
        try await vault([.plaintext, .numbered(1)]).keep("second")
        expectNow(try await date(1))
        #expect(try await vault(1).lines() == ["first", "second"])
        let names = try FileManager.default.contentsOfDirectory(atPath: vault.directory.path(""))
        #expect(!names.contains { $0.hasSuffix("-journal") || $0.hasSuffix(".plaintext") })
    }

    @Test func `a new data key has a new date, and another key of the chain does not`() async throws {
        try await vault(1).keep("first")
        let old = Date.now.addingTimeInterval(-10 * Self.day)
        try record(old)
        try await vault(1, 2).keep("second")
        let kept = try #require(try await date(2))
        #expect(abs(kept.timeIntervalSince(old)) < 2)
        try await vault(2).using { store in
            #expect(try await store.rotate(.dataKey).method == .copy)
            expectNow(try await store.dataKeyDate())
        }
        expectNow(try await date(2))
        #expect(try await vault(2).lines() == ["first", "second"])
    }

    @Test func `a new data key that is written in place has a new date, here and in other processes`() async throws {
        try await vault(1).keep("first")
        try record(Date.now.addingTimeInterval(-10 * Self.day))
        let store = try await vault(1).open()
        #expect(try await store.lines() == ["first"])
        await #expect(processExitsWith: .success) { [root = vault.directory.path("") as String] in
            let other = try await Vault(root, keys: .numbered(1)).open()
            await expectCancelled(at: .checking) { report in try await other.rotate(.dataKey, progress: report) }
            let old = try #require(try await other.dataKeyDate())
            #expect(old < .now - 3_600)
            #expect(try await other.rotate(.dataKey).method == .inPlace)
            let date = try #require(try await other.dataKeyDate())
            #expect(date > .now - 3_600)
            try await other.close()
        }
        #expect(try await store.lines() == ["first"])
        expectNow(try await store.dataKeyDate())
        try await store.close()
        expectNow(try await date(1))
    }

    @Test func `a data key that was left in the envelope has the date at which the file gets it`() async throws {
        try await vault.direct(.numbered(1)).keep("first")
        try vault.makeEnvelope(.numbered(1))
        try await vault(1).keep("second")
        expectNow(try await date(1))
        try record(Date.now.addingTimeInterval(-10 * Self.day))
        try vault.addDataKey(1)
        #expect(try await vault(1).keep("third").rotation?.method == .copy)
        expectNow(try await date(1))
        #expect(try await vault(1).lines() == ["first", "second", "third"])
    }

    @Test func `a rotation that is cancelled leaves the date of the data key`() async throws {
        try await vault(1).keep("first")
        let old = Date.now.addingTimeInterval(-10 * Self.day)
        try record(old)
        try await vault(1).using { store in
            await expectCancelled(at: .verifying) { report in try await store.rotate(.dataKey, progress: report) }
            let kept = try #require(try await store.dataKeyDate())
            #expect(abs(kept.timeIntervalSince(old)) < 2)
            #expect(try await store.rotate().method == .copy)
            expectNow(try await store.dataKeyDate())
        }
        try vault.expectNothingLeft()
    }

    @Test func `the record of another data key says nothing`() async throws {
        try await vault(1).keep("first")
        try onFile { _, connection in try connection.record(DataKeyRecord(.random(), date: .now)) }
        #expect(try await date(1) == nil)
        try onFile { _, connection in try connection.run("DROP VIEW strongroom_data_key") }
        #expect(try await date(1) == nil)
        try await vault(1).using { store in try await store.rotate(.dataKey) }
        expectNow(try await date(1))
    }

    @Test func `what another program wrote in place of the record is no date`() async throws {
        try await vault(1).keep("first")
        for text in ["SELECT 1", "SELECT 'a' AS identifier, 1 AS created", "SELECT 'it''s', 'a' AS identifier, x"] {
            try onFile { _, connection in
                try connection.run("DROP VIEW strongroom_data_key")
                try connection.run("CREATE VIEW strongroom_data_key AS \(text)")
            }
            #expect(try await date(1) == nil)
        }
    }

    @Test func `a date in the future is unknown`() async throws {
        try await vault(1).keep("first")
        try record(Date.now.addingTimeInterval(Self.day))
        #expect(try await date(1) == nil)
    }

    // MARK: Copies

    @Test func `a backup has the date of its data key, and a restore claims no other`() async throws {
        let backup = vault.directory.path("backup.sqlite")
        try await vault(1).keep("first")
        let old = Date.now.addingTimeInterval(-10 * Self.day)
        try record(old)
        try await vault(1).backUp(to: backup)
        // The same data key.
        let stores = try Stores(vault(1))
        try await stores.restore("vault.sqlite", from: backup)
        #expect(abs(try #require(try await date(1)).timeIntervalSince(old)) < 2)
        // A new database takes the data key over.
        let other = try EnvelopeVault()
        try await Stores(other(1)).restore("vault.sqlite", from: backup)
        let restored = try #require(try await other(1).using { store in try await store.dataKeyDate() })
        #expect(abs(restored.timeIntervalSince(old)) < 2)
        // A data key from after the backup has a date that the backup does not know.
        try await vault(1).using { store in try await store.rotate(.dataKey) }
        expectNow(try await date(1))
        try await stores.restore("vault.sqlite", from: backup)
        #expect(try await vault(1).lines() == ["first"])
        #expect(try await date(1) == nil)
    }

    @Test func `a restore that makes an envelope has the date of its data key`() async throws {
        let backup = vault.directory.path("backup.sqlite")
        try await vault(1).keep("first")
        try record(Date.now.addingTimeInterval(-10 * Self.day))
        try await vault(1).backUp(to: backup, key: .numbered(5))
        let other = try EnvelopeVault()
        try await Stores(other(1)).restore("vault.sqlite", from: backup, keys: KeyChain(.numbered(5)))
        try await other(1).using { store in
            expectNow(try await store.dataKeyDate())
            #expect(try await store.lines() == ["first"])
        }
        try other.expectNothingLeft()
    }

    // MARK: The policy

    private func after(_ days: Int, _ numbers: UInt8...) -> Vault {
        vault(numbers.map(Key.numbered)).with(\.settings.rotation, .after(days: days))
    }

    private var dataKeys: DataKeys { get throws { try vault.envelope(1).dataKeys } }

    @Test func `an old data key is replaced when the file is opened, once`() async throws {
        try await vault(1).keep("first")
        let first = try dataKeys
        try record(Date.now.addingTimeInterval(-89 * Self.day))
        #expect(try await after(90, 1).keep("second").rotation == nil)
        #expect(try dataKeys == first)
        try record(Date.now.addingTimeInterval(-91 * Self.day))
        #expect(try await vault(1).keep("third").rotation == nil)
        let report = try await after(90, 1).keep("fourth")
        #expect(report.rotation?.method == .copy && report.rotationFailure == nil)
        let second = try dataKeys
        #expect(second != first && second.count == 1)
        expectNow(try await date(1))
        #expect(try await after(90, 1).keep().rotation == nil)
        #expect(try dataKeys == second)
        #expect(try await vault(1).lines() == ["first", "second", "third", "fourth"])
    }

    @Test(arguments: [true, false])
    func `a data key and the key of a provider are replaced at once`(isOnOpen: Bool) async throws {
        let keys = [try Key.external(ImitatedProvider()), try Key.external(ImitatedProvider("imitation:2"))]
        try await vault([keys[0]]).using { store in
            try await store.write { db in try db.execute("DROP VIEW strongroom_data_key") }
        }
        let policy = isOnOpen ? RotationPolicy.after(days: 90) : .manual
        try await vault(keys).with(\.settings.rotation, policy).using { store in
            #expect(store.openReport.rotationFailure == nil)
            let report = try await isOnOpen ? store.openReport.rotation : store.rotate(.dataKey)
            #expect(report?.method == .copy)
        }
        try await vault([keys[1]]).using { store in
            #expect(try await store.keySlots().map(\.externalIdentifier) == ["imitation:2"])
            expectNow(try await store.dataKeyDate())
        }
    }

    @Test func `a data key of unknown age is replaced once`() async throws {
        try await vault(1).keep("first")
        try onFile { _, connection in try connection.run("DROP VIEW strongroom_data_key") }
        #expect(try await after(90, 1).keep("second").rotation?.method == .copy)
        #expect(try await after(90, 1).keep("third").rotation == nil)
        #expect(try await vault(1).lines() == ["first", "second", "third"])
    }

    @Test func `a date in the future replaces nothing`() async throws {
        try await vault(1).keep("first")
        let before = try dataKeys
        try record(Date.now.addingTimeInterval(400 * Self.day))
        for _ in 0..<2 { #expect(try await after(1, 1).keep("next").rotation == nil) }
        #expect(try dataKeys == before)
    }

    @Test func `without the keys of all slots the store opens, and says why nothing was replaced`() async throws {
        try await vault(1).using { store in try await store.addKey(.numbered(7), label: "office") }
        try record(Date.now.addingTimeInterval(-91 * Self.day))
        let before = (try dataKeys, try vault.copies)
        let report = try await after(90, 1).keep("first")
        #expect(report.rotation == nil && report.rotationFailure?.code == .keySlot)
        #expect(report.rotationFailure?.message.contains("office") == true)
        #expect(try dataKeys == before.0 && vault.copies == before.1)
        // The rest of the rotation is done.
        let next = try await after(90, 1, 2).keep("second")
        #expect(next.rotation?.method == .envelope && next.rotationFailure?.code == .keySlot)
        let last = try await after(90, 2, 7).keep("third")
        #expect(last.rotationFailure == nil && last.rotation?.method == .copy)
        #expect(try await vault(2, 7).with(\.settings.rotation, .manual).lines() == ["first", "second", "third"])
    }

    @Test func `a file without an envelope is rotated to its newest key alone`() async throws {
        let direct = vault.direct(.numbered(1)).with(\.settings.rotation, .after(days: 1))
        try await direct.keep("first")
        #expect(try await direct.keep("second").rotation == nil)
        let rotated = vault.direct(.numbered(1), .numbered(2)).with(\.settings.rotation, .after(days: 1))
        #expect(try await rotated.keep("third").rotation?.method == .copy)
        #expect(try await vault.direct(.numbered(2)).lines() == ["first", "second", "third"])
    }

    @Test(arguments: [Int.min, 0, 1])
    func `a number of days below 1 is 1`(days: Int) throws {
        let key = DataKeys.random()
        #expect(!DataKeyRecord(key, date: .now.addingTimeInterval(-0.9 * Self.day)).isOlder(thanDays: days))
        #expect(DataKeyRecord(key, date: .now.addingTimeInterval(-1.1 * Self.day)).isOlder(thanDays: days))
    }
}
