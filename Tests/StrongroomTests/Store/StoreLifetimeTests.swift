import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("What a store leaves behind")
struct StoreLifetimeTests {
    enum End: CaseIterable {
        case closed, dropped
    }

    @Test(arguments: End.allCases)
    func aStoreThatIsGoneLeavesItsFileFree(end: End) async throws {
        let configuration = try LineConfiguration(TemporaryDirectory())
        for round in 0..<20 {
            weak var weakStore: Store?
            do {
                let stores = try Stores(configuration)
                let store = try await openWhenFree(stores)
                weakStore = store
                try await store.write { db in try addLine(round, db) }
                #expect(try await store.read { db in try lineNumbers(db) } == Array(0...round))
                if end == .closed { try await store.close() }
            }
            try await eventually { weakStore == nil }
        }
    }

    @Test func theRegistryKeepsAStoreOpenWithoutFurtherReferences() async throws {
        let stores = try Stores(LineConfiguration(TemporaryDirectory()))
        weak let first = try await stores.open("lines.sqlite")
        #expect(first != nil)
        #expect(try await stores.open("lines.sqlite") === first)
        try await stores.closeAll()
        try await eventually { first == nil }
    }

    @Test func workThatRunsKeepsItsConnectionWhenTheStoreIsDropped() async throws {
        let (inside, canEnd) = (Moment(), Moment())
        let directory = try TemporaryDirectory()
        func start() async throws -> Task<[Int], any Error> {
            let store = try await Stores(LineConfiguration(directory)).open("lines.sqlite")
            return Task {
                try await store.write { db in
                    inside.come()
                    try canEnd.block()
                    try addLine(1, db)
                    return try lineNumbers(db)
                }
            }
        }
        let task = try await start()
        try await inside.wait()
        canEnd.come()
        #expect(try await task.value == [1])
    }

    #if os(Linux)
    // /proc tells what a process has open and which threads it has; other systems have no such view without private
    // interfaces.

    @Test func readersAreOpenedWhenTheyAreNeeded() async throws {
        let fixture = try await LineStore(readers: 4)
        let store = fixture.store
        #expect(try openFiles(store.path) == 1)
        try await store.write { db in try addLine(1, db) }
        #expect(try openFiles(store.path) == 1)
        // One after the other needs one reader, however many there could be.
        for _ in 0..<10 { _ = try await fixture.lines() }
        #expect(try openFiles(store.path) == 2)
        let barrier = Barrier(3)
        try await withThrowingTaskGroup { group in
            for _ in 0..<3 { group.addTask { try await store.read { _ in try barrier.block() } } }
            try await group.waitForAll()
        }
        #expect(try openFiles(store.path) == 4)
        try await store.close()
        #expect(try openFiles(fixture.directory.path("")) == 0)
    }

    @Test(arguments: End.allCases)
    func aHundredStoresLeaveNoThreadAndNoDescriptor(end: End) async throws {
        var directory = try TemporaryDirectory()
        let threads = ThreadLog()
        // Closed stores are kept: closing is to end their threads, not only dropping them.
        var kept: [Store] = []
        for round in 0..<100 {
            let store = try await Stores(LineConfiguration(directory, readers: 2)).open("lines_\(round).sqlite")
            try await store.write { _ in try threads.enter() }
            let barrier = Barrier(2)
            try await withThrowingTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask {
                        try await store.read { _ in
                            try threads.enter()
                            try barrier.block()
                        }
                    }
                }
                try await group.waitForAll()
            }
            guard end == .closed else { continue }
            try await store.close()
            kept.append(store)
        }
        #expect(threads.count == 300)
        try await eventually { threads.alive == 0 }
        try await eventually { try openFiles(directory.path("")) == 0 }
        // Nor does anybody hold their configurations, which hold the directory and know the key.
        try await eventually { isKnownUniquelyReferenced(&directory) }
        #expect(kept.allSatisfy { $0.path.hasPrefix(directory.path("")) })
    }

    @Test func blockingUseNeedsNoThreadOfTheStore() async throws {
        let store = try await LineStore(readers: 1).store
        let isSame = try await onThread {
            let own = try ThreadLog.runningThread()
            let inWrite = try store.write { _ in try ThreadLog.runningThread() }
            let inRead = try store.read { _ in try ThreadLog.runningThread() }
            return own == inWrite && own == inRead
        }
        #expect(isSame)
    }

    /// The number of descriptors that this process has for files whose path begins so, the engine's log and index left
    /// out.
    private func openFiles(_ prefix: String) throws -> Int {
        let directory = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: directory).count { descriptor in
            // One that another test has closed meanwhile has no target any more.
            guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(descriptor)")
            else { return false }
            return path.hasPrefix(prefix) && !path.hasSuffix("-wal") && !path.hasSuffix("-shm")
        }
    }
    #endif

    /// Opens the file as soon as nobody else in the process has it: a dropped store is gone when its last thread has
    /// let go of it.
    private func openWhenFree(_ stores: Stores) async throws -> Store {
        let deadline = ContinuousClock.now + .seconds(Patience.seconds)
        while true {
            do {
                return try await stores.open("lines.sqlite")
            } catch let error as StrongroomError where error.code == .alreadyOpen {
                guard ContinuousClock.now < deadline else { throw error }
                await Task.yield()
            }
        }
    }
}

#if os(Linux)
/// The threads that a store's closures ran on.
private final class ThreadLog: Sendable {
    private let threads = Locked<[String]>([])

    var count: Int { threads.withLock { $0.count } }

    /// How many of them have not ended.
    var alive: Int {
        threads.withLock { threads in
            threads.count { FileManager.default.fileExists(atPath: "/proc/\($0)") }
        }
    }

    func enter() throws {
        let thread = try Self.runningThread()
        threads.withLock { $0.append(thread) }
    }

    /// The running thread's place below /proc.
    static func runningThread() throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    }
}
#endif
