import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The key that opens a file")
struct DatabaseKeysTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var root: String { directory.path("") }

    private func vault(_ numbers: UInt8...) -> Vault {
        let keys = numbers.map(Key.numbered)
        return Vault(directory.path("")) { _ in try KeyChain(keys) }
    }

    @Test func aNewFileGetsTheNewestKey() async throws {
        let report = try await vault(1, 2, 3).keep("a")
        #expect(report.outcome == .created)
        #expect(report.key?.place == 2)
        #expect(report.key?.count == 3)
        #expect(report.key?.isCurrent == true)
        #expect(try await vault(3).lines() == ["a"])
        try await expectFailure(.wrongKey) { try await vault(1, 2).open() }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt8>)
    func aFileOpensWithAnyKeyOfTheChainAndTheReportTellsWhich(number: UInt8) async throws {
        try await vault(number).keep("a")
        let store = try await vault(1, 2, 3, 4).with(\.settings.rotation, .manual).open()
        #expect(store.opening.outcome == .opened)
        #expect(store.opening.key?.place == Int(number) - 1)
        #expect(store.opening.key?.count == 4)
        #expect(store.opening.key?.isCurrent == (number == 4))
        try await store.close()
        #expect(try await vault(number).lines() == ["a"])
    }

    @Test func aStoreOpenedWithAnOlderKeyIsReadAndWrittenWithIt() async throws {
        try await vault(1).keep("before")
        let report = try await vault(1, 2).with(\.settings.rotation, .manual).keep("after")
        #expect(report.key?.isCurrent == false)
        #expect(try await vault(1).lines() == ["before", "after"])
        try await expectFailure(.wrongKey) { try await vault(2).open() }
    }

    @Test func readersOfAStoreOpenedWithAnOlderKeyUseThatKeyToo() async throws {
        try await vault(1).keep("a")
        let store = try await vault(1, 2, 3).with(\.settings, StoreSettings(readers: 4, rotation: .manual)).open()
        try await withThrowingTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    let count = try await store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) }
                    #expect(count == 1)
                }
            }
            try await group.waitForAll()
        }
        try await store.close()
    }

    @Test(arguments: [1, 2, 5] as [UInt8])
    func whenNoKeyFitsTheErrorSaysHowManyWereTried(count: UInt8) async throws {
        try await vault(9).keep("a")
        let keys = (1...count).map(Key.numbered)
        let error = try await expectFailure(.wrongKey) { try await Vault(root) { _ in try KeyChain(keys) }.open() }
        #expect(
            error.message.contains(
                count == 1 ? "The key of the chain does not open" : "None of the chain's \(count) keys"))
        #expect(error.message.contains(directory.path("vault.sqlite")))
        #expect(error.message.contains("Add the key"))
        #expect(error.database == "vault.sqlite")
    }

    @Test func whenNoKeyFitsTheFileStaysAsItIs() async throws {
        try await vault(9).keep("a")
        let before = try DirectorySnapshot(root, ignoring: [])
        for _ in 0..<3 { try await expectFailure(.wrongKey) { try await vault(1, 2, 3).open() } }
        try before.expectUntouched()
        #expect(try await vault(9).lines() == ["a"])
    }

    // MARK: With what a killed process left

    /// Makes a file and a log beside it with rows that are nowhere else, as a process that is killed leaves them.
    private func leaveALog() async throws {
        try await vault(9).keep("in the file")
        await #expect(processExitsWith: .signal(SIGKILL)) { [root = root as String] in
            let store = try await Vault(root, keys: .numbered(9)).open()
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('in the log')") }
            kill(getpid(), SIGKILL)
        }
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
        #expect(store.opening.key?.isCurrent == false)
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
