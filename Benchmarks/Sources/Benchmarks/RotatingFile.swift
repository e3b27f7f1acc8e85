import Baseline
import Foundation
import Strongroom
import Synchronization

/// A file that gets a new key again and again, by us or by a rival.
final class RotatingFile: Sendable {
    private struct Failure: Error {
        let result: Int32
    }

    private let directory: URL
    private let name: String
    /// Whether it has an envelope, whose keys are passphrases.
    private let isWrapped: Bool
    /// The number of the key that it has.
    private let number = Atomic<Int>(1)

    /// Makes a file with rows of random bytes.
    init(in directory: URL, megabytes: Int, wrapped: Bool = false) async throws {
        self.directory = directory
        isWrapped = wrapped
        name = "rotating_\(UUID().uuidString).sqlite"
        let store = try await Stores(Vault(directory: directory, isWrapped: wrapped, numbers: [1])).open(name)
        try await store.write { db in
            try db.execute("CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT NOT NULL, bytes BLOB NOT NULL)")
            for _ in 0..<megabytes {
                try db.execute(
                    """
                    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000)
                    INSERT INTO row (text, bytes) SELECT hex(randomblob(50)), randomblob(860) FROM number
                    """
                )
            }
            try db.execute("CREATE INDEX row_text ON row (text) WHERE id % 20 = 0")
        }
        try await store.close()
    }

    /// Gives it the next key.
    func rotate() async throws -> RotationReport {
        let (old, new) = next()
        let store = try await open(old, new)
        let report = try await store.rotate()
        try await store.close()
        return report
    }

    /// Gives its envelope the next key.
    ///
    /// - Returns: How long that took, from the call to its end.
    func rewrap() async throws -> Duration {
        let (old, new) = next()
        let store = try await open(old, new)
        let start = ContinuousClock.now
        try await store.rotate()
        let duration = ContinuousClock.now - start
        try await store.close()
        return duration
    }

    private func open(_ numbers: Int...) async throws -> Store {
        try await Stores(Vault(directory: directory, isWrapped: isWrapped, numbers: numbers)).open(name)
    }

    /// Gives it the next key as the engine does it.
    func rekey() throws -> Duration {
        let (old, new) = next()
        return try measure { baseline_rekey(path, Self.text(old), Self.text(new)) }
    }

    /// Gives it the next key by an export.
    func export() throws -> Duration {
        let (old, new) = next()
        return try measure {
            baseline_export(
                path, path + "-copy", directory.path(percentEncoded: false), Self.text(old), Self.text(new))
        }
    }

    private var path: String { directory.appending(path: name).path(percentEncoded: false) }

    private func next() -> (Int, Int) {
        let new = number.add(1, ordering: .relaxed).newValue
        return (new - 1, new)
    }

    private func measure(_ work: () -> Int32) throws -> Duration {
        var result: Int32 = 0
        let duration = ContinuousClock().measure { result = work() }
        guard result == 0 else { throw Failure(result: result) }
        return duration
    }

    /// Raw keys, so that no derivation is measured.
    private static func bytes(_ number: Int) -> [UInt8] { (0..<32).map { UInt8(truncatingIfNeeded: number * 7 + $0) } }

    /// The key as the engine takes it.
    private static func text(_ number: Int) -> String {
        "x'" + bytes(number).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }

    private struct Vault: Configuration {
        static let target = "rotating"
        let directory: URL
        let isWrapped: Bool
        let numbers: [Int]

        func filePath(for database: DatabaseName) -> String? {
            directory.appending(path: database.fileName).path(percentEncoded: false)
        }
        func keyChain(for database: DatabaseName) throws -> KeyChain {
            try KeyChain(numbers.map { isWrapped ? .passphrase("passphrase \($0)") : .raw(RotatingFile.bytes($0)) })
        }
        func keyProtection(for database: DatabaseName) -> KeyProtection { isWrapped ? .envelope : .direct }
        func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(rotation: .manual) }
    }
}
