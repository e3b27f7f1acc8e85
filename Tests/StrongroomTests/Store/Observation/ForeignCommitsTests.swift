import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

@Suite("Commits of other processes, told to observers", .ending)
struct ForeignCommitsTests {
    @Table("line", in: "vault.sqlite")
    struct Line {
        @Column(primaryKey: true) var text: String
    }

    private static func count(_ db: borrowing ReadTransaction) throws -> Int {
        try db.value("SELECT count(*) FROM line", as: Int.self) ?? 0
    }

    private static func add(_ text: String, _ db: borrowing WriteTransaction) throws {
        try db.execute("INSERT INTO line (text) VALUES (\(text))")
    }

    private func vault(_ changes: ForeignChanges = .automatic) async throws -> Vault {
        let settings = StoreSettings(readers: 2, openTimeout: .seconds(120), foreignChanges: changes)
        let vault = Vault(keys: .numbered(1)).with(\.settings, settings)
        try await vault.keep()
        return vault
    }

    /// Writes lines in another process of this library, each in a transaction of its own.
    private func write(_ lines: Int, as process: String, _ vault: Vault) async {
        await #expect(processExitsWith: .success) {
            [root = vault.directory as String, lines = lines as Int, process = process as String] in
            let store = try await Self.patient(root, .numbered(1)).open()
            for number in 0..<lines { try await store.write { db in try Self.add("\(process):\(number)", db) } }
            try await store.close()
        }
    }

    private static func patient(_ root: String, _ keys: Key...) -> Vault {
        let settings = StoreSettings(readers: 2, busyTimeout: .seconds(120), openTimeout: .seconds(120))
        return Vault(root) { _ in try KeyChain(keys) }.with(\.settings, settings)
    }

    // MARK: Who commits

    @Test(arguments: [ForeignChanges.automatic, .polled(every: .milliseconds(5))])
    func aProcessOfThisLibraryIsSeen(_ changes: ForeignChanges) async throws {
        let vault = try await vault(changes)
        let store = try await vault.open()
        var lines = store.changes(in: Line.self).makeAsyncIterator()
        let watcher = Task {
            var last = -1
            for try await count in store.values(Self.count) {
                #expect(count >= last)
                last = count
                if count == 12 { break }
            }
        }
        #expect(store.statistics.isPolling == (changes != .automatic))
        await write(12, as: "a", vault)
        #expect(try await lines.next() != nil)
        try await watcher.value
        #expect(store.statistics.foreignChanges > 0)
        try await store.close()
    }

    @Test(.enabled(if: SQLCipherShell.installed != nil, SQLCipherShell.reason))
    func eachCommitOfTheShellIsSeen() async throws {
        let vault = try await vault()
        let store = try await vault.open()
        var values = store.values(Self.count).makeAsyncIterator()
        #expect(try await values.next() == 0)
        let shell = try LateShell(try #require(SQLCipherShell.installed), vault.path, key: 1)
        for number in 1...10 {
            #expect(try shell.run("INSERT INTO line VALUES ('\(number)');") == "")
            // The last value always comes.
            while let value = try await values.next(), value != number { #expect(value == number - 1) }
            // The store's own commits in between are not mistaken for others.
            try await store.write { db in try db.execute("UPDATE line SET text = text") }
        }
        try shell.end()
        try await store.close()
    }

    @Test func whatIsCommittedRightBeforeClosingIsTheLastValue() async throws {
        let vault = try await vault(.polled(every: .seconds(1_000)))
        let store = try await vault.open()
        var values = store.values(Self.count).makeAsyncIterator()
        #expect(try await values.next() == 0)
        await write(3, as: "a", vault)
        try await store.close()
        #expect(try await values.next() == 3)
        #expect(try await values.next() == nil)
    }

    @Test func aReadOnlyStoreSeesThemToo() async throws {
        let vault = try await vault()
        let reading = vault.with(\.settings, StoreSettings(isReadOnly: true, readers: 2))
        let store = try await reading.open()
        let watcher = Task {
            for try await count in store.values(Self.count) where count == 5 { return }
        }
        await write(5, as: "a", vault)
        try await watcher.value
        try await store.close()
    }

    @Test func oneOfAnotherTableCountsAndAnEqualValueIsNotDelivered() async throws {
        // Only the store's own transactions look.
        let vault = try await vault(.polled(every: .seconds(1_000)))
        let store = try await vault.open()
        var lines = store.changes(in: Line.self).makeAsyncIterator()
        let reads = Tally()
        let watcher = Task {
            var seen: [Int] = []
            let counts = store.values { db in
                reads.add()
                return try Self.count(db)
            }
            for try await count in counts { seen.append(count) }
            return seen
        }
        try await eventually { reads.value == 1 }
        await #expect(processExitsWith: .success) { [root = vault.directory as String] in
            let store = try await Self.patient(root, .numbered(1)).open()
            try await store.write { db in try db.execute("CREATE TABLE other (x)") }
            try await store.close()
        }
        try await store.write { db in try db.execute("INSERT INTO other VALUES (1)") }
        #expect(try await lines.next() != nil)
        try await eventually { reads.value == 2 }
        try await store.write { db in try Self.add("own", db) }
        try await eventually { reads.value == 3 }
        try await store.close()
        #expect(try await watcher.value == [0, 1])
    }

    /// Version 0.2.0 wrote which tables were written beside an observed file.
    @Test func recordsOfAnEarlierVersionAreRemoved() async throws {
        let vault = try await vault()
        let records = URL(filePath: vault.beside("changes"))
        try Data("strongroom log 1".utf8).write(to: records)
        let store = try await vault.open()
        #expect(!FileManager.default.fileExists(atPath: records.path))
        #expect(try await store.verify().isIntact)
        try await store.close()
        // A file of the program's own.
        try Data("my own changes".utf8).write(to: records)
        try await vault.open().close()
        #expect(FileManager.default.fileExists(atPath: records.path))
    }

    @Test func observersThatAreNotToBeToldAreNot() async throws {
        let vault = try await vault(.ignored)
        let store = try await vault.open()
        var lines = store.changes(in: Line.self).makeAsyncIterator()
        await write(3, as: "a", vault)
        try await store.close()
        #expect(try await lines.next() == nil)
        #expect(store.statistics.foreignChanges == 0)
    }

    /// Nothing was committed, so nothing is told: not by an opening, a closing, a rollback or a read.
    @Test func whatCommitsNothingIsNotTold() async throws {
        let vault = try await vault()
        let store = try await vault.open()
        try await store.write { db in try Self.add("own", db) }
        var lines = store.changes(in: Line.self).makeAsyncIterator()
        await #expect(processExitsWith: .success) { [root = vault.directory as String] in
            let store = try await Self.patient(root, .numbered(1)).open()
            _ = try await store.read(Self.count)
            await #expect(throws: CancellationError.self) {
                try await store.write { db in
                    try Self.add("x", db)
                    throw CancellationError()
                }
            }
            // Not closed: a checkpoint may count as a change.
            exit(0)
        }
        try await store.close()
        #expect(try await lines.next() == nil)
        #expect(store.statistics.foreignChanges == 0)
    }

    // MARK: While the store writes

    @Test(.enabled(if: SQLCipherShell.installed != nil, SQLCipherShell.reason))
    func aTransactionWithoutTheWriteLockDoesNotDelayThem() async throws {
        let vault = try await vault()
        let store = try await vault.open()
        var values = store.values(Self.count).makeAsyncIterator()
        #expect(try await values.next() == 0)
        let mayEnd = Moment()
        let holder = try await store.holdWriter(as: .deferred, until: mayEnd)
        let shell = try LateShell(try #require(SQLCipherShell.installed), vault.path, key: 1)
        #expect(try shell.run("INSERT INTO line VALUES ('a');") == "")
        while let value = try await values.next(), value != 1 {}
        mayEnd.come()
        try await holder.value
        try shell.end()
        try await store.close()
    }

    @Test func aLongWriteTellsOfEarlierCommitsAtItsBeginning() async throws {
        // Only the store's own transactions look.
        let vault = try await vault(.polled(every: .seconds(1_000)))
        let store = try await vault.open()
        var values = store.values(Self.count).makeAsyncIterator()
        #expect(try await values.next() == 0)
        await write(1, as: "a", vault)
        for kind in [WriteKind.shared, .immediate] {
            let mayEnd = Moment()
            let holder = Task { try await store.write(as: kind) { _ in try mayEnd.block() } }
            #expect(try await values.next() == (kind == .shared ? 1 : 2))
            mayEnd.come()
            try await holder.value
            if kind == .shared { await write(1, as: "b", vault) }
        }
        try await store.close()
    }

    // MARK: Processes that are killed, rotations, restores

    @Test func aKilledProcessLeavesTheLastCommitSeen() async throws {
        let vault = try await vault()
        let store = try await vault.open()
        let seen = Locked(-1)
        let watcher = Task { for try await count in store.values(Self.count) { seen.withLock { $0 = count } } }
        for round in 1...3 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [root = vault.directory as String] in
                let store = try await Self.patient(root, .numbered(1)).open()
                try await store.write { db in try Self.add("kept", db) }
                try await store.write { db in
                    // More than the page cache holds, so that frames without a commit are in the log.
                    for _ in 0..<40 { try Self.add(String(repeating: "x", count: 1 << 20), db) }
                    kill(getpid(), SIGKILL)
                }
            }
            try await eventually { seen.withLock { $0 } == round }
        }
        try await store.write { db in try Self.add("own", db) }
        try await eventually { seen.withLock { $0 } == 4 }
        try await store.close()
        try await watcher.value
        #expect(seen.withLock { $0 } == 4)
    }

    @Test func rotationsOfBothSidesKeepObserversGoing() async throws {
        let directory = try TemporaryDirectory()
        let keys = Locked<[Key]>([.numbered(1)])
        let settings = StoreSettings(readers: 2, openTimeout: .seconds(120))
        let vault = Vault(directory.path("files")) { _ in try KeyChain(keys.withLock { $0 }) }
            .with(\.settings, settings)
        let store = try await vault.open()
        let seen = Locked(-1)
        let watcher = Task { for try await count in store.values(Self.count) { seen.withLock { $0 = count } } }
        await write(2, as: "a", vault)
        try await eventually { seen.withLock { $0 } == 2 }
        // The other process rotates while opening.
        keys.withLock { $0 = [.numbered(1), .numbered(2)] }
        await #expect(processExitsWith: .success) { [root = vault.directory as String] in
            try await Self.patient(root, .numbered(1), .numbered(2)).keep("rotated")
        }
        try await eventually { seen.withLock { $0 } == 3 }
        keys.withLock { $0 = [.numbered(1), .numbered(2), .numbered(3)] }
        #expect(try await store.rotate().from == 1)
        await #expect(processExitsWith: .success) { [root = vault.directory as String] in
            try await Self.patient(root, .numbered(3)).keep("after")
        }
        try await eventually { seen.withLock { $0 } == 4 }
        try await store.close()
        try await watcher.value
    }
}
