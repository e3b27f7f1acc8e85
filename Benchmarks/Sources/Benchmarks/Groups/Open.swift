import Dispatch
import Strongroom
import Synchronization
import TestData

extension Group {
    static let open = Group("open", "a passphrase, one writer and four readers in use at one time") { workplace in
        let file = try await workplace.makeFile(of: Entry.self)
        return [
            Measure(
                name: "open",
                unit: .milliseconds,
                ours: {
                    let start = ContinuousClock.now
                    let store = try await file.open()
                    try await useAllReaders(of: store)
                    let duration = ContinuousClock.now - start
                    try await store.close()
                    return duration
                },
                rival: Measure.Side(name: "C, one connection", target: 1 / 1.3) {
                    var rival: Rival?
                    let duration = try ContinuousClock().measure { rival = try file.openRival() }
                    // Closed after the clock has stopped, as the store is.
                    rival = nil
                    return duration
                },
                machineLimit: { try MachineLimit.derivation() }
            )
        ]
    }

    /// One query on each reader; none leaves before all have come, so that each task needs a reader of its own.
    private static func useAllReaders(of store: Store) async throws {
        let meeting = Meeting(of: TestData.readerCount)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<TestData.readerCount {
                group.addTask {
                    try await store.read { db in
                        defer { meeting.attend() }
                        _ = try db.value("SELECT count(*) FROM sqlite_master", as: Int.self)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// Holds threads until a number of them have come.
private final class Meeting: Sendable {
    private let missing: Mutex<Int>
    private let size: Int
    private let opens = DispatchSemaphore(value: 0)

    init(of size: Int) {
        self.size = size
        missing = Mutex(size)
    }

    func attend() {
        let isComplete = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        guard !isComplete else {
            for _ in 1..<size { opens.signal() }
            return
        }
        opens.wait()
    }
}
