import Foundation
import Strongroom

extension Group {
    static let openChain = Group("open-chain", "a file on the newest, and on the oldest, of ten passphrases") {
        workplace in
        let newest = try await ChainedFile(in: workplace.directory, made: 9)
        let oldest = try await ChainedFile(in: workplace.directory, made: 0)
        return [
            Measure(
                name: "open-chain, newest key",
                unit: .milliseconds,
                ours: { try await newest.open(9...9, alone: false) },
                rival: Measure.Side(name: "that key alone", target: 0.9) { try await newest.open(9...9, alone: true) }
            ),
            Measure(
                name: "open-chain, oldest key",
                unit: .milliseconds,
                ours: { try await oldest.open(0...0, alone: false) },
                rival: Measure.Side(name: "that key alone", target: 0.1) { try await oldest.open(0...0, alone: true) }
            ),
        ]
    }
}

/// A file on one key of a chain of ten.
private struct ChainedFile {
    private let directory: URL
    private let name = "chained_\(UUID().uuidString).sqlite"

    init(in directory: URL, made number: Int) async throws {
        self.directory = directory
        try await Stores(Vault(directory: directory, numbers: [number])).open(name).close()
    }

    /// How long opening takes.
    ///
    /// - Parameters:
    ///   - numbers: The keys that are given when they are given alone.
    ///   - alone: Whether the other keys are left out.
    func open(_ numbers: ClosedRange<Int>, alone: Bool) async throws -> Duration {
        let stores = try Stores(Vault(directory: directory, numbers: Array(alone ? numbers : 0...9)))
        let start = ContinuousClock.now
        let store = try await stores.open(name)
        let duration = ContinuousClock.now - start
        try await store.close()
        return duration
    }

    private struct Vault: Configuration {
        static let target = "chained"
        let directory: URL
        let numbers: [Int]

        func filePath(for database: DatabaseName) -> String? {
            directory.appending(path: database.fileName).path(percentEncoded: false)
        }
        func keyChain(for database: DatabaseName) throws -> KeyChain {
            try KeyChain(numbers.map { .passphrase("passphrase \($0)") })
        }
        // One format, so that each key is tried once, and the file stays on the key that it has.
        func cipherSettings(for database: DatabaseName) throws -> [CipherSettings] { [try .engineDefault()] }
        func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(rotation: .never) }
    }
}
