import Foundation
// Internal: what of a log counts.
@testable import Strongroom
import StrongroomTesting

/// A database and its write-ahead log as a power cut leaves them, with transactions of one and of several pages in the
/// log.
struct LogSpecimen {
    let directory: TemporaryDirectory
    let vault: Vault
    let file: Data
    let log: Data
    let pageSize: Int
    /// The lines after each transaction in the log; first those before it.
    private(set) var lines: [[String]] = []

    /// How many rows each transaction writes, and how many pages each of them fills.
    static let transactions = [(1, 0.01), (3, 0.7), (1, 0.01), (2, 2.5), (1, 0.01), (1, 3)]

    init(transactions: [(rows: Int, pages: Double)] = transactions) async throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path("source"), keys: .numbered(1))
        try await vault.keep("before")
        pageSize = try CipherSettings.engineDefault().pageSize
        var (lines, all) = (["before"], [["before"]])
        let store = try await vault.open()
        _ = try await store.checkpoint()
        for (number, transaction) in transactions.enumerated() {
            let words = max(1, Int(transaction.pages * Double(pageSize)) / 20)
            let new = (0..<transaction.rows).map { row in
                String(repeating: "transaction \(number) row \(row) ", count: words)
            }
            try await store.write { db in
                for line in new { try db.execute("INSERT INTO line VALUES (\(line))") }
            }
            lines += new
            all.append(lines)
        }
        self.lines = all
        (file, log) = try Self.read(vault)
        try await store.close()
    }

    /// The file and its log as they are.
    static func read(_ vault: Vault) throws -> (file: Data, log: Data) {
        (try Data(contentsOf: URL(filePath: vault.path)), try Data(contentsOf: URL(filePath: vault.path + "-wal")))
    }

    /// A place for the database with a log beside it.
    func place(_ name: String, log: Data, file: Data? = nil) throws -> Vault {
        let place = Vault(directory.path(name), keys: .numbered(1))
        try? FileManager.default.removeItem(atPath: place.directory)
        try FileManager.default.createDirectory(atPath: place.directory, withIntermediateDirectories: true)
        try (file ?? self.file).write(to: URL(filePath: place.path))
        try log.write(to: URL(filePath: place.path + "-wal"))
        return place
    }

    // MARK: Frames

    var frameLength: Int { 24 + pageSize }
    var frames: Int { (log.count - 32) / frameLength }

    /// Where a frame begins, counted from 1.
    func start(of frame: Int) -> Int { 32 + (frame - 1) * frameLength }

    /// The frames that transactions end with.
    var commits: [Int] {
        (1...frames).filter { frame in log[start(of: frame) + 4..<start(of: frame) + 8].contains { $0 != 0 } }
    }

    /// The transactions that are whole before a place in the log.
    func commits(before offset: Int) -> Int { commits.count { start(of: $0 + 1) <= offset } }

    func flipped(at offset: Int, by change: UInt8 = 0x10, of log: Data? = nil) -> Data {
        var bytes = log ?? self.log
        bytes[offset] ^= change
        return bytes
    }

    /// What of a log counts.
    func scan(_ log: Data, file: Data? = nil) throws -> LogScan {
        try LogScan(MemoryBytes(bytes: log), of: MemoryBytes(bytes: file ?? self.file))
    }
}

/// Bytes in memory.
struct MemoryBytes: FileBytes {
    let bytes: Data

    func size() -> Int64 { Int64(bytes.count) }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
        part.withUnsafeBytes { buffer.copyMemory(from: $0) }
        return part.count
    }
}
