import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The key that opens a file")
struct DatabaseKeysTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var root: String { directory.path("") }

    private func vault(_ numbers: UInt8...) -> Vault { Vault(root, numbers: numbers) }

    @Test func aNewFileGetsTheNewestKey() async throws {
        let report = try await vault(1, 2, 3).keep("a")
        #expect(report.outcome == .created)
        #expect(report.key?.position == 2)
        #expect(report.key?.count == 3)
        #expect(report.key?.isCurrent == true)
        #expect(try await vault(3).lines() == ["a"])
        try await expectFailure(.wrongKey) { try await vault(1, 2).open() }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt8>)
    func aFileOpensWithAnyKeyOfTheChainAndTheReportTellsWhich(number: UInt8) async throws {
        try await vault(number).keep("a")
        let store = try await vault(1, 2, 3, 4).with(\.settings.rotation, .manual).open()
        #expect(store.openReport.outcome == .opened)
        #expect(store.openReport.key?.position == Int(number) - 1)
        #expect(store.openReport.key?.count == 4)
        #expect(store.openReport.key?.isCurrent == (number == 4))
        try await store.close()
        #expect(try await vault(number).lines() == ["a"])
    }

    @Test(arguments: [1, 2, 5] as [UInt8])
    func whenNoKeyFitsTheErrorSaysHowManyWereTried(count: UInt8) async throws {
        try await vault(9).keep("a")
        let error = try await expectFailure(.wrongKey) { try await Vault(root, numbers: Array(1...count)).open() }
        #expect(
            error.message.contains(
                count == 1 ? "The key of the chain does not open" : "None of the chain's \(count) keys"))
        #expect(error.message.contains(directory.path("vault.sqlite")))
        #expect(error.message.contains("Add the key"))
        #expect(error.database == "vault.sqlite")
    }

    // MARK: With what a killed process left

    /// Makes a file and a log beside it with rows that are nowhere else, as a process that is killed leaves them.
    private func leaveALog() async throws {
        try await vault(9).keep("in the file")
        await vault(9).leaveLog(key: 9)
    }

    @Test func whenNoKeyFitsTheLogOfAKilledProcessStaysAsItIs() async throws {
        try await leaveALog()
        let before = try DirectorySnapshot(root)
        #expect(before.names == ["vault.sqlite", "vault.sqlite-wal"])
        for _ in 0..<3 { try await expectFailure(.wrongKey) { try await vault(1, 2, 3).open() } }
        try before.expectUntouched()
        #expect(try await vault(9).lines() == ["in the file", "in the log"])
    }

    @Test func theLogOfAKilledProcessIsReadWithAnOlderKey() async throws {
        try await leaveALog()
        let store = try await vault(9, 1).with(\.settings.rotation, .manual).open()
        #expect(store.openReport.key?.isCurrent == false)
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('after')") }
        try await store.close()
        #expect(try DirectorySnapshot(root).names == ["vault.sqlite"])
        #expect(try await vault(9).lines() == ["in the file", "in the log", "after"])
    }

    @Test func aRefusedNewerSchemaLeavesTheLogOfAKilledProcessAsItIs() async throws {
        try await leaveALog()
        let before = try DirectorySnapshot(root)
        let other = Migrator { Migration("another") { _ in } }
        try await expectFailure(.newerSchema) { try await vault(9).with(\.migrator, other).open() }
        try before.expectUntouched()
        #expect(try await vault(9).lines() == ["in the file", "in the log"])
    }

    @Test func aLogWithoutItsFileIsNotTakenForANewDatabase() async throws {
        try await leaveALog()
        try FileManager.default.moveItem(atPath: directory.path("vault.sqlite"), toPath: directory.path("saved"))
        let before = try DirectorySnapshot(root)
        try await expectFailure(.fileMissing, saying: "vault.sqlite-wal") { try await vault(9).open() }
        try before.expectUntouched()
        try FileManager.default.moveItem(atPath: directory.path("saved"), toPath: directory.path("vault.sqlite"))
        #expect(try await vault(9).lines() == ["in the file", "in the log"])
    }
}
