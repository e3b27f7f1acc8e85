import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

@Suite("Several processes on one file", .timeLimit(.minutes(60)))
struct ManyProcessesTests {
    private static let processes = 4

    /// What each process writes; `STRONGROOM_LONG` asks for the long proof.
    private static var writes: Int {
        ProcessInfo.processInfo.environment["STRONGROOM_LONG"] == nil ? 200 : 5_000
    }

    @Test(arguments: [false, true])
    func whatAllOfThemWriteIsThereOnce(isBlocking: Bool) async throws {
        let vault = Vault(keys: .numbered(1))
        try await vault.keep()
        await withTaskGroup { group in
            for process in 0..<Self.processes {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [root = vault.directory as String, process = process as Int, isBlocking = isBlocking as Bool] in
                        try await Self.writeAndRead(in: root, as: process, isBlocking: isBlocking)
                    }
                }
            }
        }
        let expected = (0..<Self.processes).flatMap { process in (0..<Self.writes).map { "\(process):\($0)" } }
        #expect(try await vault.lines().sorted() == expected.sorted())
    }

    /// Each write is seen by the read after it, and what is read never goes back.
    private static func writeAndRead(in root: String, as process: Int, isBlocking: Bool) async throws {
        // Bounded, but no process is to give up because the machine is slow.
        let patient = StoreSettings(readers: 2, busyTimeout: .seconds(120), openTimeout: .seconds(120))
        let store = try await Vault(root, keys: .numbered(1)).with(\.settings, patient).open()
        var (all, own) = (0, 0)
        for number in 0..<writes {
            let line = "\(process):\(number)"
            let pattern = "\(process):%"
            let counts: (Int, Int)
            if isBlocking {
                counts = try await onThread {
                    try store.write { db in try add(line, db) }
                    return try store.read { db in try count(pattern, db) }
                }
            } else {
                try await store.write { db in try add(line, db) }
                counts = try await store.read { db in try count(pattern, db) }
            }
            #expect(counts.0 > all && counts.1 == own + 1)
            (all, own) = counts
        }
        try await store.close()
    }

    /// Reads before it writes: a transaction that began as one that reads could not go on when another process has
    /// written meanwhile.
    private static func add(_ line: String, _ db: borrowing WriteTransaction) throws {
        let before = try db.value("SELECT count(*) FROM line", as: Int.self) ?? 0
        try db.execute("INSERT INTO line (text) VALUES (\(line))")
        #expect(try db.value("SELECT count(*) FROM line", as: Int.self) == before + 1)
    }

    private static func count(_ pattern: String, _ db: borrowing ReadTransaction) throws -> (Int, Int) {
        (
            try db.value("SELECT count(*) FROM line", as: Int.self) ?? 0,
            try db.value("SELECT count(*) FROM line WHERE text LIKE \(pattern)", as: Int.self) ?? 0
        )
    }
}
