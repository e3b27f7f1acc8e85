import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Opening, closing and opening again")
struct StoresClosingTests {
    @Test func openingANameThatIsBeingClosedGivesAFreshStore() async throws {
        let fixture = try await LineStore()
        let (stores, first, canEnd) = (fixture.stores, fixture.store, Moment())
        let holder = try await fixture.store.holdWriter(until: canEnd)
        let closer = Task { try await first.close() }
        try await fixture.untilRefusing()
        let opener = Task { try await stores.open("lines.sqlite") }
        // Time for one that hands out the closing store.
        await linger()
        canEnd.come()
        let second = try await opener.value
        #expect(first !== second)
        try await second.write { db in try addLine(1, db) }
        try await closer.value
        try await holder.value
        #expect(try await stores.open("lines.sqlite") === second)
        try await stores.closeAll()
    }

    @Test func openingRacesWithClosingAndNeverGivesAClosedStore() async throws {
        let stores = try Stores(LineConfiguration(TemporaryDirectory(), readers: 1))
        let written = Tally()
        try await withThrowingTaskGroup { group in
            for task in 0..<6 {
                group.addTask {
                    for round in 0..<15 {
                        let store = try await stores.open("lines.sqlite")
                        do {
                            try await store.write { db in try addLine(task * 100 + round, db) }
                            written.add()
                        } catch let error as StrongroomError where error.code == .closed {
                            // Somebody closed it after it was handed out.
                        }
                        if (task + round) % 3 == 0 { try await store.close() }
                    }
                }
            }
            try await group.waitForAll()
        }
        let store = try await stores.open("lines.sqlite")
        #expect(try await store.read { db in try lineNumbers(db) }.count == written.value)
        try await stores.closeAll()
    }

    @Test func closeAllWaitsForAnOpeningAndClosesIt() async throws {
        let (isOpening, canGoOn) = (Moment(), Moment())
        let stores = try Stores(
            LineConfiguration(TemporaryDirectory()) {
                isOpening.come()
                try await canGoOn.wait()
            })
        let opener = Task { try await stores.open("lines.sqlite") }
        try await isOpening.wait()
        let closer = Task {
            try await stores.closeAll()
            #expect(canGoOn.isPast)
        }
        // Time for one that does not wait.
        await linger()
        canGoOn.come()
        try await closer.value
        // What was opened is closed; the opener has that, or a fresh one that it may use.
        let store = try await opener.value
        try await stores.closeAll()
        try await expectFailure(.closed) { try await store.read { _ in } }
        #expect(!FileManager.default.fileExists(atPath: store.path + "-wal"))
    }

    @Test func aFileIsOpenInOneRegistryAtATime() async throws {
        let configuration = try LineConfiguration(TemporaryDirectory())
        let (one, other) = (try Stores(configuration), try Stores(configuration))
        let store = try await one.open("lines.sqlite")
        try await expectFailure(.alreadyOpen, saying: store.path) { try await other.open("lines.sqlite") }
        // The refusal has taken nothing from the store that is open.
        try await store.write { db in try addLine(1, db) }
        try await store.close()
        let second = try await other.open("lines.sqlite")
        #expect(try await second.read { db in try lineNumbers(db) } == [1])
        try await expectFailure(.alreadyOpen) { try await one.open("lines.sqlite") }
        try await other.closeAll()
    }
}

@Suite("Opening for code that is not async", .ending)
struct BlockingOpenTests {
    /// Code that is not async, called from a task.
    private static func lines(_ stores: Stores, _ name: String) throws -> [String] {
        let store = try stores.open(name)
        return try store.read { db in try db.dictionaries("SELECT text FROM line").compactMap { $0["text"]?.string } }
    }

    @Test func itGivesTheStoreOfTheName() async throws {
        let stores = try Stores(Vault(keys: .numbered(1)))
        let store = try await onThread { try stores.open("vault.sqlite") }
        #expect(store.openReport.key?.position == 0)
        #expect(try await stores.open("vault.sqlite") === store)
        try await expectFailure(.noConfiguration) { try await onThread { try stores.open("other.sqlite") } }
        try await expectFailure(.invalidName) { try await onThread { try stores.open("") } }
        try await store.close()
        let again = try await onThread { try stores.open("vault.sqlite") }
        #expect(again !== store)
        try await stores.closeAll()
    }

