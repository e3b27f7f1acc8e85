import StrongroomTesting
import Testing

// The state machine cannot be had through the public interface.
@testable import Strongroom

@Suite("Work on the file of a lent store")
struct ReservedStoreTests {
    // MARK: Decisions

    private typealias Queue = LendingQueue<String, Int>

    private struct Refusal: Error {}

    private static func queue(_ limits: LendingLimits = LendingLimits(openStores: 1)) -> Queue {
        var queue = Queue { _ in false }
        _ = queue.setLimits(limits)
        return queue
    }

    private static let (a, b) = (name("a"), name("b"))

    private static func name(_ text: String) -> DatabaseName {
        guard let name = try? DatabaseName(text) else { preconditionFailure() }
        return name
    }

    private static func request(_ name: DatabaseName, _ queue: inout Queue, waiter: Int = 0) -> Queue.Grant? {
        queue.request(name, isNested: false, ticket: UInt64(waiter), waiter: waiter).grant
    }

    /// Lends a store that is opened at once.
    private static func lend(_ name: DatabaseName, _ queue: inout Queue) throws -> Queue.Loan {
        switch request(name, &queue) {
        case .use(let loan, _): return loan
        case .open(let loan):
            _ = queue.opened(loan, loan.name.fileName, isSame: ==)
            return loan
        default: throw Refusal()
        }
    }

    private static func reserve(_ name: DatabaseName, _ queue: inout Queue) throws -> (Queue.Loan, String?) {
        guard case .reserved(let loan, let store) = queue.reserve(name) else { throw Refusal() }
        return (loan, store)
    }

    @Test func `an idle store is closed, and requests for it wait for the end of the work`() throws {
        var queue = Self.queue()
        let loan = try Self.lend(Self.a, &queue)
        guard case .refused = queue.reserve(Self.a) else { throw Refusal() }
        _ = queue.returned(loan, at: .now, closes: false)
        let (reserved, store) = try Self.reserve(Self.a, &queue)
        #expect(store == "a")
        guard case .refused = queue.reserve(Self.a) else { throw Refusal() }
        #expect(Self.request(Self.a, &queue, waiter: 7) == nil)
        #expect(queue.isInUse && queue.numbers.waiting == 1)
        // Neither what has happened to the loan before, nor the end of another one, ends the reservation.
        _ = queue.closed(loan)
        _ = queue.lost(loan)
        let granted = queue.closed(reserved).granted
        #expect(granted.map(\.waiter) == [7])
        guard case .open = granted.first?.grant else { throw Refusal() }
    }

    @Test func `a store that is kept closed takes no room from others`() throws {
        var queue = Self.queue()
        let (reserved, store) = try Self.reserve(Self.a, &queue)
        #expect(store == nil)
        let loan = try Self.lend(Self.b, &queue)
        _ = queue.returned(loan, at: .now, closes: false)
        // It is not taken for one that is being closed for the waiting request.
        let (grant, steps) = queue.request(Self.name("c"), isNested: false, ticket: 3, waiter: 3)
        #expect(grant == nil && steps.closing.map(\.store) == ["b"])
        #expect(queue.closed(steps.closing[0].loan).granted.map(\.waiter) == [3])
        #expect(queue.closed(reserved).granted.isEmpty)
        #expect(queue.numbers.closing == 0 && queue.numbers.opening == 1)
    }

    @Test func `a request that waits for a limit does not hold up the others meanwhile`() throws {
        var queue = Self.queue()
        let loan = try Self.lend(Self.b, &queue)
        #expect(Self.request(Self.a, &queue, waiter: 1) == nil)
        #expect(Self.request(Self.name("c"), &queue, waiter: 2) == nil)
        let (reserved, _) = try Self.reserve(Self.a, &queue)
        let steps = queue.returned(loan, at: .now, closes: true)
        #expect(queue.closed(steps.closing[0].loan).granted.map(\.waiter) == [2])
        #expect(queue.closed(reserved).granted.isEmpty && queue.numbers.waiting == 1)
    }

    @Test func `a store that is being closed for another is waited for`() throws {
        var queue = Self.queue()
        _ = queue.returned(try Self.lend(Self.a, &queue), at: .now, closes: false)
        let steps = queue.request(Self.b, isNested: false, ticket: 1, waiter: 1).steps
        guard case .closing = queue.reserve(Self.a) else { throw Refusal() }
        _ = queue.closed(steps.closing[0].loan)
        _ = try Self.reserve(Self.a, &queue)
    }

    @Test func `a request inside another use, and one that is cancelled, wait behind the work`() throws {
        var queue = Self.queue()
        let (reserved, _) = try Self.reserve(Self.a, &queue)
        _ = try Self.lend(Self.b, &queue)
        #expect(queue.request(Self.a, isNested: true, ticket: 1, waiter: 1).grant == nil)
        #expect(queue.request(Self.a, isNested: false, ticket: 2, waiter: 2).grant == nil)
        #expect(queue.cancel(2).waiter == 2)
        // The limit does not apply to the nested one.
        #expect(queue.closed(reserved).granted.map(\.waiter) == [1])
    }

