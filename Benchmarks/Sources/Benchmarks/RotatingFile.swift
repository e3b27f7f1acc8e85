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
    /// The settings that it has, and those that it gets by a conversion, in turn.
    private let settings: [CipherSettings]
    private let conversions = Atomic<Int>(0)
    /// The number of the key that it has.
    private let number = Atomic<Int>(1)

    /// What is in the file.
    enum Content {
        /// Rows of random bytes, and a small index.
        case bytes(megabytes: Int)
        /// Small rows with two indexes, one of them unique and in random order: some 110 bytes a row.
        case randomIndex(rows: Int)

        func write(_ db: borrowing WriteTransaction) throws {
            switch self {
            case .bytes(let megabytes):
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
            case .randomIndex(let rows):
                try db.execute("CREATE TABLE row (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, text TEXT NOT NULL)")
                try db.execute(
                    """
                    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(rows))
                    INSERT INTO row (number, text)
                    SELECT random(), 'row ' || n || ' ' || hex(randomblob(12)) FROM number
                    """
                )
                try db.execute("CREATE UNIQUE INDEX row_number ON row (number)")
                try db.execute("CREATE INDEX row_text ON row (text)")
            }
        }
    }

    /// Makes a file.
    init(in directory: URL, _ content: Content, wrapped: Bool = false) async throws {
        self.directory = directory
        isWrapped = wrapped
        name = "rotating_\(UUID().uuidString).sqlite"
        var other = try CipherSettings.engineDefault()
        other.pageSize *= 2
        settings = [try .engineDefault(), other]
        let vault = Vault(directory: directory, isWrapped: wrapped, numbers: [1], settings: [settings[0]])
        let store = try await Stores(vault).open(name)
        try await store.write { db in try content.write(db) }
        try await store.close()
    }

    convenience init(in directory: URL, megabytes: Int, wrapped: Bool = false) async throws {
        try await self.init(in: directory, .bytes(megabytes: megabytes), wrapped: wrapped)
    }

    var size: Int64 {
        get throws {
            (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64) ?? 0
        }
    }

    /// Gives it the next key.
    ///
    /// - Returns: How long that took, with all checks.
    func rotateChecked() async throws -> Duration {
        let report = try await rotate()
        return report.writingDuration + report.verificationDuration
    }

    /// Checks it.
    func verify(structure: Bool) async throws -> Duration {
        let store = try await open(number.load(ordering: .relaxed))
        let start = ContinuousClock.now
        let report = try await store.verify(checkingStructure: structure)
        let duration = ContinuousClock.now - start
        guard report.isIntact else { throw Failure(result: 1) }
        try await store.close()
        return duration
    }

    /// Copies it, and removes the copy.
    func backup() async throws -> Duration {
        let store = try await open(number.load(ordering: .relaxed))
        let start = ContinuousClock.now
        _ = try await store.backup(to: path + "-backup")
        let duration = ContinuousClock.now - start
        try await store.close()
        try FileManager.default.removeItem(atPath: path + "-backup")
        return duration
    }

    /// Restores it from a backup of itself.
    func restore() async throws -> Duration {
        let numbers = [number.load(ordering: .relaxed)]
        let stores = try Stores(
            Vault(directory: directory, isWrapped: isWrapped, numbers: numbers, settings: [settings[0]]))
        let store = try await stores.open(name)
        _ = try await store.backup(to: path + "-backup")
        try await store.close()
        let start = ContinuousClock.now
        _ = try await stores.restore(name, from: path + "-backup")
        let duration = ContinuousClock.now - start
        try FileManager.default.removeItem(atPath: path + "-backup")
        return duration
    }

    /// Gives it the other settings, which copies its rows.
    ///
    /// - Returns: How long that took, with all checks.
    func convert() async throws -> Duration {
        let turn = conversions.add(1, ordering: .relaxed).newValue
        let settings = turn.isMultiple(of: 2) ? Array(settings.reversed()) : settings
        let numbers = [number.load(ordering: .relaxed)]
        let vault = Vault(directory: directory, isWrapped: isWrapped, numbers: numbers, settings: settings)
        let store = try await Stores(vault).open(name)
        let start = ContinuousClock.now
        guard try await store.rotate().isRotated else { throw Failure(result: 2) }
        let duration = ContinuousClock.now - start
        try await store.close()
        return duration
    }

    /// Checks its structure as the engine does it.
    func check() throws -> Duration {
        try measure { baseline_check(path, Self.text(number.load(ordering: .relaxed))) }
    }

    /// Computes the code of each page on all processors.
    func hash() throws -> Duration {
        let own = try CipherSettings.engineDefault()
        let length: Int32 = own.pageHash == .sha512 ? 64 : 20
        let threads = ProcessInfo.processInfo.activeProcessorCount
        return try measure {
            baseline_hash(
                path, Int32(own.pageSize), own.pageHash.rawValue, length, Int32(threads), baseline_cipher_none)
        }
    }

    /// Reads and makes each page, and reads what was made, on all processors.
    func leastRotation() throws -> Duration {
        let threads = ProcessInfo.processInfo.activeProcessorCount
        return try MachineLimit.pages(.changed, of: path, threads: threads)
            + MachineLimit.pages(.read, of: path, threads: threads)
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
        let vault = Vault(directory: directory, isWrapped: isWrapped, numbers: numbers, settings: [settings[0]])
        return try await Stores(vault).open(name)
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
        let settings: [CipherSettings]

        func filePath(for database: DatabaseName) -> String? {
            directory.appending(path: database.fileName).path(percentEncoded: false)
        }
        func keyChain(for database: DatabaseName) throws -> KeyChain {
            try KeyChain(numbers.map { isWrapped ? .passphrase("passphrase \($0)") : .raw(RotatingFile.bytes($0)) })
        }
        func keyProtection(for database: DatabaseName) -> KeyProtection { isWrapped ? .envelope : .direct }
        func cipherSettings(for database: DatabaseName) throws -> [CipherSettings] { settings }
        func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(rotation: .manual) }
    }
}
