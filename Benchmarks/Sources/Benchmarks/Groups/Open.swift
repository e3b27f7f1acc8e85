import Dispatch
import Strongroom
import Synchronization

extension Group {
    static let open = Group("open", "a passphrase, one writer and four readers in use at one time") { workplace in
        let file = try await workplace.makeFile()
        return [
            Measure(
                name: "open",
                rival: "C, one connection",
                unit: .milliseconds,
                target: 1 / 1.3,
                ours: {
                    let start = ContinuousClock.now
                    let store = try await file.open()
                    try await useAllReaders(of: store)
                    let duration = ContinuousClock.now - start
                    try await store.close()
                    return duration
                },
                theirs: {
                    var rival: Rival?
                    let duration = try ContinuousClock().measure { rival = try file.openRival() }
                    // Closed after the clock has stopped, as the store is.
                    rival = nil
                    return duration
                }
            )
        ]
    }

    /// One query on each reader; none leaves before all have come, so that each task needs a reader of its own.
    private static func useAllReaders(of store: Store) async throws {
        let meeting = Meeting(of: Workplace.readerCount)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Workplace.readerCount {
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
