import ArgumentParser
import Foundation
import Strongroom

/// The program run again, as a process that commits to a file which another one observes.
struct ForeignWriter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "write-notices", shouldDisplay: false)

    @Argument(help: "The directory of the file.")
    var directory: String

    @Argument(help: "How many commits to make.")
    var count: Int

    func run() async throws {
        let store = try await NoticePlace(directory: URL(filePath: directory)).open()
        var pauses = SystemRandomNumberGenerator()
        for _ in 0..<count {
            try await Task.sleep(for: .microseconds(Int.random(in: 5_000...25_000, using: &pauses)))
            try await store.write { db in
                // The writer's lock is held here, so that waiting for it does not count, but the commit does.
                try db.execute("INSERT INTO notice (committed) VALUES (\(MonotonicClock.nanoseconds()))")
            }
        }
        try await store.close()
    }

    /// Starts it as a process.
    static func start(in place: NoticePlace, count: Int) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["write-notices", place.directory.path(percentEncoded: false), "\(count)"]
        try process.run()
        return process
    }
}

/// A clock whose times two processes can compare.
enum MonotonicClock {
    static func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// A file with the notices of another process, and the lines of a busy writer.
struct NoticePlace: Configuration {
    static let target = "notices"

    let directory: URL

    func filePath(for database: DatabaseName) -> String? {
        directory.appending(path: database.fileName).path(percentEncoded: false)
    }

    func keyChain(for database: DatabaseName) throws -> KeyChain {
        try KeyChain(.raw([UInt8](repeating: 1, count: 32)))
    }

    func open() async throws -> Store {
        let store = try await Stores(self).open("notices.sqlite")
        try await store.write { db in
            try db.execute("CREATE TABLE IF NOT EXISTS notice (id INTEGER PRIMARY KEY, committed INTEGER NOT NULL)")
            try db.execute("CREATE TABLE IF NOT EXISTS line (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        }
        return store
    }
}