    @Test func manyTasksThatBlockEveryThreadGetTheirStores() async throws {
        let stores = try Stores(Vault(keys: .numbered(1)))
        let count = ProcessInfo.processInfo.activeProcessorCount * 2 + 2
        try await withThrowingTaskGroup(of: [String].self) { group in
            for number in 0..<count {
                group.addTask { try Self.lines(stores, "vault_\(number % 3).sqlite") }
            }
            for try await lines in group { #expect(lines.isEmpty) }
        }
        try await stores.closeAll()
    }

    @Test func insideATransactionItIsRefused() async throws {
        let stores = try Stores(Vault(keys: .numbered(1)))
        let store = try await stores.open("vault_a.sqlite")
        for name in ["vault_a.sqlite", "vault_b.sqlite"] {
            let error = try await expectFailure(.nestedAccess, saying: "inside a transaction of \"vault_a.sqlite\"") {
                try await store.write { _ in _ = try stores.open(name) }
            }
            #expect(error.database == name)
        }
        try await expectFailure(.nestedAccess) { try await store.read { _ in _ = try stores.open("vault_b.sqlite") } }
        try await stores.closeAll()
    }

    @Test func aStoresOwnThreadsGoOnMeanwhile() async throws {
        let directory = try TemporaryDirectory()
        let inner = try Stores(Vault(directory.path(""), keys: .numbered(1)))
        let keys = try await inner.open("vault_keys.sqlite")
        // The configuration reads the store whose threads are all blocked by openings that wait for it.
        let outer = try Stores(
            Vault(directory.path("")) { _ in
                _ = try await keys.read { db in try db.dictionaries("SELECT text FROM line") }
                return try KeyChain(.numbered(1))
            })
        try await withTaskExecutorPreference(keys.executor) {
            try await withThrowingTaskGroup(of: [String].self) { group in
                for number in 0..<8 { group.addTask { try Self.lines(outer, "vault_\(number).sqlite") } }
                for try await lines in group { #expect(lines.isEmpty) }
            }
        }
        try await outer.closeAll()
        try await inner.closeAll()
    }

    /// Without async code.
    private static func open(_ name: String, _ registry: Locked<Stores?>) throws {
        _ = try registry.withLock { $0 }?.open(name)
    }

    @Test func openingsThatWaitForEachOtherAreToldApart() async throws {
        let directory = try TemporaryDirectory()
        let registry = Locked<Stores?>(nil)
        let vault = Vault(directory.path("")) { name in
            let next = name.fileName == "vault_a.sqlite" ? "vault_b.sqlite" : "vault_a.sqlite"
            try Self.open(next, registry)
            return try KeyChain(.numbered(1))
        }
        let stores = try Stores(vault)
        registry.withLock { $0 = stores }
        try await expectFailure(.nestedAccess) { try await onThread { try stores.open("vault_a.sqlite") } }
        registry.withLock { $0 = nil }
    }
}

@Suite("Rotation of a family")
struct FamilyRotationTests {
    private let directory = TemporaryDirectory.ofSuite()

    private func stores(_ keys: Key...) throws -> Stores {
        try Stores(Vault(directory.path("")) { _ in try KeyChain(keys) })
    }

    private func make(_ names: String...) async throws {
        let stores = try stores(.numbered(1))
        for name in names { _ = try await stores.open(name) }
        try await stores.closeAll()
    }

    @Test func theDatabasesThatHaveAFileAreFound() async throws {
        #expect(try stores(.numbered(1)).databases(of: "vault") == [])
        try await make("vault_b.sqlite", "vault.sqlite", "vault_a.sqlite")
        for name in ["other.sqlite", "vault_a.sqlite-wal", "vaultx.sqlite"] {
            try Data([1]).write(to: URL(filePath: directory.path(name)))
        }
        try FileManager.default.createDirectory(
            atPath: directory.path("vault_directory"), withIntermediateDirectories: false)
        let found = try stores(.numbered(1)).databases(of: "vault").map(\.fileName)
        #expect(found == ["vault.sqlite", "vault_a.sqlite", "vault_b.sqlite"])
        try expectFailure(.noConfiguration) { try stores(.numbered(1)).databases(of: "other") }
    }

    @Test func allGetTheCurrentKeyAlsoIfOneFails() async throws {
        let names = (0..<6).map { "vault_\($0).sqlite" }
        for name in names { try await make(name) }
        try Data(repeating: 7, count: 4_096).write(to: URL(filePath: directory.path("vault_3.sqlite")))
        let stores = try stores(.numbered(1), .numbered(2))
        let open = try await stores.open("vault_5.sqlite")
        var told: [String] = []
        let outcomes = try await stores.rotate(stores.databases(of: "vault"), atMost: 2) {
            told.append($0.name.fileName)
        }
        #expect(outcomes.map(\.name.fileName) == names)
        #expect(told.sorted() == names)
        for (index, outcome) in outcomes.enumerated() {
            switch (index, outcome.result) {
            case (3, .failure(let error as StrongroomError)): #expect(error.code == .wrongKey)
            case (5, .success(let report)): #expect(report.method == .unchanged, "it was rotated when it was opened")
            case (_, .success(let report)): #expect(report.method == .copy)
            default: Issue.record("\(outcome)")
            }
        }
        // What was open stays open.
        try await open.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
        try await open.close()
        let again = try await self.stores(.numbered(2)).rotate([DatabaseName("vault_0.sqlite")])
        #expect(try again.first?.result.get().method == .unchanged)
    }
}

@Suite("The files of a database", .ending)
struct FilesOfADatabaseTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path("place"), keys: .numbered(1)).with(\.protection, .envelope) }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: vault.directory).sorted() }
    }

    @Test func itIsThereOnceItIsMade() async throws {
        let stores = try Stores(vault)
        #expect(try !stores.exists("vault.sqlite"))
        #expect(!FileManager.default.fileExists(atPath: vault.directory))
        try await vault.keep("first")
        #expect(try stores.exists("vault.sqlite") && !stores.exists("vault_other.sqlite"))
        #expect(throws: StrongroomError.self) { try stores.exists("unknown.sqlite") }
    }

    @Test func everythingOfItIsRemovedAndNothingOfOthers() async throws {
        let stores = try Stores(vault)
        #expect(try await !stores.remove("vault.sqlite"))
        try await vault.keep("first")
        for name in ["vault.sqlite.other", "vault_other.sqlite"] { try await stores.open(name).close() }
        for ending in ["-wal.damaged-other", "-wal.damaged-02.other", "-wal.other"] {
            try Data([1]).write(to: URL(filePath: vault.path + ending))
        }
        for ending in ["salvaged.other", "trial-other"] { try Data([1]).write(to: URL(filePath: vault.beside(ending))) }
        let others = try names.filter { $0.contains("other") }
        let named = ["rotating-journal", "snapshot-1-", "snapshot-2-1.5", "snapshot-2-1.5-wal", "replica-0123abcd"]
        for ending in SideFiles.libraryEndings + named {
            try Data([1]).write(to: URL(filePath: vault.beside(ending)))
        }
        for ending in ["-wal", "-journal", "-wal.damaged", "-wal.damaged-2", "-wal.damaged-10"] {
            try Data([1]).write(to: URL(filePath: vault.path + ending))
        }
        #expect(try await stores.remove("vault.sqlite"))
        #expect(try names == others)
        #expect(try await !stores.remove("vault.sqlite"))
        // A new one is made as if there had never been any.
        #expect(try await vault.keep("again").outcome == .created)
    }

    @Test func whatIsOpenStays() async throws {
        let stores = try Stores(vault)
        let store = try await stores.open("vault.sqlite")
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('first')") }
        try await expectFailure(.alreadyOpen) { try await stores.remove("vault.sqlite") }
        #if os(Linux)
        await #expect(processExitsWith: .success) { [root = vault.directory as String, parent = getpid() as Int32] in
            let other = try Stores(Vault(root, keys: .numbered(1)))
            try await expectFailure(.locked, saying: "process \(parent)") { try await other.remove("vault.sqlite") }
        }
        #endif
        try await store.close()
        #expect(try await vault.lines() == ["first"])
        let directory = Vault(directory.path(""), keys: .numbered(1))
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: false)
        try await expectFailure(.notAFile) { try await Stores(directory).remove("vault.sqlite") }
    }

    @Test func anOpeningThatWaitsForARemovedDatabaseCreatesItAnew() async throws {
        let (stores, rounds) = (try Stores(vault), 20)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<rounds {
                        do { try await stores.remove("vault.sqlite") } catch let error as StrongroomError {
                            #expect([.locked, .alreadyOpen].contains(error.code), "\(error)")
                        }
                    }
                }
            }
            group.addTask {
                for round in 0..<rounds {
                    do {
                        let store = try await stores.open("vault.sqlite")
                        try await store.write { db in try db.execute("INSERT INTO line VALUES (\("\(round)"))") }
                        try await store.close()
                    } catch let error as StrongroomError {
                        #expect([.locked, .alreadyOpen].contains(error.code), "\(error)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
