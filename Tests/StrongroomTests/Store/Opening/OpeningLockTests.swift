import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Opening one file from several processes")
struct OpeningLockTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path(""), keys: .numbered(1)) }

    /// Another process that has the opening lock until ``release()``.
    private final class Holder {
        static let program = Program(named: "flock")

        private let process = Process()
        private let input = Pipe()

        /// As the library's messages name it.
        var name: String { "process \(process.processIdentifier) (flock)" }

        init(_ path: String) throws {
            let output = Pipe()
            process.executableURL = URL(filePath: try #require(Self.program).path)
            process.arguments = [path, "sh", "-c", "echo held; cat"]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            let said = try output.fileHandleForReading.read(upToCount: 5)
            try #require(said == Data("held\n".utf8))
        }

        /// Ends the process, and with it the lock.
        func release() throws {
            try input.fileHandleForWriting.close()
            process.waitForEnd()
        }
    }

    @Suite("Held by another process", .enabled(if: Holder.program != nil, "flock of util-linux is not installed"))
    struct HeldElsewhere {
        private let vault = Vault(keys: .numbered(1))
        private var lock: String { vault.beside("lock") }

        @Test(arguments: [true, false])
        func openingGivesUpAfterItsTimeAndTouchesNothing(isThere: Bool) async throws {
            if isThere { try await vault.keep("a") }
            let before = try DirectorySnapshot(vault.directory)
            let holder = try Holder(lock)
            let hasty = vault.with(\.settings, StoreSettings(openTimeout: .milliseconds(50)))
            let error = try await expectFailure(.locked) { try await hasty.open() }
            #expect(error.message.contains(vault.path))
            #expect(error.message.contains("Wait for it to finish, or end it"))
            #expect(error.database == "vault.sqlite")
            try before.expectUntouched()
            try holder.release()
            #expect(try await hasty.lines() == (isThere ? ["a"] : []))
        }

        @Test(
            .enabled(if: FileManager.default.isReadableFile(atPath: "/proc/locks"), "the system does not list locks"),
            arguments: [true, false])
        func theErrorNamesTheProcessAndARotation(isRotating: Bool) async throws {
            try await vault.keep("a")
            let holder = try Holder(lock)
            if isRotating { try Data().write(to: URL(filePath: vault.beside("rotating"))) }
            let hasty = vault.with(\.settings, StoreSettings(openTimeout: .zero))
            let error = try await expectFailure(.locked) { try await hasty.open() }
            let work = isRotating ? "rotating it" : "opening it, or changing its schema or keys"
            #expect(error.message.contains("\(holder.name) is \(work)"), "\(error.message)")
            try holder.release()
            #expect(try await vault.lines() == ["a"])
        }

        @Test func openingWaitsUntilTheLockIsLetGo() async throws {
            try await vault.keep("a")
            let holder = try Holder(lock)
            let isOpen = Locked(false)
            let opening = Task {
                let lines = try await vault.lines()
                isOpen.withLock { $0 = true }
                return lines
            }
            // Long enough for an opening that does not wait to come through, most of the time; the test cannot fail by
            // it.
            try await Task.sleep(for: .milliseconds(100))
            #expect(isOpen.withLock { !$0 })
            try holder.release()
            #expect(try await opening.value == ["a"])
        }
    }

    @Test func processesThatOpenANewFileAtOnceShareIt() async throws {
        await withTaskGroup { group in
            for number in 0..<6 {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [root = vault.directory as String, number = number as Int] in
                        try await Vault(root, keys: .numbered(1)).keep("\(number)")
                    }
                }
            }
        }
        #expect(try await vault.lines().sorted() == (0..<6).map { "\($0)" })
    }

    @Test func oneOfTheProcessesThatMigrateAtOnceDoesItAndTheOthersFindItDone() async throws {
        try await vault.keep("a")
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [root = vault.directory as String] in
                        let migrator = Migrator {
                            Migration("1") { _ in }
                            Migration("2") { db in try db.execute("INSERT INTO line VALUES ('migrated')") }
                        }
                        try await Vault(root, keys: .numbered(1)).with(\.migrator, migrator).keep()
                    }
                }
            }
        }
        #expect(try await vault.with(\.migrator, nil).lines() == ["a", "migrated"])
    }
}

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

@Suite("What reports say when they are printed")
struct ReportWordsTests {
    private let directory = TemporaryDirectory.ofSuite()

    private func vault(_ numbers: UInt8..., versions: Int = 1) -> Vault {
        let keys = numbers.map(Key.numbered)
        let migrations = (1...versions).map { number in
            Migration("\(number)") { db in try db.execute("CREATE TABLE \(name: "t\(number)") (a)") }
        }
        return Vault(directory.path("")) { _ in try KeyChain(keys) }
            .with(\.migrator, Migrator { migrations })
    }

    /// Without the time, which is another one each time.
    private func words(_ vault: Vault) async throws -> [String] {
        let report = try await vault.using { store in store.openReport }
        return "\(report)".split(separator: "; ").dropLast().map(String.init)
    }

    @Test func anOpening() async throws {
        #expect(try await words(vault(1)) == ["created with key 1 of 1"])
        #expect(try await words(vault(1)) == ["opened with key 1 of 1", "at version 1"])
        let moved = try await words(vault(1, 2, versions: 3))
        #expect(moved.first == "opened with key 2 of 2")
        #expect(moved.dropFirst().first?.hasPrefix("rotated from key 1 to key 2 by a copy of ") == true)
        #expect(moved.last == "migrated from version 1 to version 3")
        #expect(try await words(Vault(directory.path("plain")) { _ in .plaintext }) == ["created, not encrypted"])
    }

    @Test func aRotationThatHasNothingToDo() async throws {
        let report = try await vault(1, 2).using { store in try await store.rotate() }
        #expect("\(report)" == "already on the current key, key 2")
    }
}

@Suite("Settings of a store")
struct SettingsTests {
    @Test(arguments: [Duration.seconds(Int64.max), .zero, .seconds(-1)])
    func anyBusyTimeoutOpens(timeout: Duration) async throws {
        let directory = try TemporaryDirectory()
        let settings = StoreSettings(readers: 1, busyTimeout: timeout)
        let vault = Vault(directory.path(""), keys: .numbered(1)).with(\.settings, settings)
        try await vault.keep("a")
        #expect(try await vault.lines() == ["a"])
    }
}