    @Test func `the end of lending refuses requests that wait, and lets the work end`() throws {
        var queue = Self.queue()
        let (reserved, _) = try Self.reserve(Self.a, &queue)
        #expect(Self.request(Self.a, &queue, waiter: 1) == nil)
        #expect(queue.end().granted.map(\.waiter) == [1])
        #expect(queue.isInUse)
        let left = queue.closed(reserved).granted
        #expect(left.isEmpty && !queue.isInUse)
        guard case .refused = queue.reserve(Self.a) else { throw Refusal() }
    }

    // MARK: Files

    @Test func `an idle store's database is removed, and one in use is not`() async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("files"), keys: .numbered(1))
        let stores = try Stores(vault)
        let lease = try await stores.lease("vault.sqlite")
        try await lease.store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
        try await expectFailure(.alreadyOpen) { try await stores.remove("vault.sqlite") }
        lease.end()
        #expect(try await stores.remove("vault.sqlite"))
        #expect(try DirectorySnapshot(vault.directory).names == [])
        #expect(try await !stores.remove("vault.sqlite"))
        try await stores.withStore("vault.sqlite") { store in
            #expect(store.opening.outcome == .created)
        }
        try await stores.closeAll()
    }

    @Test func `a store that a program has opened itself stays open`() async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("files"), keys: .numbered(1))
        let stores = try Stores(vault)
        let store = try await stores.open("vault.sqlite")
        try await stores.withStore("vault.sqlite") { lent in #expect(lent === store) }
        try await expectFailure(.alreadyOpen) { try await stores.remove("vault.sqlite") }
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
        try await store.close()
        #expect(try await stores.remove("vault.sqlite"))
    }

    /// Its keys come from another store of the registry, which is at its limit, or from itself, which is an error.
    @Test(arguments: ["vault_keys.sqlite", "vault_a.sqlite"])
    func `the work's own requests do not wait for the limit`(source: String) async throws {
        let directory = try TemporaryDirectory()
        let keeper = Keeper(directory: directory, source: Locked(nil))
        let stores = try Stores(keeper)
        keeper.source.withLock { $0 = (stores, "vault_keys.sqlite") }
        stores.lendingLimits.openStores = 1
        try await stores.withStore("vault_a.sqlite") { store in
            _ = try await store.backup(to: directory.path("backup.sqlite"))
        }
        keeper.source.withLock { $0 = (stores, source) }
        let lease = try await stores.lease("vault_other.sqlite")
        let restored: @Sendable () async throws -> BackupReport = { [path = directory.path("backup.sqlite")] in
            try await ending { try await stores.restore("vault_a.sqlite", from: path) }
        }
        if source == "vault_keys.sqlite" {
            #expect(try await restored().rows == 0)
        } else {
            try await expectFailure(.nestedAccess) { _ = try await restored() }
        }
        lease.end()
        keeper.source.withLock { $0 = nil }
        try await stores.closeAll()
    }

    /// Takes the keys of its vaults from a store.
    private struct Keeper: Configuration {
        static let target = "vault"

        let directory: TemporaryDirectory
        let source: Locked<(Stores, String)?>

        func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
        func keyChain(for database: DatabaseName) async throws -> KeyChain {
            if database.fileName == "vault_a.sqlite", let (stores, name) = source.withLock({ $0 }) {
                try await stores.withStore(name) { _ in }
            }
            return try KeyChain(.numbered(1))
        }
    }

    @Test func `a lent database is restored while others are used, and then lent again`() async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("files"), keys: .numbered(1))
        let (stores, backup) = (try Stores(vault), directory.path("backup.sqlite"))
        func lines() async throws -> [String] {
            try await stores.withStore("vault.sqlite") { store in
                try await store.read { db in
                    var lines: [String] = []
                    try db.forEachRow("SELECT text FROM line ORDER BY rowid") { row in lines.append(try row[0]) }
                    return lines
                }
            }
        }
        func add(_ text: String) async throws {
            try await stores.withStore("vault.sqlite") { store in
                try await store.write { db in try db.execute("INSERT INTO line VALUES (\(text))") }
            }
        }
        try await add("a")
        _ = try await stores.withStore("vault.sqlite") { store in try await store.backup(to: backup) }
        try await add("b")
        let (isCopying, mayGoOn) = (Moment(), Moment())
        let restoring = Task {
            try await stores.restore("vault.sqlite", from: backup) { _ in
                isCopying.come()
                try? mayGoOn.block()
            }
        }
        try await isCopying.wait()
        let waiting = Task { try await lines() }
        try await eventually { stores.statistics.waiting == 1 }
        mayGoOn.come()
        _ = try await restoring.value
        #expect(try await waiting.value == ["a"])
        try await stores.closeAll()
    }
}
