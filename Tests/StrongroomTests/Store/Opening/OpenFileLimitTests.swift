import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// In a process of its own, since the limit is the process's.
@Suite("More files than the process may have open")
struct OpenFileLimitTests {
    @Test func theErrorTellsOfTheLimitAndAfterItTheFileOpens() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("files")
        try await Vault(path, keys: .numbered(1)).keep("a")
        await #expect(processExitsWith: .success) { [path = path as String] in
            // Between the loss of the last descriptor and its return nothing is queued for Dispatch's threads.
            try await withTaskExecutorPreference(JobThread()) {
                let vault = Vault(path, keys: .numbered(1))
                var limit = rlimit(rlim_cur: 64, rlim_max: 64)
                try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
                var taken: [Int32] = []
                defer { for descriptor in taken { close(descriptor) } }
                while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { taken.append(descriptor) }
                var failures = 0
                while let descriptor = taken.popLast() {
                    var failure: StrongroomError?
                    do {
                        try #require(try await vault.lines() == ["a"])
                    } catch let error as StrongroomError {
                        failure = error
                    }
                    guard let failure else { break }
                    try #require(failure.code == .tooManyOpenFiles, "\(failure)")
                    try #require(failure.message.contains("ulimit"))
                    failures += 1
                    close(descriptor)
                }
                try #require(failures > 2 && !taken.isEmpty)
            }
        }
    }
}

/// Runs the parts of tasks on one thread. Where files cannot be opened, Dispatch's own threads must have nothing to do:
/// it ends the process when a part waits in a queue of theirs and their state cannot be read.
private final class JobThread: TaskExecutor, @unchecked Sendable {  // guarded by its lock
    private var jobs: [UnownedJob] = []
    private let lock = NSLock()
    private let gate = DispatchSemaphore(value: 0)

    init() {
        Thread { [self] in
            while true {
                gate.wait()
                lock.withLock { jobs.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
            }
        }.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        lock.withLock { jobs.append(job) }
        gate.signal()
    }
}
